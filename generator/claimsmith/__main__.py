"""``python -m claimsmith``."""

from claimsmith.cli import main

main()
