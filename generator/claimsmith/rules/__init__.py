"""The rules, one module a family. Importing this package registers them all."""

import importlib
import pkgutil

from claimsmith.findings import all_rules, rule

__all__ = ["all_rules", "rule"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
