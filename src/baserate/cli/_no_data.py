"""Commands that need no data: metrics, what guessing scores, how many cases, the examples."""

import re
from inspect import signature
from pathlib import Path
from typing import Any

import baserate
from baserate._whole_files import write_files
from baserate.cli._options import Format, MetricsOrAll, Negatives, Output, Positives, Whole
from baserate.cli._output import chosen_format, deliver
from baserate.errors import DataError, InvalidArgumentError

NAME = "examples"
# What the library calls what two options say, and what it lists its arguments after.
OPTIONS = {
    "discordant": "only_a only_b",
    "linear_predictor": "lp_mean lp_sd",
    "beta": "beta_a beta_b",
    "confidence_level": "confidence",
}
KEYWORD = re.compile(r"\b(?P<name>\w+)=(?P<value>\([^()]+\)|-?[\d.]*\d)?")
PYTHON_ONLY = re.compile(
    r", or a table=|, or in its place joint, or both a and b| without a pilot table"
)
COUNTS = " (tp,fn,fp,tn such as 40,10,5,45)"
LISTS = re.compile(
    r"(?P<before>^|takes |needs |may take |ask for |mean )(?P<names>\w+(?:, \w+)*)"
    r"(?=[.:?]| must |, and may)"
)
SUFFIXES = (".csv", ".toml")


def metrics(*, format: Format = None, output: Output = None) -> int:  # noqa: A002
    """List every metric with its names, formula and facts."""
    from baserate.report.catalogue import render_catalogue

    deliver(render_catalogue(chosen_format(format, output)), output)
    return 0


def baseline(
    *,
    positives: Positives = None,
    negatives: Negatives = None,
    n: Whole = None,
    base_rate: float | None = None,
    metrics: MetricsOrAll = None,
    guess: str = "dutch-draw",
    format: Format = None,  # noqa: A002
    output: Output = None,
) -> int:
    """Say what guessing would score: the bar that a classifier has to clear.

    Of what is not given about the class totals, it says what holds whatever it is.

    Parameters
    ----------
    positives
        Number of positive cases.
    negatives
        Number of negative cases.
    n
        Number of all cases; alone, any number of them but none and all may be positive.
    base_rate
        Share of positive cases; without --n, of any number of cases.
    guess
        The guess: dutch-draw (the best one), uniform, proportional, mode or a probability.
    """
    from baserate.evaluation.guesses import baseline as gather
    from baserate.report.no_data import render_baseline

    form = chosen_format(format, output)
    totals = {"n_positive": positives, "n_negative": negatives, "n": n, "base_rate": base_rate}
    facts = gather(**totals, metrics=metrics, guess=guess)
    deliver(render_baseline(facts, form), output)
    return 0


def sample_size(
    question: str | None = None,
    /,
    *,
    base_rate: float | None = None,
    auc: float | None = None,
    other_auc: float | None = None,
    correlation: float | None = None,
    expected: float | None = None,
    n: Whole = None,
    power: float | None = None,
    width: float | None = None,
    recall: float | None = None,
    specificity: float | None = None,
    only_a: float | None = None,
    only_b: float | None = None,
    margin: float | None = None,
    certainty: float | None = None,
    reference: str | None = None,
    group: str | None = None,
    gap: float | None = None,
    design_effect: float | None = None,
    lp_mean: float | None = None,
    lp_sd: float | None = None,
    beta_a: float | None = None,
    beta_b: float | None = None,
    oe_width: float | None = None,
    slope_width: float | None = None,
    auc_width: float | None = None,
    net_benefit_width: float | None = None,
    threshold: float | None = None,
    confidence: float | None = None,
    format: Format = None,  # noqa: A002
    output: Output = None,
) -> int:
    """Say how many cases a question takes, before there are any.

    Parameters
    ----------
    question
        'recall >= 0.8@low', a promise about a share; recall, or any other metric, to within a
        width; difference, of two classifiers on the same cases, and
        'difference(recall) >= -0.02@low', a promise about them; difference(roc_auc), of two scores;
        calibration (the default), of a model of probabilities; roc_auc; 'gap(recall)', of a group
        to a reference. Each says what it needs.
    base_rate
        Share of positives to be expected.
    auc
        Area under the ROC curve to be expected.
    other_auc
        Of difference(roc_auc): that of the other score.
    correlation
        Of the two scores in cases of one class: 0 asks for the most cases, 0.5 to 0.9 is usual.
    expected
        Of a promise or a width: the share that is hoped for, such as the recall (sensitivity).
    n
        Of a promise: how many cases there are of what its share is of (positives, for recall); the
        answer is how probably they show it.
    power
        Probability with which the promise, the gap or the difference is to be shown; default 0.8,
        of a difference none.
    width
        Of a metric or roc_auc: how wide its interval may be, 0.1 for 5 points either way.
    recall
        To be expected, of a metric; at the threshold, of calibration.
    specificity
        As recall.
    only_a
        Of a difference: share that only the first classifier gets right, of the cases that the
        metric is of (of the positives, for recall); with --only-b.
    only_b
        Share that only the second gets right.
    margin
        Of a difference: by how much the second may be worse, such as 0.02; it is then shown not to
        be, with probability --power.
    certainty
        How sure it is to be which of the two is better; default 0.975.
    reference
        Of a gap: counts of the reference, as tp,fn,fp,tn.
    group
        Its counts, or how many cases it has: how large a gap it shows, or how probably --gap.
    gap
        The group's true value less the reference's, such as -0.1: how many cases show it.
    design_effect
        How many clustered cases tell as much as one independent case; default 1.
    lp_mean
        Mean of the log odds of the predicted risks, if they are normal; with --lp-sd.
    lp_sd
        Their standard deviation.
    beta_a
        First parameter of the Beta law of the predicted risks; with --beta-b. Without either law,
        log odds are normal in each class, of the base rate and ROC area.
    beta_b
        Its second parameter.
    oe_width
        How wide the interval of observed : expected may be; default 0.2.
    slope_width
        How wide that of the calibration slope may be; default 0.2.
    auc_width
        How wide that of the ROC area may be; default 0.1.
    net_benefit_width
        How wide that of the standardized net benefit at the threshold may be; default 0.2.
    threshold
        Probability from which on cases will be decided positive; for net benefit.
    confidence
        Level of the intervals; default 0.95.
    """
    from baserate.report.no_data import render_sample_size

    form = chosen_format(format, output)
    known = {
        "base_rate": base_rate,
        "auc": auc if other_auc is None else _both("--auc and --other-auc", auc, other_auc),
        "correlation": correlation,
        "expected": expected,
        "n": n,
        "power": power,
        "width": width,
        "recall": recall,
        "specificity": specificity,
        "discordant": _both("--only-a and --only-b", only_a, only_b),
        "margin": margin,
        "certainty": certainty,
        "reference": _counts("reference", reference),
        "group": _counts("group", group),
        "gap": gap,
        "design_effect": design_effect,
        "linear_predictor": _both("--lp-mean and --lp-sd", lp_mean, lp_sd),
        "beta": _both("--beta-a and --beta-b", beta_a, beta_b),
        "oe_width": oe_width,
        "slope_width": slope_width,
        "auc_width": auc_width,
        "net_benefit_width": net_benefit_width,
        "threshold": threshold,
        "confidence_level": confidence,
    }
    given = {name: value for name, value in known.items() if value is not None}
    try:
        found = baserate.sample_size(question or ("calibration" if given else ""), **given)
    except InvalidArgumentError as error:
        error.args = (_as_options(str(error)),)
        raise
    deliver(render_sample_size(found, form), output)
    return 0


