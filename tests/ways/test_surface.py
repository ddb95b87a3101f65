from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

import pytest

from recollect.config import SETTINGS
from recollect.errors import (
    BadSecret,
    Busy,
    Conflict,
    Damaged,
    InvalidRequest,
    ModelNotReady,
    NotAllowed,
    NotFound,
    SecretFound,
    TooNew,
    Unavailable,
)
from recollect.model import AuthorKind
from recollect.ops import Op
from recollect.value import Value
from recollect.ways import cli
from recollect.ways.cli import manual
from recollect.ways.cli.commands import GROUPS, MODULES, command
from recollect.ways.cli.document import document, failure
from recollect.ways.cli.overview import EXAMPLES

COMMANDS = [command(name) for name in MODULES]
# A server goes on until it is ended; tests/ways/http starts and ends some.
EVERY_EXAMPLE = [
    example
    for example in (*EXAMPLES, *(example for one in COMMANDS for example in one.examples))
    if "--http" not in example
]


@pytest.fixture
def files(tmp_path, monkeypatch, recollect):
    """A folder to work in, with the files that the examples name."""
    recollect("remember", "A memory that moves.", "--store", str(tmp_path / "old.db"))
    exported = recollect("export", "-", "--store", str(tmp_path / "old.db")).out.encode()
    facts = b"A fact.\nAnother fact.\n"
    graph = b'{"type": "entity", "name": "Ada", "entityType": "", "observations": ["Likes tea"]}'
    mem0 = b'[{"id": "1", "memory": "Lives in Turin"}]'
    made = {"minutes.txt": facts, "facts.txt": facts, "memory.jsonl": exported}
    made |= {
        "memory.json": graph,
        "mem0.json": mem0,
        "conversations.json": b"[]",
        "notes/page.md": b"# A page",
    }
    made["event.json"] = b'{"hook_event_name": "UserPromptSubmit", "prompt": "a memory called ID"}'
    work = tmp_path / "work"
    (work / "notes").mkdir(parents=True)
    for name, content in made.items():
        (work / name).write_bytes(content)
    (work / "atlas").mkdir()
    (work / "atlas" / "store.py").write_text("def keep(): pass\n")
    recollect("index", str(work / "atlas"))
    monkeypatch.chdir(work)
    return made


@pytest.mark.parametrize("example", EVERY_EXAMPLE)
def test_every_example_in_the_help_works(recollect, remember, example, files):
    ids = {name: remember(f"A memory called {name}.") for name in ("ID", "OLD", "NEW")}
    ids["DECISION"] = recollect("decide", "Use SQLite", "--json").json["decision"]["record"]["id"]
    if "BATCH" in example:
        ids["BATCH"] = recollect("import", "mem0.json", "--json").json["batch"]
    # What another program is given to start is what stands behind its two dashes.
    call, _, file = example.rpartition(" -- ")[2].partition(" < ")
    program, *args = [ids.get(word, word) for word in shlex.split(call)]
    assert program == "recollect"
    said = recollect(*args, stdin=files[file] if file else b"")
    # None of these were known at the time that one of the examples names.
    assert said.code == (1 if "--known-at" in args else 0), said
    assert "Traceback" not in said.err


def test_the_overview_has_every_command_with_its_purpose(recollect):
    said = recollect("--help")
    assert said.code == 0
    for one in COMMANDS:
        assert f"  {one.name:<15} {one.purpose}\n" in said.out
    assert {one.name for one in COMMANDS} == {n for _, _, names in GROUPS for n in names}


def test_every_line_of_help_fits_a_terminal(recollect):
    pages = [recollect("--help"), *(recollect(one.name, "--help") for one in COMMANDS)]
    assert [line for page in pages for line in page.out.splitlines() if len(line) > 92] == []


@pytest.mark.parametrize("one", COMMANDS, ids=lambda one: one.name)
def test_the_help_of_a_command_has_its_examples_and_says_what_it_is_for(recollect, one):
    said = recollect(one.name, "--help")
    assert said.code == 0
    assert one.about in said.out
    assert one.examples
    for example in one.examples:
        assert f"\n  {example}\n" in said.out
    assert recollect("help", one.name).out == said.out
    assert recollect("--help", one.name).out == said.out
    assert recollect(one.name, "-h", "--json").json["help"] == said.out.rstrip()


