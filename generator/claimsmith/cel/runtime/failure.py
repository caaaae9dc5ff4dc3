"""The two ways in which an evaluation ends without a value."""

NO_OVERLOAD = "no such overload"


class Failure(Exception):  # noqa: N818  (CEL's own word for it would shadow the builtin)
    """A CEL error: `&&`, `||` and comprehensions may absorb it. `text` is cel-go's."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Aborted(Exception):  # noqa: N818
    """What no operator absorbs: the limit of cost, or a panic in Kubernetes' own code. `text` is cel-go's."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def over_budget() -> Aborted:
    return Aborted("operation cancelled: actual cost limit exceeded")
