"""What every law of a metric obeys: tails fall, quantiles turn back, moments are sums of atoms."""

import numpy as np

import baserate as br
from laws.subjects import CLASS_METRICS, CLASS_MODELS, METRICS, MODELS, made
from laws.sweep import law

PAIRS = [
    *((metric, model) for metric in METRICS for model in MODELS),
    *((metric, model) for metric in CLASS_METRICS for model in CLASS_MODELS),
]
LEVELS = np.linspace(0, 1, 9)


def around(atoms):
    """The values, what lies between them, and what lies beyond both ends; in order."""
    values = atoms.values
    return np.sort(
        np.concatenate([values, (values[1:] + values[:-1]) / 2, values[[0, -1]] + [-1, 1]])
    )


def scale_of(values):
    return max(1.0, np.abs(values).max())


@law(PAIRS)
def test_moments_are_sums_over_what_is_possible(pair):
    metric, model = pair
    atoms = br.pmf(metric, model)
    p, v = atoms.probabilities, atoms.values
    defined = float(br.probability_defined(metric, model))
    np.testing.assert_allclose(1 - atoms.undefined, defined, rtol=1e-12, atol=1e-14)
    mean, variance = float(br.expect(metric, model)), float(br.variance(metric, model))
    if not len(v):
        assert np.isnan([mean, variance]).all()
        assert defined == 0
        return
    scale = scale_of(v)
    assert (p > 0).all()
    assert (np.diff(v) > 0).all()
    np.testing.assert_allclose(p.sum(), 1, rtol=1e-12)
    np.testing.assert_allclose(mean, p @ v, rtol=1e-11, atol=1e-13 * scale)
    second = float(br.expect(squared(metric), model))
    np.testing.assert_allclose(variance, p @ (v - mean) ** 2, rtol=1e-10, atol=1e-13 * scale**2)
    np.testing.assert_allclose(variance, second - mean**2, atol=1e-11 * scale**2)


def squared(metric):
    """A metric that the library sees for the first time."""
    if isinstance(metric, br.metrics.ClassMetric):
        return br.metrics.ClassMetric(
            name="squared",
            definition="squared",
            meaning="A square.",
            of_cells=lambda counts: metric(br.ClassTable(counts)) ** 2,
            bounds=(-np.inf, np.inf),
            scale_invariant=False,
        )
    return made("squared", lambda *cells: metric.formula(*cells) ** 2)


@law(PAIRS)
def test_tails_fall_from_one_to_zero_and_are_each_others_complement(pair):
    metric, model = pair
    atoms = br.pmf(metric, model)
    if not len(atoms.values):
        return
    points = around(atoms)[:: max(1, len(atoms.values) // 6)]
    below = np.array([float(br.cdf(metric, model, x)) for x in points])
    above = np.array([float(br.sf(metric, model, x)) for x in points])
    np.testing.assert_allclose(below + above, 1, rtol=1e-12)
    assert (np.diff(below) >= -1e-14).all()
    assert (np.diff(above) <= 1e-14).all()
    expected = [atoms.probabilities[atoms.values <= x + 1e-12 * abs(x)].sum() for x in points]
    np.testing.assert_allclose(below, expected, rtol=1e-10, atol=1e-13)
    ends = [float(br.cdf(metric, model, x)) for x in (-np.inf, np.inf)]
    np.testing.assert_allclose(ends, [0, 1], rtol=1e-14)


@law(PAIRS)
def test_quantiles_rise_and_turn_back_the_distribution_function(pair):
    metric, model = pair
    atoms = br.pmf(metric, model)
    found = np.array([float(br.quantile(metric, model, q)) for q in LEVELS])
    if not len(atoms.values):
        assert np.isnan(found).all()
        return
    assert (np.diff(found) >= 0).all()
    np.testing.assert_allclose(found[[0, -1]], atoms.values[[0, -1]], rtol=1e-12, atol=1e-14)
    for q, value in zip(LEVELS[1:], found[1:], strict=True):
        assert float(br.cdf(metric, model, value)) >= q - 2e-12
        i = int(np.argmin(np.abs(atoms.values - value)))
        if i:  # the smallest with that much below or at it
            assert float(br.cdf(metric, model, (atoms.values[i - 1] + atoms.values[i]) / 2)) < q
    i = len(atoms.values) // 2
    share = atoms.probabilities[: i + 1].sum()
    if atoms.probabilities[i] > 1e-9:
        back = float(br.quantile(metric, model, min(share, 1.0)))
        np.testing.assert_allclose(back, atoms.values[i], rtol=1e-12, atol=1e-14)


POLICIES = [0.25, -1.0]


@law(PAIRS, POLICIES)
def test_a_number_in_place_of_nan_is_one_more_atom(pair, instead):
    """E = P(defined) E[given defined] + P(undefined) number, and so for squares and both tails."""
    metric, model = pair
    missing = 1 - float(br.probability_defined(metric, model))
    given = [float(br.expect(metric, model)), float(br.variance(metric, model))]
    mean, spread = np.nan_to_num(given)
    found = float(br.expect(metric, model, undefined=instead))
    expected = (1 - missing) * mean + missing * instead
    scale = max(1.0, abs(mean), spread)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12 * scale)
    second = (1 - missing) * (spread + mean**2) + missing * instead**2
    found = float(br.variance(metric, model, undefined=instead))
    np.testing.assert_allclose(found, second - expected**2, rtol=1e-9, atol=1e-11 * scale)
    for x in (instead, instead + 0.01, mean):
        tail = np.nan_to_num(float(br.cdf(metric, model, x)))
        found = float(br.cdf(metric, model, x, undefined=instead))
        expected = (1 - missing) * tail + missing * (instead <= x)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    propagated = float(br.expect(metric, model, undefined="propagate"))
    if missing == 0 or missing > 1e-13:
        assert np.isnan(propagated) == bool(missing > 0)
