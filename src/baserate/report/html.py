"""HTML: the same outline as one page that fetches nothing, by jinja2 with every text escaped."""

from collections.abc import Sequence

from baserate.errors import MissingDependencyError
from baserate.facts import EvaluationFacts
from baserate.metrics import Metric
from baserate.report import figures
from baserate.report.bars import bar
from baserate.report.declared import declared, families, in_words
from baserate.report.outline import outline
from baserate.report.provenance import provenance
from baserate.report.sheet import Sheet
from baserate.report.words import sentence_case, spoken

try:
    from jinja2 import Environment, PackageLoader, StrictUndefined
except ModuleNotFoundError as error:
    raise MissingDependencyError.from_extra("jinja2", "The HTML report", "report") from error


def render_html(facts: EvaluationFacts) -> str:
    """Return the report as one page."""
    return _environment().get_template("evaluation.html").render(page=outline(facts))


def render_catalogue(metrics: Sequence[Metric]) -> str:
    """Return the catalogue as one page."""
    rows = [(metric, in_words(metric)) for metric in metrics]
    template = _environment().get_template("catalogue.html")
    return template.render(rows=rows, families=families())


def render_sheet(sheet: Sheet) -> str:
    """Return a sheet as one page."""
    return _environment().get_template("sheet.html").render(sheet=sheet)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("baserate.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["made"] = provenance()
    environment.filters |= {
        "bar": bar,
        "count": figures.count,
        "declared": declared,
        "exact": figures.exact,
        "heading": lambda name: sentence_case(spoken(name)),
        "number": figures.number,
    }
    return environment
