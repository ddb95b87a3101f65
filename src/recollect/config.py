"""Settings: from flags, the environment, a file and defaults, the first of them that says it.

No other module reads the environment, and nothing here knows what a setting is used for.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidRequest
from recollect.value import Value, fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


_ENDLESS = float("inf")


_POSTGRES = ("postgresql://", "postgres://")
_LIMITED = ("requests", "captures", "reads")


class Config(Value):
    """Every setting, resolved."""

    store: str
    durability: str = "full"
    tenant: str = "local"
    user: str = ""
    project: str = ""
    secrets: str = "block"
    # Seconds between two decisions of an agent.
    write_cooldown: float = 0.0
    prior_successes: float = 1.0
    prior_failures: float = 1.0
    skills_withheld: float = 0.0
    # Folders whose files may be read beside the working directory.
    roots: tuple[str, ...] = ()
    # The secret that a client on stdio calls with.
    key: str | None = None
    log_level: str = "warning"
    log_format: str = "text"
    # How often a client may ask, where somebody has said it: pairs of what and how many a minute.
    limits: tuple[tuple[str, int], ...] | None = None
    # The address of a database server that is to keep the memory.
    database: str | None = None
    # Who hands out tokens for a server over HTTP, and what that server is to them.
    oauth_issuer: str | None = None
    oauth_resource: str | None = None
    oauth_keys: str | None = None
    # Names by which a server over HTTP may be called, beside its address.
    http_hosts: tuple[str, ...] = ()
    # Which hooks do something, and how many tokens they may put before a model.
    hooks: tuple[str, ...] = ("start", "prompt", "stop")
    hook_tokens: int = 800
    # The address of a server that hooks ask first.
    hook_server: str | None = None
    embedding: str = "bundled"
    embedding_model: str | None = None
    embedding_url: str | None = None
    embedding_api_key: str | None = None
    embedding_dimensions: int | None = None
    embedding_query_prefix: str = ""
    embedding_passage_prefix: str = ""
    # Whether the store's folder is of our own choosing, and so ours to make.
    own_folder: bool = False

    @property
    def cache(self) -> str:
        """Where vectors of known texts are kept: beside the store, to share its fate."""
        return f"{self.store}-cache"

    @property
    def aside(self) -> str:
        """Where captures wait while the store is away."""
        return f"{self.store}-aside"

    @property
    def elsewhere(self) -> bool:
        """Whether a database server is to keep the memory, and no file."""
        return (self.database or "").startswith(_POSTGRES)

    def __repr__(self) -> str:
        """All but the secrets, for settings end up in logs."""
        shown = {field: getattr(self, field) for field in fields(self)}
        for secret in ("embedding_api_key", "key", "database"):
            if shown[secret] is not None:
                shown[secret] = "***"
        return f"Config({', '.join(f'{k}={v!r}' for k, v in shown.items())})"


def _text(value: str) -> str:
    return value


def _name(value: str) -> str:
    if not value:
        raise ValueError("a name that is not empty")
    return value


def _path(value: str) -> str:
    if not value:
        raise ValueError("the path of a file")
    return os.path.abspath(os.path.expanduser(value))


def _paths(value: str) -> tuple[str, ...]:
    return tuple(_path(one) for one in value.split(os.pathsep) if one)


def _level(value: str) -> str:
    named = {"warn": "warning", "fatal": "error"}.get(value.lower(), value.lower())
    return _one_of("debug", "info", "warning", "error")(named)


def _limits(value: str) -> tuple[tuple[str, int], ...]:
    if value == "off":
        return ()
    found = []
    for one in value.split(","):
        what, _, many = one.partition("=")
        if what.strip() not in _LIMITED or not (many.isascii() and many.strip().isdigit()):
            raise ValueError("`off`, or numbers a minute: requests=100,captures=10,reads=1000")
        found.append((what.strip(), int(many)))
    return tuple(found)


def _hosts(value: str) -> tuple[str, ...]:
    found = tuple(one.strip() for one in value.split(",") if one.strip())
    if any("/" in one or ":" in one for one in found):
        raise ValueError("names of hosts without a port, with commas between them")
    return found


def _address(value: str) -> str:
    if not value.startswith(("https://", "http://")):
        raise ValueError("an address that begins with https:// or http://")
    return value


def _url(value: str) -> str:
    scheme, _, rest = value.partition("://")
    if not (scheme.isascii() and scheme.isidentifier() and rest):
        raise ValueError("a URL: postgresql://HOST/DATABASE")
    return value


def _dimensions(value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise ValueError("a whole number from 1 up")
    return int(value)


def _number(value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = -1.0
    if not 0 <= found < _ENDLESS:
        raise ValueError("a number from 0 up")
    return found


def _above_zero(value: str) -> float:
    found = _number(value)
    if not found:
        raise ValueError("a number above 0")
    return found


def _share(value: str) -> float:
    found = _number(value)
    if found > 1:
        raise ValueError("a number from 0 to 1")
    return found


def _some_of(*allowed: str) -> Callable[[str], tuple[str, ...]]:
    def read(value: str) -> tuple[str, ...]:
        named = tuple(one.strip() for one in value.split(",") if one.strip())
        if named == ("none",):
            return ()
        if not named or not {*named} <= {*allowed}:
            raise ValueError(f"some of {', '.join(allowed)} with commas between them, or none")
        return named

    return read


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return value

    return read


class Setting(Value):
    """One setting: its field of `Config`, its names outside, and what it may be."""

    field: str
    # In the settings file; what stands before a dot is the name of a table.
    key: str
    variable: str
    about: str
    read: Callable[[str], object]
    default: str = "none"
    # What other programs call it.
    also: tuple[str, ...] = ()


SETTINGS = (
    Setting(
        "store",
        "store",
        "RECOLLECT_STORE",
        "The file that holds the memory. The folder of the default is made when it is missing;"
        " any other has to exist.",
        _path,
        "`$XDG_DATA_HOME/recollect/memory.db`, or else `~/.local/share/recollect/memory.db`",
    ),
    Setting(
        "durability",
        "durability",
        "RECOLLECT_DURABILITY",
        "`full`: what was acknowledged survives a loss of power. `normal`: it survives a crash of"
        " the program; a loss of power may take the last moments.",
        _one_of("full", "normal"),
        "`full`",
    ),
    Setting(
        "user",
        "user",
        "RECOLLECT_USER",
        "Whose memories are kept and searched where a command does not say.",
        _text,
        "nobody's in particular; searches look at everybody's",
    ),
    Setting(
        "project",
        "project",
        "RECOLLECT_PROJECT",
        "Which project's memories are kept and searched where a command does not say.",
        _text,
        "the repository that is worked in, for documents, decisions and most of what agents keep;"
        " else none. Searches look at all projects",
    ),
    Setting(
        "tenant",
        "tenant",
        "RECOLLECT_TENANT",
        "Which of several separate memories in one file is meant. Nothing crosses from one to"
        " another.",
        _name,
        "`local`",
    ),
    Setting(
        "secrets",
        "secrets",
        "RECOLLECT_SECRETS",
        "What becomes of a text that holds a live-looking secret: `block` refuses it, `redact`"
        " keeps it without the secret, `allow` keeps it as it is.",
        _one_of("block", "redact", "allow"),
        "`block`",
    ),
    Setting(
        "write_cooldown",
        "decisions.write_cooldown",
        "RECOLLECT_WRITE_COOLDOWN",
        "So many seconds have to lie between two decisions that an agent records.",
        _number,
        "0",
    ),
    Setting(
        "prior_successes",
        "decisions.prior_successes",
        "RECOLLECT_PRIOR_SUCCESSES",
        "How many successes a domain's calibration begins with.",
        _above_zero,
        "1",
    ),
    Setting(
        "prior_failures",
        "decisions.prior_failures",
        "RECOLLECT_PRIOR_FAILURES",
        "How many failures a domain's calibration begins with.",
        _above_zero,
        "1",
    ),
    Setting(
        "skills_withheld",
        "decisions.skills_withheld",
        "RECOLLECT_SKILLS_WITHHELD",
        "Of which share of decisions each skill is withheld, so that both arms can be compared.",
        _share,
        "0",
    ),
    Setting(
        "roots",
        "roots",
        "RECOLLECT_ROOTS",
        "Folders whose documents and code an agent may have read, beside the working directory;"
        " with `:` between them.",
        _paths,
    ),
    Setting(
        "key",
        "key",
        "AGENT_MEMORY_SECRET",
        "The secret of the key that a client on stdio calls with; `recollect keys create` makes"
        " one. Only a key makes an admin.",
        _name,
        "none; a client on stdio is an agent",
    ),
    Setting(
        "database",
        "database",
        "MEMBRIA_GRAPH_URL",
        "The database server that is to keep the memory, as `postgresql://HOST/DATABASE`. This"
        " version can use none yet: while one is named, decisions that are captured wait in a"
        " journal beside the store, calibrations come from their last copy, and all else fails and"
        " says so. Unset it, and the journal is recorded in the file. A URL of another kind"
        " changes nothing but for a line in the log.",
        _url,
        "none; a file keeps it",
    ),
    Setting(
        "log_level",
        "log.level",
        "RECOLLECT_LOG_LEVEL",
        "What a server writes to standard error: from `info` on every call, without what it says;"
        " from `warning` on calls that take more than a second, and what went wrong.",
        _level,
        "`warning`",
        ("MEMBRIA_LOG_LEVEL",),
    ),
    Setting(
        "log_format",
        "log.format",
        "RECOLLECT_LOG_FORMAT",
        "Whether that is `text`, or one document of `json` a line.",
        _one_of("text", "json"),
        "`text`",
    ),
    Setting(
        "limits",
        "limits",
        "RECOLLECT_LIMITS",
        "How often a client may call tools, capture decisions and read resources within a minute,"
        " as `requests=100,captures=10,reads=1000`, or `off`. Set, it holds for every contract,"
        " over HTTP and on standard input alike; what is not named has no limit.",
        _limits,
        "over HTTP those numbers, for the contract `membria` alone; elsewhere no limits",
    ),
    Setting(
        "oauth_issuer",
        "oauth.issuer",
        "RECOLLECT_OAUTH_ISSUER",
        "The OAuth 2.1 authorization server whose tokens `recollect serve --http` takes beside"
        " keys. A token's scope says the role: `recollect:viewer`, `recollect:agent` or"
        " `recollect:admin`; its claims `tenant` and `sub` say whose memories are meant.",
        _address,
        "none; only keys are taken",
    ),
    Setting(
        "oauth_resource",
        "oauth.resource",
        "RECOLLECT_OAUTH_RESOURCE",
        "The address of this server as its clients know it, which has to be the audience of a"
        " token.",
        _address,
        "`http://HOST:PORT/mcp`, as it serves",
    ),
    Setting(
        "oauth_keys",
        "oauth.keys",
        "RECOLLECT_OAUTH_KEYS",
        "The address of the issuer's public keys (JWKS).",
        _address,
        "what the issuer's metadata say",
    ),
    Setting(
        "http_hosts",
        "http.hosts",
        "RECOLLECT_HTTP_HOSTS",
        "Names by which `recollect serve --http` may be called beside its address, with commas"
        " between them: that of the machine in its network, or of a proxy in front of it.",
        _hosts,
    ),
    Setting(
        "hooks",
        "hooks.events",
        "RECOLLECT_HOOKS",
        "Which hooks do something, with commas between them: `start` and `prompt` put memories"
        " before the agent, `stop` keeps facts and decisions as candidates. `none` for none.",
        _some_of("start", "prompt", "stop"),
        "`start,prompt,stop`",
    ),
    Setting(
        "hook_tokens",
        "hooks.tokens",
        "RECOLLECT_HOOK_TOKENS",
        "How many tokens a hook may put before the agent at once.",
        _dimensions,
        "`800`",
    ),
    Setting(
        "hook_server",
        "hooks.server",
        "RECOLLECT_HOOK_SERVER",
        "The address of a `recollect serve --http` on the same memory, which a hook asks first at a"
        " prompt, for it searches by meaning too: `http://127.0.0.1:8377`. It has a tenth of a"
        " second; then the store itself is searched, by words.",
        _address,
    ),
    Setting(
        "embedding",
        "embedding.provider",
        "RECOLLECT_EMBEDDING",
        "What turns texts into vectors: the `bundled` model; a server that speaks like `openai`;"
        " a model of the libraries `fastembed` or `sentence-transformers`; or `hash`, which uses"
        " no model and finds by likeness of letters.",
        _one_of("bundled", "openai", "fastembed", "sentence-transformers", "hash"),
        "`bundled`",
    ),
    Setting(
        "embedding_model",
        "embedding.model",
        "RECOLLECT_EMBEDDING_MODEL",
        "The name of the model, for `openai`, `fastembed` and `sentence-transformers`.",
        _name,
    ),
    Setting(
        "embedding_url",
        "embedding.url",
        "RECOLLECT_EMBEDDING_URL",
        "The address of the server, for `openai`. Texts are sent there.",
        _address,
    ),
    Setting(
        "embedding_api_key",
        "embedding.api_key",
        "RECOLLECT_EMBEDDING_API_KEY",
        "The key for that server, if it asks for one.",
        _name,
    ),
    Setting(
        "embedding_dimensions",
        "embedding.dimensions",
        "RECOLLECT_EMBEDDING_DIMENSIONS",
        "How many numbers a vector has, where the model leaves a choice.",
        _dimensions,
        "the model's own",
    ),
    Setting(
        "embedding_query_prefix",
        "embedding.query_prefix",
        "RECOLLECT_EMBEDDING_QUERY_PREFIX",
        "What the model wants in front of a question.",
        _text,
    ),
    Setting(
        "embedding_passage_prefix",
        "embedding.passage_prefix",
        "RECOLLECT_EMBEDDING_PASSAGE_PREFIX",
        "What the model wants in front of a text to be found.",
        _text,
    ),
)


def load(
    flags: Mapping[str, str | None] | None = None, environment: Mapping[str, str] | None = None
) -> Config:
    """The settings as they hold now. `flags` are by field, None where one was not given.

    Raises:
        InvalidRequest: a value is none that its setting can have, or the file cannot be read.
    """
    known = os.environ if environment is None else environment
    said = {**_from_file(known), **_from_environment(known), **_from_flags(flags or {})}
    values: dict[str, Any] = {
        setting.field: _value(setting, *said[setting.field])
        for setting in SETTINGS
        if setting.field in said
    }
    if "store" not in values:
        values |= {"store": _default_store(known), "own_folder": True}
    return Config(**values)


def places() -> dict[str, str]:
    """Whose machine this is: the folders that programs of a person keep their settings in."""
    named = ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME")
    found = {name: os.environ[name] for name in named if os.environ.get(name)}
    return {"HOME": _folder_of_person(os.environ), **found}


def send_nothing() -> None:
    """Keep libraries from reporting their use. Said before they are imported, or it is too late.

    From version 1.29 on, onnxruntime would send where and how it runs to its maker, and keep the
    number that it gives to the machine in a file; to switch that off by its own function ends the
    sending, and the file is there by then.
    """
    for name in ("ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED", "HF_HUB_DISABLE_TELEMETRY"):
        os.environ[name] = "1"
    os.environ["DO_NOT_TRACK"] = "1"


def terminal() -> dict[str, str]:
    """What the environment says of the terminal: what it is, how wide, and whether in colour."""
    named = ("TERM", "COLUMNS", "NO_COLOR")
    return {name: os.environ[name] for name in named if os.environ.get(name)}


def inherited(more: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program that is started from here, with what is said of it."""
    return {**os.environ, **more}


