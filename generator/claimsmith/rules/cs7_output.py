"""CS701 to CS709: the output directory against what the profiles make."""

from claimsmith.findings import Consequence, Rule, Severity, register

_COMPILE = "run `claimsmith compile` and commit the result"


@register
class MissingOutput(Rule):
    id = "CS701"
    name = "missing-output"
    severity = Severity.ERROR
    consequence = Consequence.DRIFT
    message = "the profiles make {file}, but it is not in the output"
    help = _COMPILE
    why = (
        "Argo CD and Flux sync what is committed in the output directory, not the profiles. A file that was "
        "never compiled does not reach the cluster."
    )


@register
class StaleOutput(Rule):
    id = "CS702"
    name = "stale-output"
    severity = Severity.ERROR
    consequence = Consequence.DRIFT
    message = "{file} {state}"
    help = f"change the profile, not the output; then {_COMPILE}"
    why = (
        "The cluster gets what is committed, so the review of a profile means nothing while the output says "
        "something else. An edit of the output is lost with the next compile."
    )


@register
class OrphanedOutput(Rule):
    id = "CS703"
    name = "orphaned-output"
    severity = Severity.ERROR
    consequence = Consequence.DRIFT
    message = "no profile makes {file} any more"
    help = f"{_COMPILE}; it removes the file. To keep the file, drop its first line and its entry in the lock"
    why = "A file that stays in the output stays on the cluster, after the profile that asked for it is gone."


@register
class ForeignOutput(Rule):
    id = "CS704"
    name = "foreign-output"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "a {kind} that claimsmith did not make stands at {file}, where the output goes; nothing is written"
    help = "move it out of the output directory, or delete it"
    why = (
        "claimsmith never overwrites what it did not make. It knows its own files by the lock of their "
        "folder and by their first line."
    )


@register
class LinkedOutput(Rule):
    id = "CS705"
    name = "linked-output"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "a symbolic link stands at {file}, where the output goes; nothing is written"
    help = "replace the link by a plain file or directory, or delete it"
    why = "Writing through a link would change files outside the output directory, or one cluster's through another's."


@register
class UnfinishedOutput(Rule):
    id = "CS706"
    name = "unfinished-output"
    severity = Severity.ERROR
    consequence = Consequence.DRIFT
    message = "a compile of {directory} was stopped before its end; the output may be part old, part new"
    help = f"{_COMPILE}; it finishes or undoes the one that was stopped"
    why = (
        "A compile stages every file and then moves them into place. Stopped in between, it leaves a stage "
        "from which the next one makes the output whole; until then nothing in it should be committed."
    )


@register
class MixedOutput(Rule):
    id = "CS707"
    name = "mixed-output"
    severity = Severity.ERROR
    consequence = Consequence.DRIFT
    message = "{file} does not match its folder: {files}"
    help = _COMPILE
    why = (
        "The lock has the digest of every file of its folder, all from one compile. Where they differ, the "
        "folder mixes two compiles, as after an edit, a partial checkout or a merge that took each file "
        "from another side."
    )
