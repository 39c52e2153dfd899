"""How much of a metric is lost by choosing the threshold on a sample: four ways side by side.

Two normal classes at distance 2, a logistic regression fitted to the sample, and the threshold
chosen on the same sample. Regret is the metric at the best threshold of the population less the
metric at the chosen one, both in the population. scikit-learn's tuner cross-validates over 100
equally spaced cuts.
"""

import sys
import time

import numpy as np
from scipy.special import logit
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV

import baserate as br
from baserate import metrics
from baserate.curves.populations import LDA
from baserate.errors import UnsupportedError
from baserate.tuning import bayes_threshold, optimal_threshold

DISTANCE = 2.0
TARGETS = [
    metrics.f_beta(beta=1.5),
    metrics.matthews_correlation,
    metrics.robust_f(d0=0.3),
    metrics.robust_mcc(d=0.05),
]
WAYS = ("search", "bagged", "plug_in", "scikit-learn")


def draw(n, base_rate, rng):
    truth = rng.random(n) < base_rate
    return truth, rng.normal(truth * DISTANCE, 1)[:, None]


def population_value(metric, model, threshold, base_rate):
    """The metric in the population when positives are called at this fitted probability."""
    cut = (logit(threshold) - model.intercept_[0]) / model.coef_[0, 0]
    recall, false_alarms = norm.sf(cut - DISTANCE), norm.sf(cut)
    return metric.at_rates(recall=recall, specificity=1 - false_alarms, base_rate=base_rate)


def tuned(metric, x, truth, seed):
    def scored(y_true, y_pred):
        value = metric(br.confusion_matrix(y_true, y_pred, pos_label=True))
        return 0.0 if np.isnan(value) else value

    plain = LogisticRegression(C=np.inf)
    scorer = make_scorer(scored)
    return TunedThresholdClassifierCV(plain, scoring=scorer, random_state=seed).fit(x, truth)


def regrets(n, base_rate, seed, with_tuner):
    rng = np.random.default_rng(seed)
    truth, x = draw(n, base_rate, rng)
    model = LogisticRegression(C=np.inf).fit(x, truth)
    score = model.predict_proba(x)[:, 1]
    found = np.full((len(WAYS), len(TARGETS)), np.nan)
    for j, metric in enumerate(TARGETS):
        best = bayes_threshold(metric, LDA(distance=DISTANCE), base_rate=base_rate).value
        for i, way in enumerate(WAYS[:3]):
            try:
                cut = optimal_threshold(metric, truth, score, method=way, rng=seed).threshold
            except UnsupportedError:
                continue
            found[i, j] = best - population_value(metric, model, cut, base_rate)
        if with_tuner:
            peer = tuned(metric, x, truth, seed)
            value = population_value(metric, peer.estimator_, peer.best_threshold_, base_rate)
            found[3, j] = best - value
    return found


def main(replicates=60):
    for n, base_rate in ((2000, 0.05), (20000, 0.01)):
        began = time.perf_counter()
        runs = replicates if n < 10_000 else max(10, replicates // 3)
        found = np.array([regrets(n, base_rate, s, s < runs // 2) for s in range(runs)])
        print(f"n = {n:,}, base rate {base_rate}, {runs} replicates")
        print(f"{'':14}" + "".join(f"{m.name[:22]:>24}" for m in TARGETS))
        for i, way in enumerate(WAYS):
            print(f"{way:14}" + "".join(f"{v:24.4f}" for v in np.nanmean(found[:, i], axis=0)))
        print(f"{time.perf_counter() - began:.0f} s\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
