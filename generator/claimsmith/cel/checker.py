"""Types of an expanded tree, by cel-go's rules (checker/checker.go of 0.26 and 0.29)."""

from collections.abc import Mapping
from dataclasses import dataclass

from claimsmith.cel import types
from claimsmith.cel.ast import Call, Comprehension, Expr, Ident, ListExpr, Literal, MapExpr, Select
from claimsmith.cel.environment import LOADABLE_TYPES, Environment, Overload
from claimsmith.cel.errors import Problem
from claimsmith.cel.types import Bindings, Type

_LITERALS = {
    "bool": types.BOOL,
    "int": types.INT,
    "uint": types.UINT,
    "double": types.DOUBLE,
    "string": types.STRING,
    "bytes": types.BYTES,
    "null_type": types.NULL,
}
_MAX_RESOLVED = 20_000


@dataclass(frozen=True, slots=True)
class Reference:
    """What a name or call means.

    For an `Ident` or `Select`: `name` is the variable, type or constant (`overloads` empty); a leading dot then means
    the global one where a local has the same name. For a `Call`: `name` is the function, qualified when the
    target of the call is only a part of its name (`qualified`), and `overloads` are those that fit, in order.
    """

    name: str
    overloads: tuple[str, ...] = ()
    qualified: bool = False


@dataclass(frozen=True, slots=True)
class Typed:
    """Types and references by node id, errors, and the nodes whose literals the API server checks further.

    `aggregates` are the list and map literals that must be homogeneous, `literal_calls` calls that convert
    or match, `unloadable` names of types that are no values at run time.
    """

    types: Mapping[int, Type]
    references: Mapping[int, Reference]
    problems: tuple[Problem, ...]
    aggregates: tuple[ListExpr | MapExpr, ...]
    literal_calls: tuple[Call, ...]
    unloadable: tuple[Expr, ...]


def infer(tree: Expr, environment: Environment) -> Typed:
    """Types a tree; with errors, as many as cel-go finds. The caller makes room for deep trees."""
    checker = _Checker(environment)
    checker.check(tree)
    bindings = checker.bindings
    kinds = {node: bindings.resolve(kind, True) if kind.free else kind for node, kind in checker.kinds.items()}
    return Typed(
        kinds,
        checker.references,
        tuple(checker.problems),
        tuple(checker.aggregates),
        tuple(checker.literal_calls),
        tuple(checker.unloadable),
    )


_LITERAL_FUNCTIONS = frozenset(
    (
        "bool",
        "bytes",
        "double",
        "duration",
        "dyn",
        "int",
        "string",
        "timestamp",
        "type",
        "uint",
        "matches",
        "find",
        "findAll",
        "format",
    )
)


