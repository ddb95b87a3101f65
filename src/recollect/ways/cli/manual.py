"""Pages of the manual: all that a command declares, and beside it when it is the one to use."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from recollect.value import Value
from recollect.ways.cli.command import parser
from recollect.ways.cli.line import HEAD, NAME, line
from recollect.ways.cli.overview import CODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.config import Setting
    from recollect.ways.cli.command import Command
    from recollect.ways.cli.line import Shown

_WIDTH = 90
_ABSENT = "what was named is not there"
_REFUSED = "you said no when asked"
_CHANGED = "it is not in a state that allows this: read it again"
# Every command may come to these.
_ALWAYS = (0, 2, 4, 130)
_SHARED = ("store", "tenant")
_WHOSE = ("user", "project")
_KEEPING = (*_WHOSE, "secrets", "embedding")


class Page(Value):
    """What the manual says of a command beside what it declares."""

    when: str
    # Commands that one looks for here, or needs next.
    also: tuple[str, ...]
    # Settings that change what it does, beside the store and the tenant; the fields of `Config`.
    reads: tuple[str, ...] = ()
    # What exit codes mean here that mean several things in general.
    codes: tuple[tuple[int, str], ...] = ()


PAGES = {
    "serve": Page(
        "A client starts it by itself once `recollect setup` has run. Start it yourself with"
        " --http, for clients on other machines, for many clients of one server, or for hooks that"
        " search by meaning.",
        ("setup", "doctor", "keys", "top"),
        ("key", "limits", "roots", "http_hosts", "log_level", "log_format", "embedding"),
    ),
    "hook": Page(
        "`recollect setup claude-code --hooks` has it called. By hand, to see what an agent would"
        " be told.",
        ("setup", "stats", "import"),
        ("hooks", "hook_tokens", "hook_server", *_WHOSE),
    ),
    "setup": Page(
        "First of all, and again whenever another client is installed.",
        ("doctor", "unsetup", "serve"),
        (),
        ((1, f"no client is here, or {_REFUSED}"), (3, "a file changed meanwhile; try again")),
    ),
    "unsetup": Page(
        "Before Recollect is uninstalled, or where a client should do without it.",
        ("setup", "doctor"),
        (),
        ((1, _REFUSED), (3, "a file changed meanwhile; try again")),
    ),
    "doctor": Page(
        "After `recollect setup`, and whenever a client shows no tools or finds no memories.",
        ("setup", "status", "verify"),
        ("embedding",),
        ((1, "something needs you; what to do stands below it"),),
    ),
    "remember": Page(
        "Whenever something is worth knowing later: a fact, a rule, a preference. For a choice with"
        " its reasons, `decide`; for whole documents, `ingest`.",
        ("recall", "supersede", "decide", "ingest", "forget"),
        _KEEPING,
        ((1, "what it supersedes is not there"), (3, "what it supersedes ended already")),
    ),
    "ingest": Page(
        "For notes, minutes and specifications that live as files. Run it again when they change.",
        ("remember", "import", "index"),
        (*_KEEPING, "roots"),
        ((1, "what was named gave nothing to read"),),
    ),
    "revise": Page(
        "For a typing error or a better title: what was meant stays the same.",
        ("supersede", "history"),
        ("secrets",),
        ((1, _ABSENT), (3, "its version is another than --expected-version")),
    ),
    "supersede": Page(
        "When the world has changed: both texts are kept, each with the time that it held.",
        ("remember", "revise", "invalidate", "history"),
        (),
        ((1, _ABSENT), (3, _CHANGED)),
    ),
    "invalidate": Page(
        "When something has ended and nothing takes its place.",
        ("supersede", "forget"),
        (),
        ((1, _ABSENT), (3, _CHANGED)),
    ),
    "recall": Page(
        "Whenever you look for something and do not have its id. Ask as you would ask a person.",
        ("get", "list", "timeline", "decisions", "code"),
        (*_WHOSE, "embedding"),
        ((1, "the store that --store names is not there"),),
    ),
    "get": Page(
        "For all that is known of a record whose id another command printed.",
        ("history", "timeline", "explore", "recall"),
        (),
        ((1, "one of them is not there, or was not at that time"),),
    ),
    "list": Page(
        "To look through what was kept last, or through one kind, type, session or time.",
        ("recall", "get", "review"),
        _WHOSE,
        ((1, "the store that --store names is not there"),),
    ),
    "history": Page(
        "When you ask who changed something, or what it said before.",
        ("get", "changes"),
        (),
        ((1, _ABSENT),),
    ),
    "timeline": Page(
        "When you know one moment and ask what happened around it.",
        ("recall", "list"),
        (),
        ((1, _ABSENT),),
    ),
    "decide": Page(
        "When you have chosen between ways of doing something, and the reasons should stay.",
        ("decisions", "context", "outcome", "adr"),
        _KEEPING,
        ((1, "what it supersedes is not there"), (3, "what it supersedes does not stand any more")),
    ),
    "decisions": Page(
        "Before you decide what may be decided already, or to see what stands.",
        ("decide", "context", "analyse", "adr"),
        _WHOSE,
    ),
    "reflect": Page(
        "Now and then, to see what experience suggests; then accept or reject it.",
        ("decide", "skills", "anomalies"),
        (),
        ((1, _ABSENT), (3, "it is no draft any more, or less than an hour old")),
    ),
    "adr": Page(
        "For teams that keep decision records beside their code.",
        ("decide", "decisions"),
        (*_WHOSE, "secrets"),
        ((1, "a decision record was left out; the others went in"),),
    ),
    "outcome": Page(
        "As soon as it is known whether a decision was a good one: calibration lives on that.",
        ("decide", "calibration", "skills", "progress"),
        (),
        ((1, _ABSENT),),
    ),
    "progress": Page(
        "While a decision is carried out: when it is started, merged, or its tests fail.",
        ("outcome", "analyse"),
        (),
        ((1, _ABSENT), (3, _CHANGED)),
    ),
    "context": Page(
        "Before a decision, to see what an agent would be told; with --warnings, only what speaks"
        " against it.",
        ("decide", "decisions", "skills", "calibration"),
        _WHOSE,
    ),
    "analyse": Page(
        "When you ask what came of a decision, and what it taught.",
        ("outcome", "decisions", "skills"),
        (),
        ((1, _ABSENT),),
    ),
    "calibration": Page(
        "To learn in which matters you are too sure of yourself.",
        ("outcome", "anomalies"),
        ("prior_successes", "prior_failures"),
    ),
    "skills": Page(
        "To see what your outcomes have in common, or to learn from them anew.",
        ("outcome", "reflect", "context"),
        ("skills_withheld",),
    ),
    "anomalies": Page(
        "Now and then, for what deserves a look.",
        ("calibration", "outcome"),
        _WHOSE,
    ),
    "index": Page(
        "Once for each project, then again when much has changed, or once with --watch.",
        ("code", "why", "projects"),
        (*_WHOSE, "roots"),
    ),
    "code": Page(
        "To find a function by what it does when you do not know its name.",
        ("index", "why", "recall"),
        _WHOSE,
    ),
    "why": Page(
        "When you read code and ask how it came to be so.",
        ("code", "decisions", "index"),
        _WHOSE,
        ((1, "the file is in no indexed project"),),
    ),
    "projects": Page(
        "To see which projects are indexed, how far, and what was left out.",
        ("index", "code"),
        _WHOSE,
        ((1, "no project has that name"),),
    ),
    "describe": Page(
        "To give a name its meaning: who somebody is, what a project is about.",
        ("relate", "explore"),
        _WHOSE,
    ),
    "relate": Page(
        "To say outright what belongs together; what texts name is linked by itself.",
        ("explore", "describe", "invalidate"),
        (),
        ((1, _ABSENT),),
    ),
    "explore": Page(
        "To follow links from a record that you know.",
        ("relate", "recall"),
        (),
        ((1, _ABSENT),),
    ),
    "export": Page(
        "To move a memory to another machine or another version, or to read all of it.",
        ("restore", "backup"),
        (),
        ((1, "there is no folder for the file"), (3, "the file is there already")),
    ),
    "restore": Page(
        "To make a store from an export.",
        ("export", "backup", "verify"),
        (),
        ((1, "there is no such file"), (3, "the store is not empty")),
    ),
    "backup": Page(
        "Regularly, while everything runs, and before anything that you might want to take back.",
        ("export", "verify"),
        (),
        ((1, "there is no folder for the copy"), (3, "the file is there already")),
    ),
    "import": Page(
        "Once, when you come from another memory, or have months of transcripts. Try --dry-run.",
        ("ingest", "review", "restore"),
        _KEEPING,
        ((1, f"there is no such file or batch, or {_REFUSED}"),),
    ),
    "forget": Page(
        "For what must not exist any more, such as a secret or what somebody wants deleted. For"
        " what is merely over, `invalidate`.",
        ("invalidate", "review", "retention"),
        (),
        ((1, f"{_ABSENT}, or {_REFUSED}"),),
    ),
    "retention": Page(
        "Where memories may be kept only for so long, or only so many.",
        ("forget", "review"),
        _WHOSE,
        ((1, _REFUSED),),
    ),
    "reset": Page(
        "To begin with nothing. Make a backup first.",
        ("backup", "forget"),
        (),
        ((1, _REFUSED),),
    ),
    "keys": Page(
        "Before you serve others over HTTP, or to act as admin over MCP.",
        ("serve",),
        (),
        ((1, "no key has that id"),),
    ),
    "completion": Page(
        "Once for each shell that you use.",
        ("help",),
    ),
    "top": Page(
        "While agents are at work and you want to see what they do.",
        ("status", "stats", "changes"),
        ("key",),
    ),
    "review": Page(
        "Every few weeks; it lists first, and changes only what you say.",
        ("forget", "retention", "import"),
        _WHOSE,
        ((1, f"some were passed over, or {_REFUSED}"),),
    ),
    "stats": Page(
        "To see whether memory is worth its tokens.",
        ("status", "hook", "top"),
        _WHOSE,
    ),
    "status": Page(
        "To see which file is used, and how full it is.",
        ("doctor", "verify", "stats"),
        ("embedding", "durability"),
        ((1, "the store that --store names is not there"),),
    ),
    "scopes": Page(
        "To see which names --user and --project can take.",
        ("list", "status"),
    ),
    "verify": Page(
        "After a crash of the machine, after copying files by hand, or just to be sure.",
        ("doctor", "backup", "status"),
        (),
        ((1, "there is a problem, or no store"),),
    ),
    "changes": Page(
        "To see what agents did, or to follow the memory from a program.",
        ("history", "top"),
    ),
    "embed": Page(
        "After RECOLLECT_EMBEDDING was changed. A server does it by itself while nobody asks.",
        ("status", "doctor"),
        ("embedding", "embedding_model", "embedding_url"),
    ),
}


def page(command: Command) -> Iterator[Shown]:
    """All of it, as `recollect help COMMAND` shows it."""
    known = PAGES[command.name]
    for one in parser(command).format_help().rstrip().split("\n"):
        yield line((one, HEAD)) if _is_heading(one) else one
    yield from _part("when to use it", *(f"  {one}" for one in wrap(known.when, _WIDTH - 2)))
    yield from _part("examples", *(f"  {one}" for one in command.examples))
    codes = dict(CODES) | dict(known.codes)
    given = sorted({*_ALWAYS, *(code for code, _ in known.codes)})
    if command.fails_open:
        codes, given = {0: "always, so that no program is held up"}, [0]
    yield from _part("exit codes", *_rows([(str(code), codes[code]) for code in given]))
    settings = _settings(known)
    rows = [(one.variable, _first(one.about)) for one in settings]
    yield from _part("environment", *_rows(rows), "  all of them: recollect help settings")
    also = ", ".join(f"recollect {one}" for one in known.also)
    yield from _part("see also", *(f"  {one}" for one in wrap(also, _WIDTH - 2)))


def settings() -> Iterator[Shown]:
    """Every setting, as `recollect help settings` shows it."""
    from recollect.config import SETTINGS

    yield line(
        "What a command line does not say, the environment says; else the settings file,"
        " ~/.config/recollect/config.toml or the one that RECOLLECT_CONFIG names; else the default."
    )
    for one in SETTINGS:
        yield ""
        yield line((one.variable, NAME), f"  in the file: {one.key}", hang=4)
        default = f"Default: {one.default}."
        for said in (one.about, default):
            yield from (f"    {each}" for each in wrap(said.replace("`", ""), _WIDTH - 4))


def _is_heading(one: str) -> bool:
    return one.endswith(":") and not one.startswith(" ")


def _part(heading: str, *lines: Shown) -> Iterator[Shown]:
    yield ""
    yield line((f"{heading}:", HEAD))
    yield from lines


def _rows(rows: list[tuple[str, str]]) -> Iterator[Shown]:
    width = max(len(name) for name, _ in rows)
    for name, said in rows:
        first, *more = wrap(said, _WIDTH - width - 4)
        yield line("  ", (f"{name:<{width}}", NAME), f"  {first}", hang=width + 4)
        yield from (f"{'':<{width + 4}}{one}" for one in more)


def _settings(known: Page) -> list[Setting]:
    from recollect.config import SETTINGS

    return [one for one in SETTINGS if one.field in {*_SHARED, *known.reads}]


def _first(about: str) -> str:
    """The first sentence, without the marks of Markdown."""
    sentence = about.replace("`", "").partition(". ")[0].removesuffix(".")
    return sentence[:1].lower() + sentence[1:]
