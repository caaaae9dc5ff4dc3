"""A bound on work, counted in steps and not in seconds, so that every run and every machine stops at the same one."""

_CHARACTERS_A_STEP = 64


class BudgetError(Exception):
    """All steps are spent."""


class Budget:
    """Steps that remain; a step is about as much work as one operator on small operands."""

    __slots__ = ("limit", "remaining")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.remaining = limit

    def spend(self, steps: int = 1) -> None:
        """Raises ``BudgetError`` once more is spent than there was."""
        self.remaining -= steps
        if self.remaining < 0:
            raise BudgetError(f"more than {self.limit} steps")

    def spend_on_text(self, characters: int) -> None:
        """Pays for reading or writing this many characters."""
        self.spend(1 + characters // _CHARACTERS_A_STEP)
