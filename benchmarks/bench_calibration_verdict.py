"""How often a report says that risks are wrong: at most 1 in 20 where they are right.

Scores are logistic of a normal variable; outcomes follow them ("calibrated"), or them with odds
halved ("too high") or with twice the log odds ("too extreme"). A verdict warns unless its first
sentence is "No evidence ..." or "No clear evidence ..."; the band alone may make it warn too.
"""

import sys

import numpy as np
from scipy.special import expit

import baserate as br
from baserate.curves.miscalibration import miscalibrated_regions
from baserate.facts.scores import CalibrationFact, EstimateFact, RegionFact
from baserate.facts.threshold import ThresholdFacts
from baserate.report.score_words import believed

DESIGNS = ((40, -1, 1), (100, -1, 1.2), (1000, -1, 1.2), (500, -4, 1.2), (300, -2.5, 0.7))
STATED = {
    "calibrated": lambda logit: logit,
    "too high": lambda logit: logit + np.log(2),
    "too extreme": lambda logit: 2 * logit,
}


def estimate(name, found):
    return EstimateFact(
        name=name, value=found.value, low=found.low, high=found.high, p_value=found.p_value
    )


def verdict(truth, score):
    swept = br.sweep(truth, score)
    found = br.calibration(swept)
    band = found.band()
    regions = tuple(
        RegionFact(
            direction=r.direction,
            low=r.low_score,
            high=r.high_score,
            n=r.n,
            at_least=r.at_least,
            at=r.at,
        )
        for r in miscalibrated_regions(swept, band)
    )
    measures = (
        estimate("observed_expected", found.observed_expected),
        estimate("calibration_slope", found.slope),
    )
    calibration = CalibrationFact(
        observed=found.observed, expected=found.expected, measures=measures, regions=regions,
        band_level=0.95,
    )  # fmt: skip
    n, positives = len(truth), int(truth.sum())
    facts = ThresholdFacts(
        positive=1, n=n, n_positive=positives, n_negative=n - positives, missing=0,
        n_cut_points=n, confidence_level=0.95, n_resamples=0, default=0.5, ranking=(),
        calibration=calibration, score_range=(float(score.min()), float(score.max())),
    )  # fmt: skip
    warned = not believed(facts)[0].startswith(("No evidence", "No clear evidence"))
    return warned, bool(regions)


def main(replications):
    rng = np.random.default_rng(12)
    print(f"{replications} samples each: share that warns (share with a region outside the band)")
    print("cases  positives", *(f"{name:>22}" for name in STATED))
    for n, mean, spread in DESIGNS:
        shown, share = [], []
        for stated in STATED.values():
            warned, placed = np.zeros(2)
            for _ in range(replications):
                truth = np.zeros(n, bool)
                while truth.all() or not truth.any():
                    logit = rng.normal(mean, spread, n)
                    truth = rng.random(n) < expit(logit)
                share.append(truth.mean())
                found = verdict(truth, expit(stated(logit)))
                warned, placed = warned + found[0], placed + found[1]
            shown.append(f"{warned / replications:>13.3f} ({placed / replications:.4f})")
        print(f"{n:>5}  {np.mean(share):>9.3f}", *(f"{text:>22}" for text in shown), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
