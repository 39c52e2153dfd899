"""Let ``python -m baserate.cli`` be ``baserate``."""

import sys

from baserate.cli import main

sys.exit(main())