def _as_options(text: str) -> str:
    """Name the options that arguments have, where a message lists these."""
    known = signature(sample_size).parameters

    def typed(name: str) -> list[str]:
        options = OPTIONS.get(name, name).split()
        return [f"--{x.replace('_', '-')}" for x in options if x in known and x != "question"]

    def listed(found: re.Match[str]) -> str:
        every = [option for name in found["names"].split(", ") for option in typed(name)]
        return f"{found['before']}{', '.join(every) or found['names']}"

    def valued(found: re.Match[str]) -> str:
        values = (found["value"] or "").strip("()").split(", ")
        options = ["--auc", "--other-auc"] if len(values) > 1 and found["name"] == "auc" else []
        pairs = zip(options or typed(found["name"]), values, strict=len(values) > 1)
        return " ".join(f"{option} {value}".rstrip() for option, value in pairs) or found[0]

    said = LISTS.sub(listed, KEYWORD.sub(valued, PYTHON_ONLY.sub("", text)))
    return said.replace("needs --reference", f"needs --reference{COUNTS}")


def _counts(name: str, given: str | None) -> Any:
    """Read four counts, or of a group how many cases it has."""
    if given is None:
        return None
    cells = [cell.strip() for cell in given.split(",")]
    whole = all(cell.isdecimal() for cell in cells)
    if whole and len(cells) == 4:
        tp, fn, fp, tn = map(int, cells)
        return baserate.ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)
    if whole and len(cells) == 1 and name == "group":
        return int(given)
    alone = ", or the number of its cases" if name == "group" else ""
    rule = f"must be four whole numbers tp,fn,fp,tn{alone}"
    raise InvalidArgumentError.from_rule(f"--{name}", rule, given, "write for example 40,10,5,45")


def _both(names: str, first: float | None, second: float | None) -> tuple[float, float] | None:
    if first is None and second is None:
        return None
    if first is None or second is None:
        rule, given = "must both be given", (first, second)
        raise InvalidArgumentError.from_rule(names, rule, given, "pass the other one, too")
    return first, second


def examples() -> int:
    """Write the tables that the documentation reads into a folder called examples, here.

    Some of these tables of predictions are real, some made up. A file of the same name stays as it
    is; if it holds something else, nothing is written.
    """
    files = {Path(NAME) / file.name: file.read_bytes() for file in shipped()}
    for path, content in files.items():
        if path.exists() and (path.is_dir() or path.read_bytes() != content):
            raise DataError(f"{path} is another file already: move it, or go to another folder.")
    try:
        Path(NAME).mkdir(exist_ok=True)
        write_files(files)
    except OSError as error:
        reason = error.strerror or error
        raise DataError(f"Cannot write {NAME!r} ({reason}): go to another folder.") from None
    deliver("\n".join(path.as_posix() for path in files), None)
    return 0


def shipped() -> list[Path]:
    """Return the tables: beside the modules where the package was installed, else in the copy."""
    package = Path(baserate.__file__).parent
    places = (package / NAME, package.parents[1] / NAME)
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        raise DataError(f"The tables are not at {places[0]}: install baserate anew.")
    return sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES)
