"""`python -m hub_index` is the command `hub-index`."""

import sys

from hub_index.cli.main import main

sys.exit(main())
