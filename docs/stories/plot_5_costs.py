"""
Two algorithms: the better one earns less
=========================================

The story of Dyrland, Lundervold and Porta Mana (2022): a component is to be used or discarded. By
accuracy, F1 and Matthews correlation algorithm B is better.
"""

# %%
import baserate as br

a = br.ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
b = br.ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
for name in ("accuracy", "f1", "mcc"):
    metric = br.metrics.get(name)
    print(f"{name:8} A {metric(a):.2f}  B {metric(b):.2f}")

# %%
# What decisions are worth, in dollars: rows are decisions, columns what is true.
worth = br.UtilityMatrix([[15, -335], [-35, 165]])
print(br.compare({"A": a, "B": b}, utility=worth).render().split("\n\n")[0])

# %%
# Where would B be worth more? The map of all utilities:
display = br.displays.UtilityMapDisplay({"A": a, "B": b}).plot()
