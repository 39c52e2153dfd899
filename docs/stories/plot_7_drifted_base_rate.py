"""
Tested on a balanced sample, used where one in a hundred is ill
===============================================================

The breast masses come from a clinic: 37% are malignant. In a screening programme it is one in a
hundred.
"""

# %%
import pandas as pd

import baserate as br

tumours = pd.read_csv("examples/breast_cancer.csv")
table = br.confusion_matrix(tumours["diagnosis"], tumours["predicted"], pos_label="malignant")
for rate in (0.37, 0.1, 0.01):
    found = br.interval(br.metrics.precision.at_base_rate(rate), table)
    low, high = found.low, found.high
    print(f"base rate {rate:4}: {found.value:.2f} of alarms are right ({low:.2f} to {high:.2f})")

# %%
# The classifier has not changed; the population has.
rates = [0.003, 0.01, 0.03, 0.1, 0.3, 0.5]
display = br.displays.BaseRateDisplay(table, metric="precision", base_rates=rates).plot()

# %%
# Its probabilities are wrong there too, and can be moved:
moved = br.shift_base_rate(tumours["score"].to_numpy(), source=0.37, target=0.01)
print(f"a risk of 0.50 becomes {br.shift_base_rate(0.5, source=0.37, target=0.01):.3f}")
