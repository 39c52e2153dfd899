"""What a group of this size can show: the power of the match test, and the sizes that it needs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, isnan, nan
from typing import Any

import numpy as np

from baserate._checks import number_in, one_of, whole_number
from baserate._windows import DEEP, Array, binomial
from baserate.counts import CELLS, ConfusionMatrix, cells_from_rates
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups._null import (
    ALL,
    NEGATIVES,
    POSITIVES,
    Cells,
    Condition,
    Law,
    Null,
    condition_of,
    count,
    name_of,
    sides,
)
from baserate.groups._tables import Tables, full, tails_of
from baserate.groups.match import Alternative, no_law, p_value
from baserate.metrics import Metric, get
from baserate.models import Multinomial

# p-values summed in different orders differ in their last digits.
_SAME = 1 + 1e-9
_STEPS = 40  # halvings of a share: 1e-12
_GRID = 64
_LARGEST_GROUP = 100_000