class _Checker:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.bindings = Bindings()
        self.kinds: dict[int, Type] = {}
        self.references: dict[int, Reference] = {}
        self.problems: list[Problem] = []
        self.aggregates: list[ListExpr | MapExpr] = []
        self.literal_calls: list[Call] = []
        self.unloadable: list[Expr] = []
        self.locals: dict[str, list[Type]] = {}
        self.variables = 0
        self.formatting = 0  # calls of format around the node

    def check(self, node: Expr) -> Type:
        known = self.kinds.get(node.id)
        if known is not None:
            return known
        match node:
            case Literal():
                kind = _LITERALS[node.kind]
            case Ident():
                kind = self.ident(node)
            case Select():
                kind = self.select(node)
            case Call():
                kind = self.call(node)
            case ListExpr():
                kind = self.list_literal(node)
            case MapExpr():
                kind = self.map_literal(node) if node.message is None else self.message(node, node.message)
            case Comprehension():
                kind = self.comprehension(node)
        self.kinds[node.id] = kind
        return kind

    def problem(self, node: Expr, message: str) -> None:
        self.problems.append(Problem(message, node.at, node.start, node.end))

    def fresh(self) -> Type:
        self.variables += 1
        return types.variable(self.variables - 1)

    # Names

    def ident(self, node: Ident) -> Type:
        name = node.name
        found = self.simple_name(name)
        if found is None:
            self.problem(node, f"undeclared reference to '{name}' (in container '')")
            return types.ERROR
        return self.named(node, *found)

    def named(self, node: Ident | Select, kind: Type, reference: str) -> Type:
        self.references[node.id] = Reference(reference)
        if kind.kind == "type" and reference not in LOADABLE_TYPES:
            self.unloadable.append(node)
        return kind

    def simple_name(self, name: str) -> tuple[Type, str] | None:
        rooted = name.startswith(".")
        bare = name[1:] if rooted else name
        local = self.locals.get(bare)
        if local and (not rooted or not self.environment.modern):
            return local[-1], bare
        kind = self.environment.names.get(bare)
        if kind is None:
            return None
        return kind, "." + bare if local else bare

    def qualified_name(self, node: Select) -> tuple[Type, str] | None:
        """The variable, type or constant that a chain of fields names as a whole."""
        parts: list[str] = []
        current: Expr = node
        while isinstance(current, Select):
            if current.presence:
                return None
            parts.append(current.field)
            current = current.operand
        if not isinstance(current, Ident):
            return None
        rooted = current.name.startswith(".")
        first = current.name[1:] if rooted else current.name
        local = self.locals.get(first)
        if local and not rooted and self.environment.modern:
            return None
        name = ".".join((first, *reversed(parts)))
        kind = self.environment.names.get(name)
        if kind is None:
            return None
        return kind, "." + name if local and self.environment.modern else name

    # Fields

    def select(self, node: Select) -> Type:
        if not node.presence and not (isinstance(node.operand, Ident) and node.operand.name == "device"):
            found = self.qualified_name(node)
            if found is not None:
                return self.named(node, *found)
        kind = self.field(node, node.operand, node.field, optional=False)
        return types.BOOL if node.presence else self.bindings.resolve(kind)

    def field(self, node: Expr, operand: Expr, name: str, *, optional: bool) -> Type:
        target, was_optional = types.unwrap_optional(self.bindings.resolve(self.check(operand)))
        kind = types.ERROR
        if target.kind == "map":
            kind = target.parameters[1]
        elif target.kind == "struct":
            kind = self.struct_field(node, target.name, name) or types.ERROR
        elif target.kind == "param":
            self.bindings.assignable(types.DYN, target)
            kind = types.DYN
        else:
            if target.kind not in ("dyn", "any", "error"):
                self.problem(node, f"type '{target.shown}' does not support field selection")
            kind = types.DYN
        return types.optional_of(kind) if was_optional or optional else kind

    def struct_field(self, node: Expr, struct: str, name: str) -> Type | None:
        fields = self.environment.structs.get(struct)
        if fields is None:
            self.problem(node, f"unexpected failed resolution of '{struct}'")
            return None
        kind = fields.get(name)
        if kind is None:
            self.problem(node, f"undefined field '{name}'")
        return kind

    # Calls

    def call(self, node: Call) -> Type:
        function = node.function
        if function == "_?._":
            operand, field = node.arguments
            kind = self.field(node, operand, _text(field), optional=True)
            self.kinds[field.id] = types.STRING
            self.references[node.id] = Reference(function, ("select_optional_field",))
            return self.bindings.resolve(kind)
        if function == "format" and node.target is not None:
            self.formatting += 1
            kind = self.plain_call(node, function)
            self.formatting -= 1
            return kind
        return self.plain_call(node, function)

    def plain_call(self, node: Call, function: str) -> Type:
        arguments = tuple([self.check(argument) for argument in node.arguments])
        functions = self.environment.functions
        target = node.target
        if target is None:
            name = function.removeprefix(".")
            overloads = functions.get(name)
            if overloads is None:
                return self.undeclared(node, function)
            return self.resolve(node, name, overloads, arguments, member=False, qualified=False)
        prefix = _dotted(target)
        if prefix is not None:
            name = f"{prefix.removeprefix('.')}.{function}"
            overloads = functions.get(name)
            if overloads is not None:
                return self.resolve(node, name, overloads, arguments, member=False, qualified=True)
        arguments = (self.check(target), *arguments)
        overloads = functions.get(function)
        if overloads is None:
            return self.undeclared(node, function)
        return self.resolve(node, function, overloads, arguments, member=True, qualified=False)

    def undeclared(self, node: Call, name: str) -> Type:
        self.problem(node, f"undeclared reference to '{name}' (in container '')")
        return types.ERROR

    def resolve(
        self,
        node: Call,
        name: str,
        overloads: tuple[Overload, ...],
        arguments: tuple[Type, ...],
        *,
        member: bool,
        qualified: bool,
    ) -> Type:
        if name in _LITERAL_FUNCTIONS:
            self.literal_calls.append(node)
        if name == "_&&_" or name == "_||_":
            return self.logic(node, name, overloads, arguments)
        key = (name, member, arguments)
        known = self.environment.resolved.get(key)
        if known is not None:
            result, fitting, used = known
            self.variables += used
        else:
            before = self.variables
            result, fitting = self.match(overloads, arguments, member)
            used = self.variables - before
            if not (result is not None and result.free) and not any(kind.free for kind in arguments):
                if len(self.environment.resolved) >= _MAX_RESOLVED:
                    self.environment.resolved.clear()
                self.environment.resolved[key] = (result, fitting, used)
        if result is None:
            shown = [self.bindings.resolve(kind, True).shown for kind in arguments]
            signature = f"{shown[0]}.({', '.join(shown[1:])})" if member else f"({', '.join(shown)})"
            self.problem(node, f"found no matching overload for '{name}' applied to '{signature}'")
            return types.ERROR
        self.references[node.id] = Reference(name, fitting, qualified)
        return result

    def logic(self, node: Call, name: str, overloads: tuple[Overload, ...], arguments: tuple[Type, ...]) -> Type:
        wrong = False
        for argument, kind in zip(node.arguments, arguments, strict=True):
            if kind is not types.BOOL and not self.bindings.assignable(kind, types.BOOL):
                self.problem(argument, f"expected type 'bool' but found '{kind.shown}'")
                wrong = True
        if wrong:
            return types.ERROR
        self.references[node.id] = Reference(name, (overloads[0].id,))
        return types.BOOL

    def match(
        self, overloads: tuple[Overload, ...], arguments: tuple[Type, ...], member: bool
    ) -> tuple[Type | None, tuple[str, ...]]:
        """The result type, None if no overload fits, and the overloads that do."""
        result: Type | None = None
        fitting: list[str] = []
        for overload in overloads:
            if overload.member != member:
                continue
            wanted, returned = overload.arguments, overload.result
            if overload.variables:
                fresh = {name: self.fresh() for name in overload.variables}
                wanted = tuple(_instantiate(kind, fresh) for kind in wanted)
                returned = _instantiate(returned, fresh)
            if self.bindings.all_assignable(arguments, wanted):
                fitting.append(overload.id)
                returned = self.bindings.resolve(returned)
                if result is None:
                    result = returned
                elif not types.is_dyn(result) and not types.alike(returned, result):
                    result = types.DYN
        return result, tuple(fitting)

    # Literals

    def list_literal(self, node: ListExpr) -> Type:
        kind: Type | None = None
        for index, element in enumerate(node.elements):
            found = self.check(element)
            if index in node.optional:
                found = self.optional_part(element, found)
            kind = self.join(kind, found)
        if not self.formatting:
            self.aggregates.append(node)
        return types.list_of(self.fresh() if kind is None else kind)

    def map_literal(self, node: MapExpr) -> Type:
        key_kind: Type | None = None
        value_kind: Type | None = None
        for entry in node.entries:
            key_kind = self.join(key_kind, self.check(entry.key))
            found = self.check(entry.value)
            if entry.optional:
                found = self.optional_part(entry.value, found)
            value_kind = self.join(value_kind, found)
        if not self.formatting:
            self.aggregates.append(node)
        if key_kind is None or value_kind is None:
            return types.map_of(self.fresh(), self.fresh())
        return types.map_of(key_kind, value_kind)

    def optional_part(self, node: Expr, kind: Type) -> Type:
        inner, optional = types.unwrap_optional(kind)
        if not optional and not types.is_dyn(inner):
            self.problem(node, f"expected type '{types.optional_of(inner).shown}' but found '{inner.shown}'")
        return inner

    def join(self, previous: Type | None, current: Type) -> Type:
        """The type of elements; a mixture is dyn here, and refused later if it stays one."""
        if previous is None or previous is current:
            return current
        if self.bindings.assignable(previous, current):
            return types.wider(previous, current)
        return types.DYN

    def message(self, node: MapExpr, written: str) -> Type:
        name = written.removeprefix(".")
        known = self.environment.names.get(name)
        if known is None or (known.kind != "type" and self.environment.modern):
            self.problem(node, f"undeclared reference to '{written}' (in container '')")
            for entry in node.entries:
                self.skipped(entry.key)
            return types.ERROR
        kind = types.ERROR
        struct: str | None = None
        if known.kind != "type":
            self.problem(node, f"'{known.text}' is not a type")
        else:
            kind = known.parameters[0] if known.parameters else known
            # Before 1.37 `list` is the name of a list of anything in particular, which is no message.
            struct = None if name == "list" and not self.environment.modern else _message_name(kind)
            if struct is None:
                self.problem(node, f"'{kind.name}' is not a message type")
                kind = types.ERROR
        self.references[node.id] = Reference(name)
        for entry in node.entries:
            self.skipped(entry.key)
            name_of = _text(entry.key)
            found = self.check(entry.value)
            wanted = self.message_field(entry.at, name_of, struct or name) or types.ERROR
            if entry.optional:
                found = self.optional_part(entry.value, found)
            if not self.bindings.assignable(wanted, found):
                text = f"expected type of field '{name_of}' is '{wanted.shown}' but provided type is '{found.shown}'"
                self.problems.append(Problem(text, entry.at, entry.key.start, entry.value.end))
        return kind

    def skipped(self, key: Expr) -> None:
        self.kinds[key.id] = types.STRING

    def message_field(self, at: int, name: str, struct: str) -> Type | None:
        fields = self.environment.structs.get(struct)
        if fields is None:
            self.problems.append(Problem(f"unexpected failed resolution of '{struct}'", at, at, at + 1))
            return None
        kind = fields.get(name)
        if kind is None:
            self.problems.append(Problem(f"undefined field '{name}'", at, at, at + 1))
        return kind

    # Loops

    def comprehension(self, node: Comprehension) -> Type:
        source = self.check(node.source)
        initial = self.check(node.initial)
        source = self.bindings.resolve(source)
        first, second = self.elements(node, source)
        self.enter(node.accumulator, initial)
        self.enter(node.variable, first)
        if node.variable2:
            self.enter(node.variable2, second)
        self.expect(node.condition, types.BOOL)
        self.expect(node.step, initial)
        if node.variable2:
            self.leave(node.variable2)
        self.leave(node.variable)
        result = self.check(node.result)
        self.leave(node.accumulator)
        return self.bindings.resolve(result)

    def elements(self, node: Comprehension, source: Type) -> tuple[Type, Type]:
        """The types of the two variables; the second counts only where there are two."""
        if source.kind == "list":
            return (types.INT, source.parameters[0]) if node.variable2 else (source.parameters[0], types.DYN)
        if source.kind == "map":
            return source.parameters[0], source.parameters[1]
        if source.kind in ("dyn", "error", "param"):
            self.bindings.assignable(types.DYN, source)
            return types.DYN, types.DYN
        self.problem(
            node.source,
            f"expression of type '{source.shown}' cannot be range of a comprehension (must be list, map, or dynamic)",
        )
        return types.ERROR, types.ERROR

    def expect(self, node: Expr, wanted: Type) -> None:
        found = self.check(node)
        if not self.bindings.assignable(wanted, found):
            self.problem(node, f"expected type '{wanted.shown}' but found '{found.shown}'")

    def enter(self, name: str, kind: Type) -> None:
        self.locals.setdefault(name, []).append(kind)

    def leave(self, name: str) -> None:
        self.locals[name].pop()


