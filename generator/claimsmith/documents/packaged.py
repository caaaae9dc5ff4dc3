"""Where the schemas that ship with claimsmith are: inside an installed wheel, or beside the checkout."""

from functools import cache
from pathlib import Path

import claimsmith


@cache
def schemas_folder() -> Path:
    """The folder ``schemas/``; ``FileNotFoundError`` where the installation is broken."""
    package = Path(claimsmith.__file__).resolve().parent
    for folder in (package / "schemas", package.parent.parent / "schemas"):
        if (folder / "documents").is_dir():
            return folder
    raise FileNotFoundError("claimsmith's schemas are missing from this installation")
