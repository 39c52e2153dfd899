"""Arrays by what they hold, as type checkers know them."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
