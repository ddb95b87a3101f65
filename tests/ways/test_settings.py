from __future__ import annotations

import stat

import pytest

from recollect.config import SETTINGS, Config, load
from recollect.embed import Model
from recollect.embed.bundled import MODEL as BUNDLED
from recollect.embed.choose import Provider
from recollect.embed.hashed import HashEmbedder
from recollect.errors import InvalidRequest, Unavailable
from recollect.model import Scope
from recollect.rules.redact import Policy
from recollect.value import fields
from recollect.wiring import _older, open_engine


@pytest.fixture
def settings_file(tmp_path):
    def write(content):
        path = tmp_path / "settings" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return {"HOME": "/nobody", "RECOLLECT_CONFIG": str(path)}

    return write


def test_without_any_setting_the_store_is_in_the_users_own_folder():
    assert load({}, {"HOME": "/home/ada"}) == Config(
        "/home/ada/.local/share/recollect/memory.db", own_folder=True
    )


def test_the_defaults_of_the_scope_are_those_of_the_model():
    config = load({}, {"HOME": "/home/ada"})
    assert Scope(config.tenant, config.user, config.project) == Scope()


def test_the_folder_for_data_is_where_the_system_says():
    store = load({}, {"HOME": "/home/ada", "XDG_DATA_HOME": "/data"}).store
    assert store == "/data/recollect/memory.db"


def test_a_relative_folder_for_data_is_ignored_as_its_specification_wants():
    store = load({}, {"HOME": "/home/ada", "XDG_DATA_HOME": "data"}).store
    assert store == "/home/ada/.local/share/recollect/memory.db"


def test_a_flag_goes_before_the_environment_and_the_environment_before_the_file(settings_file):
    environment = settings_file('user = "file"\nproject = "file"\ntenant = "file"\n')
    environment |= {"RECOLLECT_USER": "environment", "RECOLLECT_PROJECT": "environment"}
    config = load({"user": "flag", "project": None}, environment)
    assert (config.user, config.project, config.tenant) == ("flag", "environment", "file")


def test_an_empty_flag_lifts_a_default_and_an_empty_variable_is_not_there():
    environment = {"HOME": "/home/ada", "RECOLLECT_USER": "ada", "RECOLLECT_PROJECT": ""}
    assert load({"user": ""}, environment).user == ""
    assert load({}, environment).user == "ada"
    assert load({}, environment).project == ""


def test_the_settings_file_is_found_in_the_users_folder(tmp_path):
    folder = tmp_path / ".config" / "recollect"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('durability = "normal"\n')
    assert load({}, {"HOME": str(tmp_path)}).durability == "normal"


def test_a_path_in_the_file_is_meant_from_where_the_file_is(settings_file, tmp_path):
    config = load({}, settings_file('store = "mine.db"\n'))
    assert config.store == str(tmp_path / "settings" / "mine.db")
    assert not config.own_folder


def test_a_home_in_the_file_is_the_users(settings_file, tmp_path):
    config = load({}, settings_file('store = "~/mine.db"\n'))
    assert config.store == str(tmp_path / "home" / "mine.db")


def test_a_path_given_by_flag_is_meant_from_where_the_command_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load({"store": "mine.db"}, {}).store == str(tmp_path / "mine.db")


def test_embedding_is_set_in_a_table_of_its_own(settings_file):
    config = load(
        {},
        settings_file(
            '[embedding]\nprovider = "openai"\nmodel = "m"\nurl = "http://localhost/v1"\n'
            'api_key = "k"\ndimensions = 512\nquery_prefix = "q: "\n'
        ),
    )
    assert (config.embedding, config.embedding_model) == ("openai", "m")
    assert (config.embedding_url, config.embedding_api_key) == ("http://localhost/v1", "k")
    assert (config.embedding_dimensions, config.embedding_query_prefix) == (512, "q: ")


def test_every_setting_can_be_told_by_its_variable():
    given = {"embedding_url": "https://example.org", "embedding_dimensions": "7", "store": "/s"}
    given |= {"durability": "normal", "secrets": "allow", "embedding": "openai", "roots": "/a:/b"}
    given |= dict.fromkeys(("oauth_issuer", "oauth_resource", "oauth_keys"), "https://example.org")
    given["database"] = "postgresql://localhost/memory"
    given |= {"limits": "requests=7", "log_level": "info", "log_format": "json"}
    given |= {"database": "postgresql://localhost/memory"}
    given |= {"hooks": "start", "hook_tokens": "7", "hook_server": "http://localhost:1"}
    numbers = ("write_cooldown", "prior_successes", "prior_failures", "skills_withheld")
    given |= dict.fromkeys(numbers, "0.5")
    environment = {s.variable: given.get(s.field, "word") for s in SETTINGS}
    config = load({}, environment)
    several = {
        "roots": "('/a', '/b')",
        "http_hosts": "('word',)",
        "limits": "(('requests', 7),)",
        "hooks": "('start',)",
    }
    assert {s.field: str(getattr(config, s.field)) for s in SETTINGS} == {
        s.field: given.get(s.field, "word") for s in SETTINGS
    } | several


