"""Records the text of ``codegen: 1`` and what Kubernetes answers to it.

    python -m tests.compiler.record text
    python -m tests.compiler.record answers

``text`` adds what is new (a model, a release) and refuses to change or drop text that is there. ``answers`` makes the
devices and asks the compiler of selectors of each Kubernetes minor, which ``tests.cluster.build`` builds where it is missing.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.cluster.build import MINORS, cluster_binary
from tests.compiler import fleet, golden
from tests.compiler.answers import ANSWERS, SYMBOLS, default_gates
from tests.compiler.meaning import devices

Entry = dict[str, Any]


def record_text() -> None:
    text = golden.document()
    if golden.GOLDEN.exists():
        kept, made = (_by_key(each) for each in (json.loads(golden.GOLDEN.read_text(encoding="utf-8")), text))
        changed = [key for key, texts in kept.items() if made.get(key) != texts]
        if changed:
            sys.exit("codegen: 1 never changes, and this would change it:\n" + "\n".join(changed))
    lines = [f'{{"codegen": {text["codegen"]}']
    for section in ("requirements", "classes"):
        lines.append(f', "{section}": [\n' + ",\n".join(_dump(each) for each in text[section]) + "\n]")
    golden.GOLDEN.write_text("".join(lines) + "}\n", encoding="utf-8")


def _by_key(text: Entry) -> dict[str, list[str]]:
    found = {_dump([each["kind"], each["name"], each["require"]]): each["selectors"] for each in text["requirements"]}
    for each in text["classes"]:
        for release in each["releases"]:
            found[_dump([each["driver"], each["class"], release, each["excluded"]])] = each["selectors"]
    return found


def record_answers() -> None:
    fleet.MADE.write_text("".join(_dump(each) + "\n" for each in fleet.make()), encoding="utf-8")
    slices = fleet.fleet()
    keys = [device.key for device in devices(slices)]
    expressions = list(golden.meanings())
    lines: list[Entry] = [{"expression": each, "answers": []} for each in expressions]
    with tempfile.TemporaryDirectory() as folder:
        shared = Path(folder, "slices.jsonl")
        shared.write_text("".join(_dump(each) + "\n" for each in slices), encoding="utf-8")
        for minor in MINORS:
            for line, answer in zip(lines, _ask(minor, shared, expressions), strict=True):
                found = answer.get("matches", {})
                symbols = "".join(SYMBOLS.get(found.get(key), "e") for key in keys)
                same = {"accepted": answer["accepted"], "cost": answer["cost"], "devices": symbols}
                known = next((each for each in line["answers"] if each.items() >= same.items()), None)
                if known:
                    known["minors"].append(minor)
                else:
                    line["answers"].append({"minors": [minor], **same})
    ANSWERS.write_text("".join(_dump(each) + "\n" for each in lines), encoding="utf-8")


def _ask(minor: str, slices: Path, expressions: list[str]) -> list[Entry]:
    questions = "".join(_dump({"id": str(i), "expression": each}) + "\n" for i, each in enumerate(expressions))
    options = [f"--slices={slices}", f"--feature-gates={default_gates(minor)}"]
    arguments = [cluster_binary(minor), "answer-cel", *options]
    done = subprocess.run(arguments, input=questions.encode(), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _dump(value: object) -> str:
    return json.dumps(value)


if __name__ == "__main__":
    if sys.argv[1:] == ["text"]:
        record_text()
    elif sys.argv[1:] == ["answers"]:
        record_answers()
    else:
        sys.exit(__doc__)
