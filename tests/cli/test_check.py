"""``claimsmith check``: what is read, what is said, and how."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo import CLUSTER, CLUSTER_FILE, EVIDENCE, EVIDENCE_FILE, PROFILE, PROFILE_FILE, Repo

BAD = "count: 4"
WORSE = "cuont: 4"


@pytest.fixture
def wrong(repo: Repo) -> Repo:
    repo.edit(PROFILE_FILE, BAD, WORSE)
    return repo


class TestStatus:
    def test_clean(self, repo: Repo) -> None:
        result = repo.run("check")
        assert (result.status, result.stderr) == (0, "")
        assert result.stdout == "3 documents checked: no findings\n"

    def test_error(self, wrong: Repo) -> None:
        assert wrong.run("check").status == 1

    def test_info_alone_passes(self, repo: Repo) -> None:
        repo.edit(PROFILE_FILE, "kind: Job\n", "kind: Job\n    lifecycle: {activeDeadline: 1h, pendingDeadline: 1m}\n")
        result = repo.run("check", "--format", "json")
        assert (result.status, result.rules) == (0, ["CS710"])

    def test_writes_nothing(self, repo: Repo) -> None:
        before = sorted(repo.root.rglob("*"))
        repo.run("check")
        assert sorted(repo.root.rglob("*")) == before

    @pytest.mark.parametrize("arguments", [["nowhere.yaml"], ["--format", "xml"], ["-", PROFILE_FILE]])
    def test_usage(self, repo: Repo, arguments: list[str]) -> None:
        result = repo.run("check", *arguments, stdin=b"")
        assert (result.status, result.stdout) == (2, "")

    def test_no_repository(self, tmp_path: Path) -> None:
        assert Repo(tmp_path).run("check").status == 2


@pytest.mark.parametrize("form", ["text", "concise", "json"])
@pytest.mark.parametrize("command", ["check", "compile"])
def test_output_that_cannot_be_written(wrong: Repo, command: str, form: str) -> None:
    with (wrong.root / PROFILE_FILE).open("rb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "claimsmith", command, "--format", form],
            cwd=wrong.root,
            stdout=stream,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr.decode()) == (2, "claimsmith: [Errno 9] Bad file descriptor\n")


class TestForms:
    def test_text(self, wrong: Repo) -> None:
        assert wrong.run("check").stdout == (
            "profiles/teams/vision.yaml:12:28: error[CS121] unknown field `cuont`\n"
            "  12 |       - {model: H100-80GB, cuont: 4}\n"
            "     |                            ^^^^^\n"
            "  help: did you mean `count`? known here: config, count, model, partition, require, share, tolerate\n"
            "  invalid at spec.claims[0].requests[0].prefer[0].cuont: claimsmith refuses it; nothing is written\n"
            "\n"
            "3 documents checked: 1 error\n"
        )

    def test_concise(self, wrong: Repo) -> None:
        result = wrong.run("check", "--format", "concise")
        assert result.stdout == "profiles/teams/vision.yaml:12:28: CS121 unknown field `cuont`\n"

    def test_concise_of_nothing(self, repo: Repo) -> None:
        assert repo.run("check", "--format", "concise").stdout == ""

    def test_json(self, wrong: Repo) -> None:
        report = wrong.run("check", "--format", "json").report
        assert report == {
            "version": 1,
            "findings": [
                {
                    "rule": "CS121",
                    "severity": "error",
                    "consequence": "invalid",
                    "message": "unknown field `cuont`",
                    "help": "did you mean `count`? known here: config, count, model, partition, require, share, tolerate",
                    "file": PROFILE_FILE,
                    "line": 12,
                    "column": 28,
                    "endLine": 12,
                    "endColumn": 33,
                    "path": None,
                    "field": "spec.claims[0].requests[0].prefer[0].cuont",
                    "clusters": [],
                }
            ],
            "summary": {"error": 1, "warning": 0, "info": 0},
        }

    def test_json_of_nothing(self, repo: Repo) -> None:
        assert repo.run("check", "--format", "json").report == {
            "version": 1,
            "findings": [],
            "summary": {"error": 0, "warning": 0, "info": 0},
        }

    def test_order(self, repo: Repo) -> None:
        repo.write("profiles/teams/a.yaml", PROFILE.replace("vision", "alpha").replace(BAD, WORSE))
        repo.edit(PROFILE_FILE, "- {model: H100-80GB, count: 4}", "- {modle: H100-80GB, cuont: 4}")
        places = [
            (each["file"], each["line"], each["column"]) for each in repo.run("check", "--format", "json").findings
        ]
        assert places == sorted(places)
        assert len(places) == 4

    @pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {}])
    def test_no_colour_in_a_pipe(self, wrong: Repo, variable: dict[str, str]) -> None:
        assert "\x1b" not in wrong.spawn("check", environment=variable).stdout

    # A terminal obeys these, or breaks or turns the line there; click itself takes colours out of a pipe.
    CONTROL = ("\\e]0;x\\a", "\\r", "\\n", "\\u009b31m", "\\u202e", "\\u2028", "\\u0085", "\\u200b")

    @pytest.mark.parametrize("form", ["text", "concise"])
    @pytest.mark.parametrize("control", CONTROL)
    def test_control_characters_do_not_reach_the_terminal(self, repo: Repo, control: str, form: str) -> None:
        repo.edit(PROFILE_FILE, "count: 4}", f'count: 4, "{control}x": "{control}y"}}')
        repo.edit(PROFILE_FILE, "elastic: true", f'elastic: true\n    nodePool: "{control}z"')
        repo.write("profiles/teams/\x1b\r\n\u202e.yaml", PROFILE.replace("vision", "other").replace(BAD, WORSE))
        printed = repo.run("check", "--format", form).stdout
        assert [each for each in printed.replace("\n", "") if not each.isprintable()] == []
        assert "unknown field `\\" in printed
        assert "profiles/teams/\\x1b\\r\\n\\u202e.yaml:12:28: " in printed
        if form == "concise":
            found = repo.run("check", "--format", "json").findings
            assert [line.rpartition(": CS")[2][:3] for line in printed.splitlines()] == [
                each["rule"][2:] for each in found
            ]

    @pytest.mark.parametrize("unit", ["x", "x, "])
    @pytest.mark.parametrize("form", ["text", "concise", "json"])
    def test_long_values_are_shortened(self, repo: Repo, unit: str, form: str) -> None:
        text = unit * 20_000
        repo.edit(PROFILE_FILE, "{name: vision}", f'{{name: "{text}"}}')
        printed = repo.run("check", "--format", form).stdout
        assert text[:400] in printed
        assert "…" in printed
        assert len(printed) < 6000

    def test_a_long_field_is_shortened(self, repo: Repo) -> None:
        # A key of more than 1024 characters is none in YAML, unless it stands behind a question mark.
        repo.edit(PROFILE_FILE, "count: 4}", f"count: 4, ? {'x' * 20_000} : 1}}")
        printed = repo.run("check").stdout
        assert f"unknown field `{'x' * 400}…`" in printed
        assert len(printed) < 3000


class TestPositions:
    def test_beyond_the_basic_plane(self, repo: Repo) -> None:
        repo.edit(PROFILE_FILE, "- {model: H100-80GB, count: 4}", '- {"𝄞🙂é": 1, model: H100-80GB, cuont: 4}')
        found = repo.run("check", "--format", "json").findings
        places = {each["message"]: (each["column"], each["endColumn"]) for each in found}
        assert places["unknown field `cuont`"] == (38, 43)
        assert places["unknown field `𝄞🙂é`"] == (10, 15)

    def test_wide_characters_in_the_frame(self, repo: Repo) -> None:
        repo.edit(PROFILE_FILE, "- {model: H100-80GB, count: 4}", '- {"🙂": 1, model: H100-80GB, cuont: 4}')
        lines = repo.run("check").stdout.splitlines()
        frame = next(index for index, line in enumerate(lines) if "unknown field `cuont`" in line)
        source, marker = lines[frame + 1], lines[frame + 2]
        # The terminal shows the smiley two columns wide.
        assert marker.index("^") == source.index("cuont") + 1

    def test_byte_order_mark(self, repo: Repo) -> None:
        text = PROFILE.replace("apiVersion: claimsmith/v1alpha1", "apiVersion: claimsmith/v1")
        repo.write(PROFILE_FILE, b"\xef\xbb\xbf" + text.encode())
        [finding] = repo.run("check", "--format", "json").findings[:1]
        assert (finding["line"], finding["column"]) == (1, 13)

    def test_windows_line_ends(self, repo: Repo) -> None:
        repo.write(PROFILE_FILE, PROFILE.replace(BAD, WORSE).replace("\n", "\r\n"))
        [finding] = repo.run("check", "--format", "json").findings
        assert (finding["line"], finding["column"], finding["endColumn"]) == (12, 28, 33)


class TestSuppressions:
    TWICE = "- {model: H100-80GB, count: 8}"

    def suppress(self, repo: Repo, comment: str) -> list[str]:
        repo.edit(PROFILE_FILE, "- {model: A100-80GB, count: 8}", f"{self.TWICE} {comment}")
        found: list[str] = repo.run("check", "--format", "json").rules
        return found

    def test_without(self, repo: Repo) -> None:
        assert "CS521" in self.suppress(repo, "")

    def test_with_reason(self, repo: Repo) -> None:
        assert {"CS521", "CS131", "CS132"}.isdisjoint(self.suppress(repo, "# claimsmith: ignore CS521 - until March"))

    def test_on_the_line_above(self, repo: Repo) -> None:
        repo.edit(
            PROFILE_FILE,
            "      - {model: A100-80GB, count: 8}",
            f"      # claimsmith: ignore CS521 - until March\n      {self.TWICE}",
        )
        assert {"CS521", "CS131", "CS132"}.isdisjoint(repo.run("check", "--format", "json").rules)

    def test_unused(self, repo: Repo) -> None:
        repo.edit(PROFILE_FILE, "count: 4}", "count: 4} # claimsmith: ignore CS521 - until March")
        result = repo.run("check", "--format", "json")
        assert (result.status, result.rules) == (1, ["CS131"])

    def test_one_of_two_unused(self, repo: Repo) -> None:
        found = self.suppress(repo, "# claimsmith: ignore CS521, CS503 - until March")
        assert "CS131" in found
        assert "CS521" not in found

    UNUSED = PROFILE.replace("count: 4}", "count: 4} # claimsmith: ignore CS521 - until March")

    def test_unused_in_a_file_of_the_repository(self, repo: Repo) -> None:
        repo.write(PROFILE_FILE, self.UNUSED)
        assert repo.run("check", PROFILE_FILE, "--format", "json").rules == ["CS131"]

    def test_unused_in_standard_input_is_unknown(self, repo: Repo) -> None:
        """The finding that it silences may need the rest of the repository."""
        assert repo.run("check", "-", "--format", "json", stdin=self.UNUSED).rules == []

    def test_unused_in_a_file_outside_is_unknown(self, repo: Repo, tmp_path: Path) -> None:
        (tmp_path / "vision.yaml").write_text(self.UNUSED, encoding="utf-8")
        assert repo.run("check", str(tmp_path / "vision.yaml"), "--format", "json").rules == []

    @pytest.mark.parametrize("scope", [["--cluster", "lab"], ["--team", "speech"]])
    def test_unused_in_a_part_is_unknown(self, repo: Repo, scope: list[str]) -> None:
        """What it silences is of another cluster, or of another team."""
        repo.write("profiles/clusters/lab.yaml", CLUSTER.replace("{name: prod}", "{name: lab}"))
        repo.write("profiles/teams/speech.yaml", PROFILE.replace("vision", "speech"))
        repo.write("profiles/evidence/speech.yaml", EVIDENCE.replace("vision", "speech"))
        repo.edit(PROFILE_FILE, "namespaces: [vision]\n", "namespaces: [vision]\n  clusters: [prod]\n")
        self.suppress(repo, "# claimsmith: ignore CS521 - until March")
        repo.write(EVIDENCE_FILE, EVIDENCE.replace("A100", "H100"))
        assert repo.run("compile", "--format", "json").rules == []
        assert repo.run("compile", *scope, "--format", "json").rules == []
        repo.write(PROFILE_FILE, self.UNUSED)
        repo.write(EVIDENCE_FILE, EVIDENCE)
        assert repo.run("compile", "--format", "json").rules == ["CS131"]
        assert repo.run("compile", *scope, "--format", "json").rules == []

    def test_without_reason(self, repo: Repo) -> None:
        assert {"CS132", "CS521"} <= set(self.suppress(repo, "# claimsmith: ignore CS521"))

    def test_of_an_invalid_rule(self, wrong: Repo) -> None:
        wrong.edit(PROFILE_FILE, f"{WORSE}}}", f"{WORSE}}} # claimsmith: ignore CS121 - we like it")
        result = wrong.run("check", "--format", "json")
        assert (result.status, result.rules) == (1, ["CS121", "CS132"])

    def test_in_a_string_is_none(self, repo: Repo) -> None:
        repo.edit(
            PROFILE_FILE, '{memory: ">= 70Gi"}', '{memory: ">= 70Gi", productName: "!= # claimsmith: ignore CS521 - x"}'
        )
        assert repo.run("check", "--format", "json").rules == []

    def test_compile_obeys_them_too(self, repo: Repo) -> None:
        self.suppress(repo, "# claimsmith: ignore CS521 - until March")
        repo.write(EVIDENCE_FILE, EVIDENCE.replace("A100", "H100"))
        assert repo.run("compile").status == 0


class TestPaths:
    def test_one_file_in_its_repository(self, repo: Repo) -> None:
        repo.write("profiles/teams/other.yaml", PROFILE.replace("vision", "other").replace(BAD, WORSE))
        assert repo.run("check", PROFILE_FILE).status == 0
        assert repo.run("check", "profiles/teams/other.yaml").status == 1

    def test_a_file_is_checked_against_its_clusters(self, repo: Repo) -> None:
        repo.edit(PROFILE_FILE, "H100-80GB, count", "H200-141GB, count")
        assert repo.run("check", PROFILE_FILE, "--format", "json").rules == ["CS143"]

    def test_from_a_folder_below(self, wrong: Repo) -> None:
        result = wrong.run("check", "vision.yaml", "--format", "json", folder="profiles/teams")
        assert [each["file"] for each in result.findings] == [PROFILE_FILE]

    def test_absolute(self, wrong: Repo, tmp_path: Path) -> None:
        result = Repo(tmp_path).run("check", str(wrong.root / PROFILE_FILE), "--format", "json")
        assert result.rules == ["CS121"]

    def test_folder(self, wrong: Repo) -> None:
        assert wrong.run("check", "profiles/teams").status == 1
        assert wrong.run("check", "profiles/clusters").status == 0

    def test_file_outside_of_any_repository(self, tmp_path: Path) -> None:
        (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("codegen: 1", "codegen: 2"), encoding="utf-8")
        result = Repo(tmp_path).run("check", "cluster.yaml", "--format", "json")
        assert [(each["rule"], each["file"]) for each in result.findings] == [("CS124", "cluster.yaml")]

    def test_standard_input(self, repo: Repo) -> None:
        result = repo.run("check", "-", "--format", "json", stdin=PROFILE.replace(BAD, WORSE))
        assert [(each["rule"], each["file"], each["line"]) for each in result.findings] == [("CS121", "-", 12)]

    def test_standard_input_in_a_frame(self, repo: Repo) -> None:
        assert (
            "12 |       - {model: H100-80GB, cuont: 4}"
            in repo.run("check", "-", stdin=PROFILE.replace(BAD, WORSE)).stdout
        )

    def test_empty_standard_input(self, repo: Repo) -> None:
        assert repo.run("check", "-", "--format", "json", stdin=b"").rules == ["CS118"]

    def test_hidden_and_other_files_are_left_alone(self, repo: Repo) -> None:
        for name in (
            "profiles/.hidden.yaml",
            "profiles/.git/config.yaml",
            "profiles/notes.txt",
            "profiles/inventories/x.yaml",
        ):
            repo.write(name, "- not ours")
        assert repo.run("check").status == 0

    @pytest.mark.parametrize("path", ["../../../etc/passwd", "../../outside.yaml", "../teams/../../../x"])
    def test_inventory_outside(self, repo: Repo, path: str) -> None:
        (repo.root.parent / "outside.yaml").write_text("secret", encoding="utf-8")
        repo.edit(CLUSTER_FILE, "codegen: 1\n", f"codegen: 1\n  inventory: {path}\n")
        result = repo.run("check", "--format", "json")
        assert result.rules == ["CS129"]
        assert "secret" not in result.stdout

    def test_absolute_inventory(self, repo: Repo) -> None:
        repo.edit(CLUSTER_FILE, "codegen: 1\n", "codegen: 1\n  inventory: /etc/passwd\n")
        assert repo.run("check", "--format", "json").rules == ["CS125"]

    def test_inventory_through_a_link(self, repo: Repo) -> None:
        (repo.root / "profiles/inventories").symlink_to(repo.root.parent)
        (repo.root.parent / "outside.yaml").write_text("secret", encoding="utf-8")
        repo.edit(CLUSTER_FILE, "codegen: 1\n", "codegen: 1\n  inventory: ../inventories/outside.yaml\n")
        assert set(repo.run("check", "--format", "json").rules) == {"CS129"}

    def test_file_linked_from_outside(self, repo: Repo) -> None:
        outside = repo.root.parent / "outside.yaml"
        outside.write_text(PROFILE.replace("vision", "outside"), encoding="utf-8")
        (repo.root / "profiles/teams/link.yaml").symlink_to(outside)
        [finding] = repo.run("check", "--format", "json").findings
        assert (finding["rule"], finding["file"]) == ("CS129", "profiles/teams/link.yaml")
        assert finding["message"] == "`profiles/teams/link.yaml` is a link out of the repository"

    def test_linked_folder(self, repo: Repo) -> None:
        (repo.root / "profiles/teams/link").symlink_to(repo.root.parent)
        [finding] = repo.run("check", "--format", "json").findings
        assert finding["message"] == "`profiles/teams/link` is a link to a folder"

    @pytest.mark.parametrize("name", ["link", "link.yaml"])
    def test_links_are_told_of_when_their_folder_is_named(self, repo: Repo, name: str) -> None:
        """The finding is about the link in the folder, not about where the link leads."""
        target = repo.root.parent if name == "link" else repo.root.parent / "outside.yaml"
        (repo.root.parent / "outside.yaml").write_text("a: 1", encoding="utf-8")
        (repo.root / "profiles/teams" / name).symlink_to(target)
        assert repo.run("check", "profiles/teams", "--format", "json").rules == ["CS129"]

    def test_link_within_the_repository(self, repo: Repo) -> None:
        (repo.root / "profiles/teams/again.yaml").symlink_to("vision.yaml")
        assert repo.run("check", "--format", "json").rules == ["CS128"]


class TestNoFindingsOfFindings:
    """What cannot be read is there all the same: whatever refers to it is told of nothing."""

    GUARDED = CLUSTER.replace("codegen: 1\n", "codegen: 1\n  quotas: [{team: vision, model: A100-80GB, devices: 8}]\n")
    RESERVATION = (
        "apiVersion: claimsmith/v1alpha1\nkind: Reservation\nmetadata: {name: of-vision}\n"
        "spec: {team: vision, clusters: [prod], nodePool: h100}\n"
    )

    @pytest.fixture
    def guarded(self, repo: Repo) -> Repo:
        repo.write(CLUSTER_FILE, self.GUARDED)
        repo.write("profiles/reservations/vision.yaml", self.RESERVATION)
        repo.edit(PROFILE_FILE, "namespaces: [vision]\n", "namespaces: [vision]\n  clusters: [prod]\n")
        assert repo.run("check", "--format", "json").rules == []
        return repo

    @pytest.mark.parametrize("file", [PROFILE_FILE, CLUSTER_FILE])
    @pytest.mark.parametrize(
        ("old", "new", "rule"),
        [
            ("kind: ", "kind: X", "CS124"),
            ("kind: ", "kinds: ", "CS122"),
            ("apiVersion: claimsmith/v1alpha1", "apiVersion: claimsmith/v1", "CS124"),
            ("spec:\n", "spec:\n  nothing: 1\n", "CS121"),
            ("spec:\n", "spec: [\n", "CS101"),
            ("apiVersion", "\x00apiVersion", "CS114"),
        ],
        ids=["kind", "no kind", "apiVersion", "field", "YAML", "text"],
    )
    def test_broken(self, guarded: Repo, file: str, old: str, new: str, rule: str) -> None:
        text = (guarded.root / file).read_text(encoding="utf-8")
        guarded.write(file, text.replace(old, new, 1))
        found = guarded.run("check", "--format", "json").findings
        assert {(each["rule"], each["file"]) for each in found} == {(rule, file)}

    @pytest.mark.parametrize("file", [PROFILE_FILE, CLUSTER_FILE])
    def test_gone(self, guarded: Repo, file: str) -> None:
        (guarded.root / file).unlink()
        (guarded.root / file).symlink_to("nowhere.yaml")
        assert guarded.run("check", "--format", "json").rules == ["CS130"]

    def test_what_is_not_there_is_told_of(self, guarded: Repo) -> None:
        (guarded.root / PROFILE_FILE).unlink()
        assert {"CS725", "CS728"} <= set(guarded.run("check", "--format", "json").rules)


class TestHostileFiles:
    def test_file_name_that_is_no_text(self, repo: Repo) -> None:
        name = os.fsencode(repo.root / "profiles/teams") + b"/\xff.yaml"
        Path(os.fsdecode(name)).write_text(PROFILE.replace("vision", "other").replace(BAD, WORSE), encoding="utf-8")
        for paths in ([], ["profiles/teams"]):
            result = repo.spawn("check", "--format", "json", *paths)
            assert (result.status, result.stderr) == (1, "")
            assert [each["file"] for each in result.findings] == ["profiles/teams/\ufffd.yaml"]

    def test_huge(self, repo: Repo) -> None:
        with (repo.root / "profiles/teams/huge.yaml").open("wb") as file:
            file.truncate(100 * 1024 * 1024)
        [finding] = repo.run("check", "--format", "json").findings
        assert (finding["rule"], finding["file"]) == ("CS115", "profiles/teams/huge.yaml")

    def test_huge_standard_input(self, repo: Repo) -> None:
        assert repo.run("check", "-", "--format", "json", stdin=b"#" * (2 * 1024 * 1024)).rules == ["CS115"]

    def test_unreadable(self, repo: Repo) -> None:
        (repo.root / "profiles/teams/gone.yaml").symlink_to("nowhere.yaml")
        result = repo.run("compile", "--format", "json")
        assert (result.status, result.rules) == (1, ["CS130"])
        assert not (repo.root / "output").exists()

    def test_pipe(self, repo: Repo) -> None:
        os.mkfifo(repo.root / "profiles/teams/pipe.yaml")
        result = repo.spawn("check", "--format", "json", timeout=10)
        assert (result.status, result.rules) == (1, ["CS130"])

    @pytest.mark.parametrize(
        ("text", "rule"),
        [
            ("[" * 100_000, "CS116"),
            ("{a: " * 100_000, "CS116"),
            ("- " * 100_000, "CS116"),
            ("? " * 50_000, "CS116"),
            (
                "a: &a [1]\n"
                + "".join(f"b{n}: &b{n} [{'*a,' * 9}]\n".replace("*a", f"*b{n - 1}" if n else "*a") for n in range(20)),
                "CS110",
            ),
            ("a: &a [*a]\n", "CS109"),
            ("!" * 100_000, "CS106"),
            ("a" * 1_000_000 + ": 1\n", "CS101"),
        ],
        ids=["lists", "mappings", "block", "keys", "aliases", "itself", "tags", "long key"],
    )
    def test_bombs(self, repo: Repo, text: str, rule: str) -> None:
        repo.write("profiles/teams/bomb.yaml", text)
        result = repo.run("check", "--format", "json")
        assert result.status == 1
        assert rule in result.rules
        assert {each["file"] for each in result.findings} == {"profiles/teams/bomb.yaml"}

    def test_deep_configuration(self, repo: Repo) -> None:
        deep = "{a: " * 40 + "1" + "}" * 40
        repo.edit(PROFILE_FILE, '{memory: ">= 70Gi"}', '{memory: ">= 70Gi"}\n      config: [' + deep + "]")
        assert repo.run("compile").status == 0

    @pytest.mark.parametrize("data", [b"\x00", b"\xff\xfe", b"\x80", b"a: \xed\xa0\x80", b"%YAML 9.9\n---\na"])
    def test_bytes(self, repo: Repo, data: bytes) -> None:
        repo.write("profiles/teams/bytes.yaml", data)
        result = repo.run("check", "--format", "json")
        assert result.status == 1
        assert json.dumps(result.report)
