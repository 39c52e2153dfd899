"""
A group of seven with a recall of 1.00
======================================

Who is best served? The group with the highest value is often a small one: values of few cases
scatter most.
"""

# %%
import baserate as br

tables = {
    "north": br.ConfusionMatrix(tp=310, fn=90, fp=80, tn=520),
    "south": br.ConfusionMatrix(tp=150, fn=50, fp=45, tn=255),
    "island": br.ConfusionMatrix(tp=3, fn=0, fp=1, tn=3),
}
for name, table in tables.items():
    found = br.interval("recall", table)
    print(f"{name:7} {found.value:.2f} ({found.low:.2f} to {found.high:.2f})")

# %%
# Three of three. With three positives, what would one see if the recall were that of the others?
rest = tables["north"] + tables["south"]
display = br.displays.SmallSampleDisplay(
    {"island": tables["island"]}, reference=rest, metric="recall", sizes=range(5, 101)
).plot()

# %%
# Borrow strength: add ten pseudo-cases that are distributed like the rest. The island still leads,
# by less than half as much, and its seven cases cannot tell whether it does at all:
for name, table in tables.items():
    others = sum(other for each, other in tables.items() if each != name)
    print(f"{name:7} {br.smooth(table, others, strength=10).value('recall'):.2f}")
