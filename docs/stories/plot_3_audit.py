"""
An audit that does not cry wolf
===============================

Six occupations, from 2,783 women down to 41. The students have the lowest recall: 0.14 against
0.37. Is the model unfair to students?
"""

# %%
# Seven students are positive; one was found. How often would seven women of the others show as
# large a gap, up or down?
import pandas as pd

import baserate as br

women = pd.read_csv("examples/affairs.csv")
student = women["occupation"] == "student"
students, rest = (
    br.confusion_matrix(part["affair"], part["predicted"], pos_label="yes")
    for part in (women[student], women[~student])
)
test = br.match_test("recall", students, rest)
print(f"recall {test.value:.2f} against {br.metrics.recall(rest):.2f}: p = {test.p_value:.2f}")

# %%
# So low a recall is luck in one sample of five; the p-value allows for either side and doubles
# that. And could a gap have been seen? With seven positives hardly any:
gap = br.sample_size("gap(recall)", group=students, reference=rest)
for name, size in (("below", gap.below), ("above", gap.above)):
    print(f"{name} the others: {'no gap would be seen' if size != size else f'{size:.2f}'}")

# %%
# All occupations and metrics at once; gaps that would go unseen in grey.
display = br.displays.GroupForestDisplay.from_predictions(
    women["affair"],
    women["predicted"],
    groups=women["occupation"],
    pos_label="yes",
    metric="recall",
)

# %%
# The audit allows for all comparisons, and finds another gap, one that is no luck: teachers and
# nurses have fewer false alarms than the others.
audit = br.audit(
    women, target="affair", prediction="predicted", positive="yes", groups="occupation"
)
print(audit.render().split("\n\n")[0])