@pytest.mark.parametrize("one", COMMANDS, ids=lambda one: one.name)
def test_the_page_of_a_command_has_every_part_of_a_manual(recollect, one):
    said = recollect("help", one.name).out
    parts = [*re.findall(r"^([a-z ]+):$", said, re.MULTILINE)]
    given = [kind for kind in ("arguments", "options") if _has(one, kind)]
    assert parts == [
        *given, "options of every command", "when to use it",
        "examples", "exit codes", "environment", "see also",
    ]  # fmt: skip
    for argument in one.arguments:
        assert argument.about
        shown = argument.names[0] if argument.names[0].startswith("-") else argument.metavar or ""
        assert shown in said
        if argument.default not in {None, ""}:
            assert f"(default: {argument.default})" in " ".join(said.split())
    assert f"usage: recollect {one.name}" in said
    known = manual.PAGES[one.name]
    assert {*known.also} <= {*MODULES, "help"}
    assert {*known.reads} <= {setting.field for setting in SETTINGS}


def _has(one, kind):
    return any(arg.names[0].startswith("-") == (kind == "options") for arg in one.arguments)


def test_the_manual_has_a_page_for_each_command_and_for_no_other():
    assert manual.PAGES.keys() == {*MODULES}


def test_every_setting_is_explained_where_help_is_asked_for(recollect):
    said = recollect("help", "settings").out
    for one in SETTINGS:
        assert f"\n{one.variable}  in the file: {one.key}\n" in said
    assert recollect("help", "settings", "--json").json["help"] == said.rstrip()


def test_help_needs_no_store_and_makes_none(recollect, tmp_path):
    recollect("get", "--help")
    assert not (tmp_path / "memory.db").exists()


def test_without_a_command_the_help_is_shown_but_nothing_was_done(recollect):
    assert recollect().code == 2
    assert recollect().out == recollect("--help").out == recollect("help").out
    assert recollect("help", "help") == recollect("help", "recollect") == recollect("help")


def test_every_op_that_the_engine_knows_has_a_command():
    from recollect.engine import HANDLERS

    used = {
        value
        for module in {*MODULES.values()}
        for value in vars(sys.modules[f"recollect.ways.cli.{module}"]).values()
        if isinstance(value, type) and issubclass(value, Op)
    }
    assert {op.__name__ for op in used} == {*HANDLERS}


def test_the_version_is_told_among_other_options_too(recollect):
    assert recollect("--json", "--version").json["version"]
    assert recollect("--json", "--store", "x", "-V").code == 0


def test_global_options_may_stand_before_the_command_or_after_it(recollect, remember, tmp_path):
    id_ = remember("x")
    other = str(tmp_path / "other.db")
    assert recollect("--json", "get", id_).out == recollect("get", id_, "--json").out
    assert recollect("--store", other, "get", id_).code == 1
    assert recollect(f"--store={other}", "get", id_).code == 1
    assert recollect("get", f"--store={other}", id_).code == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["rember", "x"], "There is no command 'rember'. Did you mean `recollect remember`?"),
        (["qqq"], "There is no command 'qqq'. `recollect --help` lists the commands."),
        (["get"], "the following arguments are required: ID; `recollect get --help`"),
        (["get", "x", "--limit", "3"], "unrecognized arguments: --limit"),
        (["recall", "x", "--limit", "ten"], "argument --limit: 'ten' is not a whole number"),
        (["remember", "x", "--confidence", "high"], "'high' is not a number"),
        (["remember", "x", "--confidence", "nan"], "confidence"),
        (["recall", "x", "--as-of", "yesterday"], "'yesterday' is not a time; give one such as"),
        (["recall", "x", "--since", "99999999999d"], "is not a time"),
        (["recall", "x", "--since", "0001-01-01T00:00+14:00"], "is not a time"),
        (["recall", "x", "--kind", "thing"], "choose from 'memory', 'decision'"),
        (["recall", "x", "--limit", "0"], "limit is 0"),
        (["recall", " "], "query is empty"),
        (["remember", ""], "text is empty"),
        (["remember", "x", "--metadata", "{"], "metadata is not JSON"),
        (["remember", "x", "--user", "a\0b"], "user holds a NUL"),
        (["remember", "caf\udce9"], "half a surrogate pair"),
        (["get", "x", "--tenant", ""], "--tenant is ''"),
    ],
)
def test_what_cannot_be_done_is_said_with_what_to_do(recollect, args, said):
    answer = recollect(*args)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("recollect: ")
    assert said in answer.err
    as_json = recollect("--json", *args)
    assert as_json.code == 2
    assert as_json.json["error"]["code"] == "invalid_request"
    assert said in as_json.json["error"]["message"]


