"""What counts as recomputed moves with the public names; where these are wrong, the run fails."""

import sys
from functools import partial
from math import isnan
from types import SimpleNamespace

import pytest

import baserate as br
from noise import PAPERS, Noise, Noisy, disturbed
from papers import __main__ as papers
from papers import (
    chimps,
    chimps_sections,
    dutch_draw,
    robust_metrics,
    robust_metrics_formulas,
    robust_metrics_tables,
    small_data,
    small_data_tables,
    small_data_theorems,
    utility_tables,
)

MODULES = (chimps, dutch_draw, robust_metrics_tables, utility_tables, small_data_tables)
# So little that roots are found and names are known still; much, and words too; much.
AMOUNTS = ((1e-3, False), (0.5, True), (0.5, False))
SEEDS = 60  # as a rule two or three are enough; a statement that turns needs more


def jobs(module):
    """Return every table but those of other data, which nobody counts as recomputed."""
    made = enumerate(module.tables())
    return {k: job for k, job in made if getattr(job, "func", job).__name__ != "repeated"}


def same(first, second):
    if isinstance(first, float) and isinstance(second, float) and isnan(first):
        return isnan(second)
    return first == second


def shorten(patch, small_data, robust_metrics):
    """Let an experiment have few sizes and one process, and the tables of rules two base rates."""
    every, printed = small_data.smoothing_errors, robust_metrics.published

    def errors(**asked):
        sizes = asked.get("sizes", (5, 20))
        return every(**{**asked, "processes": 1, "sizes": sizes})

    def rows(number):
        *_, base_rates = grids.get(number, ((),))
        known = [f"{rate:g}" for rate in base_rates]
        return [row for row in printed(number) if not known or f"{row['pi']:g}" in known]

    grids = {
        number: (names, distances, base_rates[2::4])
        for number, (names, distances, base_rates) in robust_metrics._GRIDS.items()
    }
    patch.setattr(small_data, "smoothing_errors", errors)
    patch.setattr(robust_metrics, "published", rows)
    patch.setattr(robust_metrics, "_GRIDS", grids)


@pytest.mark.parametrize(
    "place",
    [pytest.param(k, id=name, marks=() if name == "utility_tables" else pytest.mark.slow)
     for k, name in enumerate(PAPERS)],
)  # fmt: skip
def test_every_recomputed_cell_moves_with_the_public_names(place, monkeypatch):
    """No cell that is counted as recomputed can agree by construction; arithmetic stays."""
    shorten(monkeypatch, small_data, robust_metrics)
    tables = {k: job() for k, job in jobs(MODULES[place]).items()}
    still = {
        k: {n for n, cell in enumerate(table.cells) if cell.basis == "recomputed"}
        for k, table in tables.items()
    }
    for seed in range(SEEDS):
        left = [k for k, cells in still.items() if cells]
        if not left:
            break
        amount, words = AMOUNTS[seed % len(AMOUNTS)]
        with disturbed(Noise(seed, amount=amount, words=words)) as modules:
            copied = (sys.modules[f"papers.{name}"] for name in ("small_data", "robust_metrics"))
            shorten(monkeypatch, *copied)
            others = jobs(modules[place])
            for k in left:
                still[k] -= moved(tables[k], others[k])
    assert {
        tables[k].name: [tables[k].cells[n].where for n in sorted(cells)]
        for k, cells in still.items()
        if cells
    } == {}


def moved(table, job):
    """Return which cells are others; none, where nothing can be computed at all."""
    try:
        other = job()
    except Exception:  # noqa: BLE001 - a library that gives anything raises anything
        return set()
    pairs = enumerate(zip(table.cells, other.cells, strict=False))
    return {n for n, (one, two) in pairs if not same(one.ours, two.ours)}


BROKEN = [
    (br, "random_guess", chimps_sections.appendix_b),
    (br, "skill", chimps_sections.section_1),
    (br, "expect", chimps.table_3),
    (br, "affine", dutch_draw.linear_forms),
    (br, "dutch_draw", dutch_draw.single_classes),
    (br.tuning, "quotient", robust_metrics_formulas.formulas),
    (br, "bayes_threshold", partial(robust_metrics_tables.population, 6)),
    (br.tuning, "stationary_ratios", robust_metrics_tables.statements),
    (br, "admissible", utility_tables.admissible),
    (br, "count_undefined", small_data_tables.table_1),
    (br, "match_test", small_data_tables.sections_3_and_5),
    (br, "cdf", small_data_theorems.theorems),
]


@pytest.mark.sweep(12, start=1)
@pytest.mark.parametrize(("where", "name", "job"), BROKEN, ids=[name for _, name, _ in BROKEN])
def test_the_run_fails_where_a_public_function_is_wrong(where, name, job, monkeypatch, capsys):
    only = SimpleNamespace(tables=lambda: iter([job]), REFERENCE="", FIGURES=())
    monkeypatch.setitem(papers.PAPERS, "Dutch Draw", only)
    assert papers.main(["dutch"]) == 0
    monkeypatch.setattr(where, name, Noisy(getattr(where, name), Noise(1, amount=0.1)))
    assert papers.main(["dutch"]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_a_run_counts_apart_what_is_not_recomputed():
    names = {"recomputed", "consistency", "arithmetic", "other data"}
    made = papers.totals([papers.recomputed("Burger & Meertens", lambda line: None)])
    assert set(made) == names
    assert made["recomputed"] == {"agree": 198, "misprint": 5, "remark": 9}
    assert sum(made["arithmetic"].values()) == 13
    assert not made["consistency"]
    assert not made["other data"]
