"""The repository's values templates: each file is read once a run and rendered for each workload that names it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from claimsmith.compiler.resolve import ResolvedProfile
from claimsmith.documents.team_profile import Workload
from claimsmith.findings import Finding, Position
from claimsmith.workflow.repository import TEMPLATES, path_problem, resolve_path

if TYPE_CHECKING:
    from claimsmith.delivery.values_template import ValuesTemplate

OwnValues = dict[tuple[str, str], dict[str, object]]
"""Rendered values by team and name of the settings."""

_MAX_BYTES = 65_536


class Templates:
    """The templates of a repository; what is wrong with one itself is said once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._compiled: dict[str, ValuesTemplate | None] = {}

    def values(self, resolved: ResolvedProfile, findings: list[Finding]) -> OwnValues:
        """The values of the workloads that have a template; what is wrong is added to the findings.

        Nothing where a claim of the profile could not be made sense of.
        """
        own: OwnValues = {}
        wanted = [each for each in resolved.profile.workloads if each.values is not None]
        if not wanted or len(resolved.claims) < len(resolved.profile.claims):
            return own
        from claimsmith.delivery.template_model import left_out, models
        from claimsmith.delivery.values_template import render

        cluster = resolved.context.name
        usable = {each.name: template for each in wanted if (template := self._template(resolved, each, findings))}
        for settings, model in models(resolved):
            template = usable.get(settings.workload.name)
            if template is None:
                continue
            values, problems = render(template, model)
            if values is not None:
                own[resolved.profile.name, settings.name] = values
                problems += left_out(settings, values)
            findings += [each.on(cluster) for each in problems]
        return own

    def _template(
        self, resolved: ResolvedProfile, workload: Workload, findings: list[Finding]
    ) -> "ValuesTemplate | None":
        assert workload.values is not None
        text = workload.values.template
        if path_problem(self._root, resolved.profile.file, text, folder=TEMPLATES):
            return None
        path = resolve_path(self._root, resolved.profile.file, text, folder=TEMPLATES)
        file = Path(os.path.normpath(path)).relative_to(os.path.normpath(self._root)).as_posix()
        if file not in self._compiled:
            self._compiled[file], problems = self._compile(path, file)
            findings += problems
        return self._compiled[file]

    def _compile(self, path: Path, file: str) -> "tuple[ValuesTemplate | None, list[Finding]]":
        from claimsmith.delivery.template_model import VARIABLES
        from claimsmith.delivery.values_template import compile_template

        if not path.is_file():
            return None, [Finding("CS730", Position(file), {"problem": "it is no file"})]
        try:
            with path.open("rb") as stream:
                data = stream.read(_MAX_BYTES + 1)
            if len(data) > _MAX_BYTES:
                return None, [Finding("CS730", Position(file), {"problem": "it is larger than 64 KiB"})]
            return compile_template(data.decode("utf-8-sig"), file, VARIABLES)
        except UnicodeDecodeError:
            return None, [Finding("CS730", Position(file), {"problem": "it is not UTF-8"})]
        except OSError as error:
            problem = (error.strerror or str(error)).lower()
            return None, [Finding("CS730", Position(file), {"problem": problem})]
