"""Let ``python -m baserate`` be ``baserate``, whatever the shell finds first."""

import sys

from baserate.cli import main

sys.exit(main())
