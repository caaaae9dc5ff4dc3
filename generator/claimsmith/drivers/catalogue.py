"""Which drivers are known: the schemas that ship with claimsmith, and the user's own in their place."""

from collections.abc import Iterable, Mapping
from functools import cache

from claimsmith.documents.driver_schema import DriverSchema
from claimsmith.documents.load import load_file
from claimsmith.documents.packaged import schemas_folder
from claimsmith.drivers.view import DriverView


class Catalogue:
    """Driver schemas by name; a shipped schema is read when it is first asked for."""

    def __init__(self, own: Iterable[DriverSchema] = ()) -> None:
        self._schemas: dict[str, DriverSchema] = {schema.name: schema for schema in own}
        self._views: dict[tuple[str, str, tuple[tuple[str, bool], ...]], DriverView | None] = {}

    def names(self) -> list[str]:
        """Every driver known, sorted."""
        shipped = (path.stem for path in (schemas_folder() / "drivers").glob("*.yaml"))
        return sorted({*shipped, *self._schemas})

    def schema(self, name: str) -> DriverSchema | None:
        """The schema of a driver, or None; ``ValueError`` where a shipped one is broken."""
        return self._schemas.get(name) or shipped_schema(name)

    def view(self, name: str, release: str, gates: Mapping[str, bool]) -> DriverView | None:
        """A driver at a release, by version or alias, with its feature gates; None where there is none."""
        key = (name, release, tuple(sorted(gates.items())))
        if key not in self._views:
            schema = self.schema(name)
            self._views[key] = DriverView.of(schema, release, gates) if schema else None
        return self._views[key]


@cache
def shipped_schema(name: str) -> DriverSchema | None:
    """The schema that claimsmith ships for a driver, or None; ``ValueError`` where it is broken."""
    path = schemas_folder() / "drivers" / f"{name}.yaml"
    if "/" in name or not path.is_file():
        return None
    loaded = load_file(path.read_bytes(), path.name)
    found = next((each for each in loaded.documents if isinstance(each, DriverSchema)), None)
    if found is None:
        raise ValueError(f"the schema {path} is broken: {loaded.findings}")
    return found
