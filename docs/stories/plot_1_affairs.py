"""
A model that is better than luck, and by F1 worse than a guess
==============================================================

6,366 women answered a magazine in 1974. A logistic regression predicted, out of fold, which of them
had an affair. Is it any good?
"""

# %%
# The table, and the first answer.
import pandas as pd

import baserate as br

women = pd.read_csv("examples/affairs.csv")
report = br.evaluate(
    women, target="affair", prediction="predicted", positive="yes", metrics=["f1", "recall", "mcc"]
)
print(report.render().split("\n\n")[0])

# %%
# Better than luck: nobody who flags 1,238 women blindly finds 762 affairs. But F1 is below that of
# flagging all 6,366, so F1 alone would call the model useless. Matthews correlation, of which every
# guess that flags some and not all scores 0 on average, says 0.31.
#
# The cut at one half is part of the trouble: a third of the women are positive, and two thirds of
# these are missed.
display = br.displays.ThresholdDisplay.from_predictions(
    women["affair"], women["score"], pos_label="yes", metrics=["f1", "mcc"]
)

# %%
# Cutting lower finds twice as many. What to expect of that on new women?
found = br.thresholds(women, target="affair", score="score", positive="yes", metrics=["f1", "mcc"])
print(found.render().split("\n\n")[0])

# %%
# **What we learn.** The model knows something; the cut, and the metric, hid it.