def notes() -> str:
    """The folder for what Recollect has to know of the machine: which settings it has changed."""
    return os.path.dirname(_default_file(os.environ))


def _value(setting: Setting, value: str, place: str) -> object:
    try:
        return setting.read(value)
    except ValueError as allowed:
        raise InvalidRequest(
            f"{place} is {value!r}, which it cannot be; give {allowed}.",
            setting=setting.field,
            place=place,
        ) from None


def _from_flags(flags: Mapping[str, str | None]) -> dict[str, tuple[str, str]]:
    return {
        field: (value, f"--{field.replace('_', '-')}")
        for field, value in flags.items()
        if value is not None
    }


def _from_environment(environment: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """An empty variable counts as one that is not there."""
    return {
        setting.field: (environment[variable], variable)
        for setting in SETTINGS
        # The last of them that is there wins, and our own goes before others'.
        for variable in (*setting.also, setting.variable)
        if environment.get(variable)
    }


def _from_file(environment: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    named = environment.get("RECOLLECT_CONFIG")
    path = _path(named) if named else _default_file(environment)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        if not named:
            return {}
        raise InvalidRequest(
            f"RECOLLECT_CONFIG names {path}, which is not there; create it or correct the name.",
            path=path,
        ) from None
    except OSError as error:
        raise InvalidRequest(
            f"The settings in {path} cannot be read ({error.strerror}); correct the path or its"
            " permissions.",
            path=path,
        ) from error
    return _from_toml(content, path)


def _from_toml(content: bytes, path: str) -> dict[str, tuple[str, str]]:
    # Takes 10 ms to import, so only who has a file pays for it.
    import tomllib

    try:
        parsed = tomllib.loads(content.decode())
    except ValueError as error:
        raise InvalidRequest(
            f"{path} is not TOML in UTF-8: {error}. Correct it there.", path=path
        ) from None
    settings = {setting.key: setting for setting in SETTINGS}
    said = {}
    for key, value in _flat(parsed):
        if key not in settings:
            raise InvalidRequest(
                f"{path} sets {key}, and there is no such setting; the settings are"
                f" {', '.join(settings)}.",
                setting=key,
                path=path,
            )
        said[settings[key].field] = (_scalar(settings[key], value, path), f"{key} in {path}")
    return said


def _flat(table: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _scalar(setting: Setting, value: object, path: str) -> str:
    """A value of the file as text. A path in it is meant from where the file is."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidRequest(
            f"{setting.key} in {path} is {value!r}, which it cannot be; give a text or a whole"
            " number.",
            setting=setting.field,
            path=path,
        )
    if setting.read is _path and not isinstance(value, str):
        raise InvalidRequest(
            f'{setting.key} in {path} is {value!r}, which is no path. Put it in quotes: "{value}".',
            setting=setting.field,
            path=path,
        )
    if setting.read is _path and value:
        return os.path.join(os.path.dirname(path), os.path.expanduser(str(value)))
    return str(value)


def _default_store(environment: Mapping[str, str]) -> str:
    return os.path.join(_home(environment, "XDG_DATA_HOME", ".local/share"), "recollect/memory.db")


def _default_file(environment: Mapping[str, str]) -> str:
    return os.path.join(_home(environment, "XDG_CONFIG_HOME", ".config"), "recollect/config.toml")


def _home(environment: Mapping[str, str], variable: str, otherwise: str) -> str:
    """The XDG base directory; its specification has a relative one ignored."""
    named = environment.get(variable, "")
    if os.path.isabs(named):
        return named
    return os.path.join(_folder_of_person(environment), otherwise)


def _folder_of_person(environment: Mapping[str, str]) -> str:
    """The home folder; where the environment names none that can be one, the system's word."""
    named = environment.get("HOME", "")
    if os.path.isabs(named):
        return named
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise InvalidRequest(
            "Nobody knows your home folder. Set HOME, or name the file with --store."
        ) from None
