"""cel-python's syntax trees, without the many nodes that only hand on their one child."""

from collections.abc import Iterator

from lark import Token, Tree

_LEVELS = frozenset(
    ("expr", "conditionalor", "conditionaland", "relation", "addition", "multiplication", "unary", "member")
)
Node = Tree[Token]


def bare(tree: Node) -> Node:
    """The first node below this one, or itself, that means something."""
    while len(tree.children) == 1:
        child = tree.children[0]
        if not isinstance(child, Tree):
            return tree
        if tree.data in _LEVELS or (tree.data == "primary" and child.data == "paren_expr") or tree.data == "paren_expr":
            tree = child
        else:
            return tree
    return tree


def identifier(tree: Node) -> Token | None:
    """The token of an expression that is one plain name."""
    tree = bare(tree)
    if tree.data != "primary":
        return None
    child = tree.children[0]
    if isinstance(child, Tree) and child.data == "ident":
        return token(child, 0)
    return None


def token(tree: Node, index: int) -> Token:
    """A child that is a token."""
    child = tree.children[index]
    assert isinstance(child, Token)
    return child


def branch(tree: Node, index: int) -> Node:
    """A child that is a tree."""
    child = tree.children[index]
    assert isinstance(child, Tree)
    return child


def branches(tree: Node) -> list[Node]:
    """The children that are trees."""
    return [child for child in tree.children if isinstance(child, Tree)]


def arguments(call: Node) -> list[Node]:
    """The arguments of a call or a macro."""
    last = call.children[-1]
    return branches(last) if isinstance(last, Tree) and last.data == "exprlist" else []


def leaves(tree: Node) -> Iterator[Token]:
    """The tokens of a tree, however deep, in the order of the text."""
    waiting: list[Node | Token] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Tree):
            waiting.extend(reversed(node.children))
        else:
            yield node


def span(tree: Node | Token) -> tuple[int, int]:
    """Where a node stands in the text."""
    if isinstance(tree, Token):
        start = tree.start_pos or 0
        return start, tree.end_pos or start + len(tree)
    places = [(each.start_pos, each.end_pos) for each in leaves(tree)]
    places.append((getattr(tree.meta, "start_pos", None), getattr(tree.meta, "end_pos", None)))
    starts = [start for start, _ in places if start is not None]
    ends = [end for _, end in places if end is not None]
    return min(starts, default=0), max(ends, default=0)
