"""Outputs to write in tests, and what a directory holds."""

from collections.abc import Mapping
from pathlib import Path

from claimsmith.delivery.output_tree import HEADER, LOCK_NAME, lock

FOREIGN = {"prod-eu/teams/vision/README.md": b"by hand\n", "NOTES": b"by hand\n", "prod-eu/.keep": b""}
"""Files of somebody else, in directories that are also ours."""


def yaml(text: str) -> bytes:
    return f"{HEADER}\n{text}\n".encode()


def locked_folder(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{name}": content for name, content in {**files, LOCK_NAME: lock(files, {})}.items()}


def cluster(name: str, text: str, *teams: str) -> dict[str, bytes]:
    files = {f"{name}/kustomization.yaml": yaml(" ".join(teams))}
    files |= locked_folder(f"{name}/platform", {"deviceclasses.yaml": yaml(text)})
    for team in teams:
        files |= locked_folder(
            f"{name}/teams/{team}",
            {
                "kustomization.yaml": yaml(team),
                "resourceclaimtemplates.yaml": yaml(f"{team} {text}"),
                "values/trainer.txt": f"no header {text}\n".encode(),
            },
        )
    return files


BEFORE = cluster("prod-eu", "one", "vision", "nlp") | cluster("old", "one")
AFTER = cluster("prod-eu", "two", "vision", "speech") | cluster("new", "one", "vision")


def put(root: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def contents(root: Path) -> dict[str, bytes]:
    """Every file under ``root``, hidden ones and a stage too."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def folders(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_dir()}
