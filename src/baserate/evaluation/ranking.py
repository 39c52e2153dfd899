"""How well a score ranks and how well it is calibrated, each beside what chance would have."""

from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np

from baserate.curves import Sweep, ranking as measures
from baserate.errors import BaserateError
from baserate.facts import RankingFact
