"""``claimsmith cel``: device selectors, JSON Lines in, JSON Lines out."""

import json
import sys
from typing import Any

import click

from claimsmith.cel.check import Checked, check
from claimsmith.cel.environment import Environment, environment_of
from claimsmith.cli import cel_eval
from claimsmith.cli.common import Failure
from claimsmith.kubernetes.minors import MINORS, NEWEST
from claimsmith.kubernetes.target import resolve_target


@click.group("cel")
def command() -> None:
    """Check and evaluate device selectors, for other tools: JSON Lines in, JSON Lines out."""


command.add_command(cel_eval.command)


@command.command("check")
@click.option(
    "--kubernetes", type=click.Choice([str(minor) for minor in MINORS]), default=str(NEWEST), show_default=True
)
@click.option(
    "--feature-gates",
    default="",
    metavar="NAME=true,…",
    help="Gates that differ from the minor's defaults. DRAConsumableCapacity counts as on unless it is named.",
)
def check_command(kubernetes: str, feature_gates: str) -> None:
    """Check selectors as the API server does for a new object.

    Reads {"id", "expression"} a line from standard input and writes a line for each, in order: {"id", "accepted",
    "message", "line", "column", "type", "cost"}, null where there is none. Type and cost are there also when the cost
    alone refuses the selector. A line that is no such object ends the command with status 2.
    """
    environment = _environment(kubernetes, feature_gates)
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip():
            identifier, expression = _question(line, number)
            click.echo(json.dumps({"id": identifier, **_verdict(check(expression, environment))}))


def _environment(kubernetes: str, feature_gates: str) -> Environment:
    settings = {"DRAConsumableCapacity": True}
    for item in filter(None, feature_gates.split(",")):
        name, _, value = item.partition("=")
        if value.lower() not in ("true", "false"):
            raise click.BadParameter(f"{item!r} is not NAME=true or NAME=false", param_hint="--feature-gates")
        settings[name.strip()] = value.lower() == "true"
    target, problems = resolve_target(kubernetes, settings)
    for problem in problems:
        name = problem.path[-1]
        hint = problem.data.get("did_you_mean")
        text = f"{name} cannot be set so on Kubernetes {kubernetes} ({problem.rule})"
        raise click.BadParameter(f"{text}; did you mean {hint}?" if hint else text, param_hint="--feature-gates")
    assert target is not None
    return environment_of(target)


def _question(line: bytes, number: int) -> tuple[Any, str]:
    try:
        asked = json.loads(line)
        identifier, expression = asked["id"], asked["expression"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Failure(f'line {number} is not {{"id": …, "expression": "…"}}: {error!r}') from error
    if not isinstance(expression, str):
        raise Failure(f"line {number}: the expression is no string")
    return identifier, expression


def _verdict(checked: Checked) -> dict[str, Any]:
    first = checked.errors[0] if checked.errors else None
    return {
        "accepted": checked.accepted,
        "message": checked.message,
        "line": first.line if first else None,
        "column": first.column if first else None,
        "type": checked.type,
        "cost": checked.cost,
    }