_WELL_KNOWN = {
    "any": "google.protobuf.Any",
    "dyn": "google.protobuf.Value",
    "null": "google.protobuf.NullValue",
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
}
_WRAPPERS = {
    "bool": "google.protobuf.BoolValue",
    "bytes": "google.protobuf.BytesValue",
    "double": "google.protobuf.DoubleValue",
    "int": "google.protobuf.Int64Value",
    "string": "google.protobuf.StringValue",
    "uint": "google.protobuf.UInt64Value",
}


def _message_name(kind: Type) -> str | None:
    """The message that a type is built as; None for one that cannot be."""
    if kind.kind == "struct":
        return kind.name
    if kind.kind == "list":
        return "google.protobuf.ListValue" if kind.parameters[0] is types.DYN else None
    if kind.kind == "map":
        return "google.protobuf.Struct" if kind.parameters == (types.STRING, types.DYN) else None
    return _WRAPPERS.get(kind.kind) if kind.nullable else _WELL_KNOWN.get(kind.kind)


def _text(node: Expr) -> str:
    """The value of a string literal."""
    assert isinstance(node, Literal)
    assert isinstance(node.value, str)
    return node.value


def _dotted(node: Expr) -> str | None:
    """`a.b.c` as one name, where the node is no more than that."""
    parts: list[str] = []
    while isinstance(node, Select):
        if node.presence:
            return None
        parts.append(node.field)
        node = node.operand
    if not isinstance(node, Ident):
        return None
    return ".".join((node.name, *reversed(parts))) if parts else node.name


def _instantiate(kind: Type, fresh: Mapping[str, Type]) -> Type:
    """With fresh type variables in the place of the parameters of a signature, by name."""
    if not kind.free:
        return kind
    if kind.kind == "param":
        return fresh[kind.name]
    return types.make(kind.kind, kind.name, tuple(_instantiate(part, fresh) for part in kind.parameters))
