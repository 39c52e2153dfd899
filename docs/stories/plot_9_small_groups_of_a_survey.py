"""
A survey and its smallest group
===============================

Briscoe and others (2025) train a classifier on a census, and ask what it does for small groups. The
same steps, on data that statsmodels brings along: the RAND health insurance experiment. Who sees a
doctor four times a year or more?
"""

# %%
# Half of 20,190 person-years train a forest, the other half judge it. Groups are how healthy people
# say they are, which the forest is not told.
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from statsmodels.datasets import randhie

import baserate as br

people = randhie.load_pandas().data
states = [people[column] == 1 for column in ("hlthp", "hlthf", "hlthg")]
people["health"] = np.select(states, ["poor", "fair", "good"], "excellent")
features = ["lncoins", "idp", "lpi", "fmde", "physlm", "disea"]
train, test = train_test_split(people, test_size=0.5, random_state=0)
forest = RandomForestClassifier(
    100, min_samples_leaf=20, class_weight="balanced", random_state=0, n_jobs=1
).fit(train[features], train["mdvis"] >= 4)
test = test.assign(often=test["mdvis"] >= 4, called=forest.predict(test[features]))
groups = {
    name: br.confusion_matrix(part["often"], part["called"], pos_label=True)
    for name, part in test.groupby("health")
}
for name, table in groups.items():
    found = br.interval("recall", table)
    print(f"{name:9} {table.n:5} cases, {found}")

# %%
# Is the recall of the smallest group luck? MATCH, given its own positives:
rest = sum(table for name, table in groups.items() if name != "poor")
found = br.match_test("recall", groups["poor"], rest)
print(f"{found.value:.2f} against {found.reference_value:.2f}: p = {found.p_value:.2g}")

# %%
# It is not: who feels poorly is found more often. And it took a small group to see so large a gap.
# What would fewer cases of the largest group have shown? Drawn without replacement, all samples:
sizes = np.unique(np.geomspace(5, 2000, 25).round().astype(int))
display = br.displays.SmallSampleDisplay(
    groups["excellent"], metric="recall", replace=False, sizes=sizes
).plot()

# %%
# And would smoothing toward the other groups have brought 50 cases closer to the whole group?
asked = ["recall", "predicted_positive_rate"]
errors = br.groups.downsample(groups, asked, sizes=[20, 50, 100], strengths=[10])
for row in errors.rows:
    if row["estimator"] == "strength=10" and row["n"] == 50:
        print("{group:9} {metric:23} squared error {ratio:.2f} of the raw one".format(**row))

# %%
# It does, where a group is like the others. Where it is not, smoothing does harm:
for worse in errors.worse("strength=10"):
    print(f"{worse.metric} of {worse.group} with {worse.sizes}: {worse.worst:.2f} times the error")
