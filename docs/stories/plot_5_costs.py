"""
Two algorithms: the more accurate one earned less
=================================================

The story of Dyrland, Lundervold and Porta Mana (2022): a component is to be used or discarded. By
accuracy, F1 and Matthews correlation algorithm B did better in 100 cases.
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
# One hundred cases cannot tell which earns more, and deciding always the same earned more than
# both. Where did B do better? The map of all utilities, by the rates of these cases:
display = br.displays.UtilityMapDisplay({"A": a, "B": b}).plot()
