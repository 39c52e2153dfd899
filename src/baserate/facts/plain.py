"""Values that JSON can hold."""

import math
from typing import Any

import numpy as np


def json_ready(value: Any) -> Any:
    """Return a value that JSON can hold: nan and infinities become None, NumPy numbers plain."""
    if hasattr(value, "dtype"):
        return json_ready(np.asarray(value).tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float) else str(value)