def test_every_field_is_a_setting_but_the_one_that_follows_from_another():
    assert {setting.field for setting in SETTINGS} == {*fields(Config)} - {"own_folder"}


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("RECOLLECT_DURABILITY", "fast", "one of full, normal"),
        ("RECOLLECT_SECRETS", "Block", "one of block, redact, allow"),
        ("RECOLLECT_WRITE_COOLDOWN", "-1", "a number from 0 up"),
        ("RECOLLECT_WRITE_COOLDOWN", "soon", "a number from 0 up"),
        ("RECOLLECT_PRIOR_SUCCESSES", "0", "a number above 0"),
        ("RECOLLECT_PRIOR_FAILURES", "inf", "a number from 0 up"),
        ("RECOLLECT_SKILLS_WITHHELD", "1.5", "a number from 0 to 1"),
        ("RECOLLECT_EMBEDDING", "magic", "one of bundled, openai"),
        ("RECOLLECT_EMBEDDING_DIMENSIONS", "many", "a whole number from 1 up"),
        ("RECOLLECT_EMBEDDING_DIMENSIONS", "0", "a whole number from 1 up"),
        ("RECOLLECT_EMBEDDING_URL", "localhost", "begins with https://"),
    ],
)
def test_a_wrong_value_says_where_it_was_set_and_what_is_allowed(variable, value, allowed):
    with pytest.raises(InvalidRequest) as caught:
        load({}, {variable: value})
    assert str(caught.value).startswith(f"{variable} is {value!r}")
    assert allowed in str(caught.value)


@pytest.mark.parametrize("flag", ["store", "tenant"])
def test_an_empty_flag_that_has_to_say_something_is_refused(flag):
    with pytest.raises(InvalidRequest, match=f"--{flag} is ''"):
        load({flag: ""}, {})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("durability = 'fast'", "durability in .*config.toml is 'fast'"),
        ("durabilty = 'full'", "sets durabilty, and there is no such setting"),
        ("[embedding]\nprovder = 'hash'", "sets embedding.provder"),
        ("user = true", "user in .* is True"),
        ("user = ['ada']", "user in .* is \\['ada'\\]"),
        ("store = 5", 'store in .* is 5, which is no path. Put it in quotes: "5"'),
        ("store = ''", "store in .* is ''"),
        ("user = ", "is not TOML"),
        (b"user = '\xff'", "is not TOML in UTF-8"),
    ],
)
def test_what_is_wrong_in_the_file_is_said_with_the_file(settings_file, content, said):
    with pytest.raises(InvalidRequest, match=said):
        load({}, settings_file(content))


def test_a_settings_file_that_is_named_has_to_be_there(tmp_path):
    with pytest.raises(InvalidRequest, match="which is not there"):
        load({}, {"RECOLLECT_CONFIG": str(tmp_path / "none.toml")})


def test_a_settings_file_that_cannot_be_read_is_said_to_be_one(tmp_path):
    with pytest.raises(InvalidRequest, match="cannot be read"):
        load({}, {"RECOLLECT_CONFIG": str(tmp_path)})


def test_a_key_is_never_shown():
    config = Config("/s", embedding_api_key="hidden")
    assert "hidden" not in repr(config)
    assert "'***'" in repr(config)
    assert "embedding_api_key=None" in repr(Config("/s"))


def test_the_choices_are_those_of_the_parts_that_are_chosen():
    (secrets,) = [s for s in SETTINGS if s.field == "secrets"]
    (embedding,) = [s for s in SETTINGS if s.field == "embedding"]
    assert [secrets.read(policy.value) for policy in Policy] == [*Policy]
    assert [embedding.read(provider.value) for provider in Provider] == [*Provider]


def test_our_own_folder_is_made_for_its_owner_alone(tmp_path):
    config = load({}, {"HOME": str(tmp_path), "RECOLLECT_EMBEDDING": "hash"})
    open_engine(config).close()
    folder = tmp_path / ".local" / "share" / "recollect"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "memory.db").exists()


def test_a_folder_that_was_named_is_not_made(tmp_path):
    with pytest.raises(Unavailable, match="does not exist"):
        open_engine(load({"store": str(tmp_path / "none" / "memory.db")}, {}))
    assert not (tmp_path / "none").exists()


def test_a_folder_that_cannot_be_made_is_said_with_its_reason(tmp_path):
    (tmp_path / ".local").write_text("in the way")
    with pytest.raises(Unavailable, match=r"cannot be made \(.*--store"):
        open_engine(load({}, {"HOME": str(tmp_path)}))


def test_without_a_home_the_systems_own_record_is_asked(monkeypatch):
    monkeypatch.delenv("HOME")
    assert load({}, {}).store.startswith("/")


def test_a_model_that_was_chosen_before_goes_on_serving_where_its_name_says_how(tmp_path):
    config = Config(str(tmp_path / "memory.db"), embedding="hash")
    for model in (BUNDLED, HashEmbedder(64).model):
        older = _older(config, model)
        assert older is not None
        assert older.model == model
        older.close()
    assert _older(config, Model("someone else's", 384)) is None
