"""The files of a new repository, from the templates of the folder ``scaffold/`` beside this module.

The templates are Jinja with ``[[ … ]]``, since ``{{ … }}`` belongs to what some of them are written for. In
their paths ``dot-`` at the start of a name stands for ``.``, so that no tool takes a template for its own
configuration, and ``__cluster__`` for the cluster's name.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import claimsmith
from claimsmith.delivery import gitops
from claimsmith.delivery.output_disk import STAGE
from claimsmith.documents.packaged import schemas_folder
from claimsmith.documents.yaml_writer import write

_FOLDER = Path(__file__).parent / "scaffold"
_SCHEMAS = ".claimsmith/schemas"


@cache
def _environment() -> Any:
    import jinja2

    return jinja2.Environment(
        variable_start_string="[[",
        variable_end_string="]]",
        block_start_string="[%",
        block_end_string="%]",
        comment_start_string="[#",
        comment_end_string="#]",
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )


def base() -> dict[str, bytes]:
    """What every repository gets, by path: folders with a page each, hooks, CI, editor settings and schemas."""
    files = dict(_rendered("base", version=claimsmith.__version__, stage=f"output/{STAGE}"))
    for schema in sorted((schemas_folder() / "documents").glob("*.json")):
        files[f"{_SCHEMAS}/{schema.name}"] = schema.read_bytes()
    return files


def example(cluster: str, today: str) -> dict[str, bytes]:
    """A cluster, a team and its evidence, dated ``today`` (``YYYY-MM-DD``): nothing to complain about."""
    return dict(_rendered("example", cluster=cluster, today=today))


def gitops_file(tool: str, cluster: str, file: gitops.File) -> bytes:
    """A file for Argo CD or Flux, with the comment that explains it."""
    comment = _render(f"comments/{tool}/{file.comment}.txt", cluster=cluster, team=file.team)
    return write(file.objects, header=comment)


def _rendered(folder: str, **values: str) -> Iterator[tuple[str, bytes]]:
    root = _FOLDER / folder
    for path in sorted(root.rglob("*")):
        if path.is_file():
            name = _target(path.relative_to(root), values)
            yield name, _render(path.relative_to(_FOLDER).as_posix(), **values).encode()


def _target(path: Path, values: Mapping[str, str]) -> str:
    parts = [f".{part.removeprefix('dot-')}" if part.startswith("dot-") else part for part in path.parts]
    return "/".join(parts).replace("__cluster__", values.get("cluster", ""))


def _render(template: str, **values: str) -> str:
    source = (_FOLDER / template).read_text(encoding="utf-8")
    return str(_environment().from_string(source).render(values))
