"""
Rare positives: the metric that gives up
========================================

As positives become rare, the best cut by F1 finds ever fewer of them. Handwritten eights among
other digits, thinned out.
"""

# %%
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import baserate as br

images, digits = load_digits(return_X_y=True)
rng = np.random.default_rng(3)
noisy = images + rng.normal(0, 8, images.shape)
kept = (digits != 8) | (rng.random(len(digits)) < 0.2)
X, y = noisy[kept], digits[kept] == 8
score = cross_val_predict(LogisticRegression(max_iter=2_000), X, y, method="predict_proba")[:, 1]
print(f"{y.sum()} eights of {len(y)} digits ({y.mean():.1%})")

# %%
# The same score, cut where each metric is best:
for name in ("f1", "mcc", "robust_mcc(d=0.05)", "robust_f(d0=0.1)"):
    found = br.optimal_threshold(name, y, score)
    print(f"{name:20} cut {found.threshold:.3f}, finds {br.metrics.recall(found.table):.2f}")

# %%
# Why? In a population with normal scores the law is known at every base rate:
display = br.displays.BaseRateDisplay.from_population(
    br.populations.LDA(distance=2.0),
    metric=["f1", "matthews_correlation", "robust_mcc(d=0.05)"],
    show="rates",
    base_rates=[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5],
)
