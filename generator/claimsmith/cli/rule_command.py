"""``claimsmith rule``: what a rule means, why, and how to mend it."""

import json

import click

from claimsmith import rules
from claimsmith.report import rule_page
from claimsmith.values.suggest import closest


@click.command("rule")
@click.argument("rule_id", required=False, metavar="[ID]")
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
def command(rule_id: str | None, form: str) -> None:
    """Explain a rule, or list all of them."""
    known = {rule.id: rule for rule in rules.all_rules()}
    if rule_id is None:
        chosen = list(known.values())
    elif rule_id.upper() in known:
        chosen = [known[rule_id.upper()]]
    else:
        hint = closest(rule_id.upper(), list(known))
        raise click.BadParameter(f"there is no rule {rule_id}" + (f"; did you mean {hint}?" if hint else ""))
    if form == "json":
        click.echo(json.dumps([rule_page.as_json(rule) for rule in chosen], indent=2, ensure_ascii=False))
    elif form == "markdown":
        click.echo(rule_page.document(chosen), nl=False)
    elif rule_id is None:
        click.echo("\n".join(rule_page.line(rule) for rule in chosen))
    else:
        click.echo(rule_page.page(chosen[0]))