def test_a_wrong_setting_is_said_before_anything_is_done(recollect, monkeypatch, tmp_path):
    monkeypatch.setenv("RECOLLECT_DURABILITY", "fast")
    said = recollect("remember", "x", "--json")
    assert said.json["error"]["place"] == "RECOLLECT_DURABILITY"
    assert not (tmp_path / "memory.db").exists()


def test_a_missing_folder_is_said(recollect, tmp_path):
    said = recollect("list", "--store", str(tmp_path / "none" / "memory.db"))
    assert said.code == 4
    assert "does not exist. Create it" in said.err


def test_a_file_that_is_no_store_is_left_alone(recollect, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("not a database, " * 100)
    said = recollect("list", "--store", str(file), "--json")
    assert said.code == 4
    assert said.json["error"]["code"] == "damaged"
    assert file.read_text() == "not a database, " * 100


@pytest.mark.parametrize("args", [("verify",), ("reset", "--yes")])
def test_a_store_that_is_not_there_is_not_called_well(recollect, tmp_path, args):
    said = recollect(*args)
    assert said.code == 1
    assert f"There is no store at {tmp_path / 'memory.db'}." in said.err
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize(
    "args", [("status",), ("list",), ("get", "x"), ("recall", "x"), ("forget", "x", "--yes")]
)
def test_a_store_that_is_named_and_looked_into_has_to_be_there(recollect, tmp_path, args):
    said = recollect(*args, "--store", str(tmp_path / "mistyped.db"))
    assert said.code == 1
    assert f"There is no store at {tmp_path / 'mistyped.db'}." in said.err
    assert list(tmp_path.glob("mistyped*")) == []


def test_our_own_place_may_be_empty_still(recollect, monkeypatch):
    monkeypatch.delenv("RECOLLECT_STORE")
    assert recollect("verify").code == 0


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidRequest(), 2),
        (SecretFound(), 2),
        (NotAllowed(), 2),
        (BadSecret(), 2),
        (NotFound(), 1),
        (Conflict(), 3),
        (Unavailable(), 4),
        (Busy(), 4),
        (ModelNotReady(), 4),
        (Damaged(), 4),
        (TooNew(), 4),
    ],
)
def test_every_error_has_its_exit_code(error, code, capsys):
    assert cli._complain(error, as_json=False) == code
    assert capsys.readouterr().err == f"recollect: {error}\n"


def test_the_facts_of_an_error_reach_a_program_but_never_hide_what_it_is():
    error = NotFound("gone", ids=("a", "b"), code="x", kind=AuthorKind.HUMAN, why=ValueError("v"))
    assert failure(error) == {
        "error": {
            "code": "not_found",
            "message": "gone",
            "ids": ["a", "b"],
            "kind": "human",
            "why": "v",
        }
    }


def test_a_document_has_what_json_knows():
    class Anything(Value):
        nothing: None = None
        number: float = 0.5
        many: tuple[int, ...] = (1,)

    assert document(Anything()) == {"nothing": None, "number": 0.5, "many": [1]}


def test_stored_text_cannot_steer_the_terminal(recollect, remember):
    id_ = remember("red \x1b[31m bell \x07 \x9b1m\ttab\r\nnext")
    for said in (recollect("get", id_), recollect("list"), recollect("recall", "bell")):
        assert not {*said.out} & {"\x1b", "\x07", "\x9b", "\r"}
    assert "red \\u001b[31m bell \\u0007 \\u009b1m\ttab\\u000d\nnext\n" in recollect("get", id_).out
    as_json = recollect("get", id_, "--json")
    assert "\x9b" not in as_json.out
    assert as_json.json["records"][0]["text"] == "red \x1b[31m bell \x07 \x9b1m\ttab\r\nnext"


