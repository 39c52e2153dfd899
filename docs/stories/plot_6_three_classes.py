"""
Three wines: which is taken for which
=====================================

178 wines of three growers, told apart by a decision tree that saw two of thirteen measurements.
"""

# %%
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

import baserate as br

X, y = load_wine(return_X_y=True)
called = cross_val_predict(DecisionTreeClassifier(max_depth=3, random_state=0), X[:, [0, 10]], y)
print(br.evaluate(y, called).render().split("\n\n")[0])

# %%
display = br.displays.ConfusionDisplay.from_predictions(y, called)

# %%
# One number hides which class pays for it:
table = br.class_table(y, called)
for label in table.labels:
    found = br.interval("recall", table.one_vs_rest(label))
    print(f"wine {label}: recall {found.value:.2f} ({found.low:.2f} to {found.high:.2f})")