@pytest.mark.parametrize("code", [0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
def test_stored_text_cannot_turn_what_a_terminal_shows(recollect, remember, code):
    sign = chr(code)
    id_ = remember(f"pay {sign}eve")
    for said in (recollect("get", id_), recollect("list"), recollect("get", id_, "--json")):
        assert sign not in said.out
        assert f"pay \\u{code:04x}eve" in said.out
    assert recollect("get", id_, "--json").json["records"][0]["text"] == f"pay {sign}eve"


def test_an_error_cannot_steer_the_terminal_either(recollect):
    assert "\x1b" not in recollect("forget", "\x1b[31m", "--yes").err


@pytest.fixture
def output(monkeypatch):
    """Puts a file in the place of standard output."""

    def put(file):
        monkeypatch.setattr(sys, "stdout", file)

    return put


def test_text_in_every_script_reaches_an_output_that_knows_only_ascii(
    recollect, remember, output, tmp_path
):
    id_ = remember("日本語")
    for args, expected in ((("get", id_), "\\u65e5"), (("get", id_, "--json"), "日本語")):
        with (tmp_path / "out").open("w", encoding="ascii") as file:
            output(file)
            assert recollect(*args).code == 0
        assert expected in (tmp_path / "out").read_text(encoding="utf-8")


def test_json_is_laid_out_for_a_terminal_and_one_line_for_a_program(recollect, remember, output):
    id_ = remember("x")
    main, terminal = os.openpty()
    with open(terminal, "w", encoding="utf-8") as file, open(main, "rb") as shown:  # noqa: PTH123
        output(file)
        recollect("get", id_, "--json")
        assert shown.readline() == b"{\r\n"


def test_a_reader_who_has_seen_enough_ends_the_command_quietly(recollect, remember, output):
    remember("x")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as file:
        output(file)
        said = recollect("list")
    assert (said.code, said.err) == (141, "")


def test_a_full_disk_under_the_output_is_said(recollect, remember, output):
    remember("x")
    with open("/dev/full", "w", encoding="utf-8") as file:  # noqa: PTH123
        output(file)
        said = recollect("list")
    assert said.code == 4
    assert (
        said.err
        == "recollect: There is no room left to write to. Free some space, and do it again.\n"
    )


def test_a_closed_output_is_no_reason_to_fail(recollect, remember, output):
    id_ = remember("x")
    output(None)
    assert recollect("get", id_).code == recollect("get", id_, "--json").code == 0


def test_an_interrupted_command_says_so(monkeypatch, capsys):
    class Interrupted:
        def isatty(self):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert cli.main(["forget", "anything"]) == 130
    assert capsys.readouterr().err == "recollect: interrupted\n"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("list",), 0), (("export", "-"), 0), (("top",), 0), (("remember", "-"), 2),
        (("restore", "-"), 2), (("forget", "x"), 2), (("serve",), 0), (("hook",), 0),
    ],
)  # fmt: skip
def test_whoever_closes_all_that_is_open_harms_nothing(recollect, remember, args, code):
    remember("The kettle stands in the kitchen.")
    # What is opened next gets the numbers of the three, unless something else has them.
    closing = 'exec "$@" <&- >&- 2>&-'
    command = [sys.executable, "-m", "recollect", *args]
    done = subprocess.run(["sh", "-c", closing, "sh", *command], check=False)  # noqa: S607 -- as people have it
    assert done.returncode == code
    assert recollect("verify").code == 0


def test_what_is_said_beside_the_answer_never_gets_into_it(recollect, remember, monkeypatch):
    remember("one")
    remember("two")
    monkeypatch.setattr(sys, "stderr", None)
    assert "more" not in recollect("list", "--limit", "1").out
    assert recollect("get", "nobody").out == ""


def test_an_interrupt_while_the_command_is_still_imported_leaves_no_trace():
    program = (
        "import sys\n"
        "class Late:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'recollect.ways.cli':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Late())\n"
        "from recollect.__main__ import main\n"
        "sys.exit(main(['list']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "recollect: interrupted\n")


def test_nothing_to_import_is_not_called_done(recollect):
    said = recollect("import", "nowhere.json")
    assert said.code == 1
    assert "left out nowhere.json" in said.err


def test_where_no_outcome_is_known_that_is_said(recollect):
    assert recollect("calibration").out.startswith("No outcome is known yet.")
    assert recollect("calibration", "database").out == "database: no outcome is known yet\n"


def test_a_missing_choice_is_named_by_what_it_can_be(recollect):
    assert "required: {dry-run,apply}" in recollect("retention").err
