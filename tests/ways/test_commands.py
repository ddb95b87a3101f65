from __future__ import annotations

import os
import pwd
import re

import pytest

from recollect import __version__

SECRET = "db_password=" + "hunter" + "2"

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def test_what_is_remembered_is_found_and_read(recollect):
    said = recollect("remember", "The kettle stands in the kitchen.")
    assert (said.code, said.err) == (0, "")
    id_ = said.out.removeprefix("Remembered as ").removesuffix(".\n")
    assert f"1. {id_}  just now" in recollect("recall", "kettle").out
    read = recollect("get", id_).out
    assert read.startswith(f"id          {id_}\n")
    assert read.endswith("\n\nThe kettle stands in the kitchen.\n")


def test_words_need_no_quotes(recollect, remember):
    recollect("remember", "the", "build", "--title", "Build", "uses", "make")
    (record,) = recollect("list", "--json").json["records"]
    assert (record["text"], record["title"]) == ("the build uses make", "Build")


def test_a_text_can_come_from_standard_input(recollect):
    recollect("remember", "-", stdin="two\nlines – and more\n".encode())
    (record,) = recollect("list", "--json").json["records"]
    assert record["text"] == "two\nlines – and more"


def test_standard_input_that_is_no_text_is_refused(recollect):
    said = recollect("remember", "-", stdin=b"caf\xe9")
    assert said.code == 2
    assert "not UTF-8 (byte 4)" in said.err


def test_every_line_can_be_a_memory(recollect):
    recollect("remember", "one", "--source", "file")
    said = recollect("remember", "-", "--lines", "--source", "file", stdin=b"one\n\ntwo\nthree\n")
    assert said.out == "Remembered 2; known already: 1.\n"
    assert recollect("remember", "four", "--lines").out == "Remembered 1.\n"
    assert recollect("list", "--json").json["total"] == 4


def test_what_is_wrong_with_one_of_many_lines_is_said_of_that_line(recollect):
    lines = f"one\n\n{SECRET}\n".encode()
    said = recollect("remember", "-", "--lines", stdin=lines)
    assert said.code == 2
    assert "password on line 3" in said.err
    assert "hunter" not in said.err
    long = b"one\n" + b"x" * 2_000_001
    assert recollect("remember", "-", "--lines", stdin=long).err.startswith("recollect: Line 2: ")
    assert "There is no line" in recollect("remember", "-", "--lines", stdin=b"\n \n").err
    assert recollect("list", "--json").json["total"] == 0


def test_an_end_that_is_over_needs_no_beginning(recollect):
    recollect("remember", "Ada led it.", "--valid-until", "2020-01-01")
    assert recollect("list", "--json").json["total"] == 0
    (record,) = recollect("list", "--as-of", "2019-01-01", "--json").json["records"]
    told = recollect("get", record["id"]).out
    assert "true until" in told
    assert "true from" not in told


def test_a_text_may_look_like_an_option_after_two_dashes(recollect):
    recollect("remember", "--", "--json")
    (record,) = recollect("list", "--json").json["records"]
    assert record["text"] == "--json"


def test_the_same_text_is_kept_once(recollect, remember):
    id_ = remember("the build uses make")
    assert recollect("remember", "the build uses make").out == f"Known already, as {id_}.\n"


def test_everything_that_is_said_of_a_text_is_kept(recollect):
    recollect(
        *("remember", "Ada chairs the board.", "--type", "fact", "--title", "Board"),
        *("--metadata", '{"page": 3}', "--event-time", "2026-01-02", "--session", "s"),
        *("--valid-from", "2026-01-03T10:00+02:00", "--valid-until", "2099-01-01T00:00Z"),
        *("--confidence", "0.5", "--importance", "0.25", "--speaker", "Bob"),
        *("--source", "minutes", "--source-ref", "p. 3", "--user", "ada", "--project", "p"),
    )
    (record,) = recollect("list", "--json").json["records"]
    assert {name: record[name] for name in ("type", "title", "session", "speaker", "source")} == {
        "type": "fact",
        "title": "Board",
        "session": "s",
        "speaker": "Bob",
        "source": "minutes",
    }
    assert (record["metadata"], record["source_ref"]) == ({"page": 3}, "p. 3")
    assert (record["confidence"], record["importance"]) == (0.5, 0.25)
    assert record["event_time"] == "2026-01-02T00:00:00Z"
    assert record["valid_from"] == "2026-01-03T08:00:00Z"
    assert record["valid_until"] == "2099-01-01T00:00:00Z"
    assert record["scope"] == {"tenant": "local", "user": "ada", "project": "p"}
    read = recollect("get", record["id"]).out
    for shown in ("Board", "(fact)", "p. 3", '{"page":3}', "0.5", "0.25", "Bob", "2099-01-01"):
        assert shown in read


def test_who_writes_at_the_keyboard_is_a_person_with_the_systems_name(
    recollect, remember, monkeypatch
):
    monkeypatch.setenv("USER", "someone else")
    (record,) = recollect("get", remember("x"), "--json").json["records"]
    name = pwd.getpwuid(os.getuid()).pw_name
    assert record["author"] == {"kind": "human", "name": name}


def test_a_person_whom_the_system_does_not_know_has_no_name(recollect, remember, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    (record,) = recollect("get", remember("x"), "--json").json["records"]
    assert record["author"] == {"kind": "human", "name": ""}


def test_superseding_closes_the_older_record(recollect, remember):
    old = remember("We deploy on Tuesdays.")
    new = remember("We deploy on Fridays.", "--supersedes", old)
    (record,) = recollect("get", old, "--json").json["records"]
    assert record["superseded_by"] == new
    assert record["valid_until"]
    assert f"replaced by {new}" in recollect("get", old).out
    assert f"replaces    {old}" in recollect("get", new).out
    assert [r["id"] for r in recollect("list", "--json").json["records"]] == [new]
    assert recollect("list", "--all", "--json").json["total"] == 2
    assert "no longer true" in recollect("recall", "deploy on Tuesdays", "--any-time").out


def test_a_record_can_be_superseded_afterwards(recollect, remember):
    old, new = remember("The office is in Bern."), remember("The office is in Basel.")
    assert recollect("supersede", old, new).out == f"{new} takes the place of {old}.\n"
    again = recollect("supersede", old, remember("The office is in Zug."))
    assert again.code == 3
    assert again.err.startswith("recollect: ")


def test_a_contradiction_is_pointed_out_with_the_way_to_settle_it(recollect, remember):
    old = remember("The deploy day of the billing service is Tuesday.")
    said = recollect("remember", "The deploy day of the billing service is Friday.").out
    new = said.split("\n")[0].removeprefix("Remembered as ").removesuffix(".")
    assert "It may contradict:" in said
    assert said.endswith(f"recollect supersede {old} {new}\n")


def test_what_is_known_with_another_begin_is_said_to_be(recollect, remember):
    id_ = remember("Rent is 900.", "--valid-from", "2024-01-01")
    said = recollect("remember", "Rent is 900.", "--valid-from", "2020-01-01").out
    assert said.startswith(f"Known already, as {id_}.\nIt is kept as true from 2024-01-01")
    assert f"recollect revise {id_} --valid-from TIME" in said
    assert "true from" not in recollect("remember", "Rent is 900.").out
    again = recollect("remember", "Rent is 900.", "--valid-from", "2024-01-01").out
    assert "true from" not in again


def test_a_long_text_is_shown_where_it_was_found(recollect):
    plain = "Of the harbour there is much to be said, and of the weather. " * 40
    answer = "The spare key for the boat house hangs behind the third lamp."
    recollect("remember", "-", stdin=f"# Manual\n{plain}{answer} {plain}".encode())
    said = recollect("recall", "where is the spare key for the boat house?").out
    assert "# Manual Of the harbour" in said
    assert "…Of the harbour" in said
    assert answer in said
    assert said.endswith("…\n")
    # What is at its beginning is seen there.
    said = recollect("recall", "a manual").out
    assert "\n   # Manual\n   Of the harbour" in said
    (hit,) = recollect("recall", "where is the spare key?", "--json").json["hits"]
    assert answer in hit["passage"]


def test_revising_changes_what_is_named_and_keeps_the_rest(recollect, remember):
    id_ = remember("The build uses mkae.", "--title", "Build")
    said = recollect("revise", id_, "--confidence", "0.5", "The build uses make.")
    assert said.out == f"Revised {id_}, which is now at version 2.\n"
    (record,) = recollect("get", id_, "--json").json["records"]
    assert (record["text"], record["title"]) == ("The build uses make.", "Build")
    assert "changed" in recollect("get", id_).out


def test_revising_without_a_change_is_refused(recollect, remember):
    said = recollect("revise", remember("x"))
    assert said.code == 2
    assert "nothing to change" in said.err


def test_revising_to_what_it_says_already_changes_nothing(recollect, remember):
    id_ = remember("x")
    said = recollect("revise", id_, "--metadata", "{}")
    assert (said.code, said.out) == (
        0,
        f"Nothing was to be changed: {id_} says all of that already.\n",
    )
    assert recollect("history", id_).out.count("\nversion ") == 0


def test_revising_another_version_than_expected_is_a_conflict(recollect, remember):
    said = recollect("revise", remember("x"), "y", "--expected-version", "7")
    assert said.code == 3


def test_what_is_invalid_is_kept_but_no_longer_listed(recollect, remember):
    id_ = remember("The project runs.")
    assert "no longer true" in recollect("invalidate", id_, "--reason", "closed").out
    again = recollect("invalidate", id_).out
    assert f"{id_} was no longer true already, since 20" in again
    assert again.endswith("Nothing was changed.\n")
    nothing = recollect("list")
    assert (nothing.out, nothing.err) == ("", "recollect: Nothing to list.\n")
    assert recollect("get", id_).code == 0
    assert '"reason":"closed"' in recollect("history", id_).out.replace(" ", "")


def test_history_tells_every_version_and_change(recollect, remember):
    id_ = remember("first")
    recollect("revise", id_, "second")
    told = recollect("history", id_)
    assert told.out.index("version 1") < told.out.index("first") < told.out.index("version 2")
    assert "remember by human" in told.out
    assert "revise by human" in told.out
    assert recollect("get", id_, "--history").out == told.out
    data = recollect("history", id_, "--json").json
    assert [version["text"] for version in data["versions"]] == ["first", "second"]
    assert recollect("get", id_, "--history", "--json").json == {"histories": [data]}


def test_history_tells_what_changed_beside_the_text(recollect, remember):
    id_ = remember("It rains.")
    recollect("revise", id_, "--title", "Weather", "--valid-from", "2020-01-01")
    told = recollect("history", id_).out
    assert told.count("It rains.") == 1
    assert "  title: nothing -> Weather\n" in told
    assert "  true from: nothing -> 2020-01-01 00:00:00Z" in told


def test_a_history_is_of_all_times(recollect, remember):
    id_ = remember("first")
    for option in ("--as-of", "--known-at"):
        said = recollect("get", id_, "--history", option, "2026-01-01")
        assert said.code == 2
        assert "of all times" in said.err


def test_what_was_not_true_then_is_not_said_to_be_missing(recollect, remember):
    id_ = remember("Ada leads.", "--valid-from", "2026-01-01")
    for option in ("--as-of", "--known-at"):
        said = recollect("get", id_, "nowhere", option, "2020-01-01")
        assert said.code == 1
        assert "There is no record nowhere." in said.err
        assert f"{id_} was not true, or not known, at that time" in said.err


def test_an_empty_id_names_nothing(recollect, remember):
    remember("there")
    said = recollect("get", "")
    assert (said.code, said.out) == (1, "")
    assert "There is no record ''" in said.err


def test_a_timeline_shows_what_was_remembered_and_not_what_that_names(recollect, remember):
    ids = [remember(f"Ada Lovelace met Charles Babbage in London on day {n}.") for n in range(4)]
    shown = recollect("timeline", ids[1]).out
    assert [line.split()[0 if line[0] == " " else 1] for line in shown.splitlines()] == ids
    (one, *_) = recollect("list", "--kind", "entity", "--json").json["records"]
    assert f"> {one['id']}" in recollect("timeline", one["id"]).out


def test_a_record_can_be_read_as_it_was_known(recollect, remember):
    id_ = remember("first")
    (record,) = recollect("get", id_, "--json").json["records"]
    recollect("revise", id_, "second")
    then = recollect("get", id_, "--known-at", record["updated_at"], "--json").json
    assert then["records"][0]["text"] == "first"


def test_a_record_that_is_not_there_is_named_and_the_others_are_shown(recollect, remember):
    id_, other = remember("there"), remember("there too")
    said = recollect("get", id_, "nowhere", other)
    assert said.code == 1
    assert "there\n---\nid " in said.out
    assert said.err.startswith("recollect: There is no record nowhere.")
    as_json = recollect("get", id_, "nowhere", "--json")
    assert as_json.code == 1
    assert as_json.json["missing"] == ["nowhere"]


def test_finding_nothing_is_an_answer(recollect):
    said = recollect("recall", "anything")
    assert (said.code, said.out, said.err) == (0, "Nothing found.\n", "")
    assert recollect("recall", "anything", "--json").json["hits"] == []


def test_what_was_found_and_is_not_shown_is_not_said_to_be_nothing(recollect, remember):
    remember("The kettle is in the kitchen.")
    assert "larger --budget" in recollect("recall", "kettle", "--budget", "1").out
    assert "after the first 5" in recollect("recall", "kettle", "--offset", "5").out


def test_a_search_says_why(recollect, remember):
    remember("The pool of the database has 20 connections.", "--title", "Pool")
    said = recollect("recall", "database", "pool", "--explain").out
    assert "   Pool\n" in said
    assert re.search(r"why: meaning [\d.]+ \(no. 1: cosine [\d.]+\); words .*databas", said)


def test_a_search_keeps_to_what_is_asked_for(recollect, remember):
    one = remember("tea is green", "--user", "ada", "--type", "fact", "--session", "s")
    remember("tea is black", "--user", "bob", "--type", "taste", "--event-time", "2020-05-05")

    def found(*options):
        hits = recollect("recall", "tea", *options, "--json").json["hits"]
        return [hit["record"]["id"] for hit in hits]

    assert len(found()) == 2
    assert len(found("--limit", "1")) == 1
    assert found("--user", "ada") == found("--type", "fact") == found("--session", "s") == [one]
    assert found("--since", "1d") == [one]
    assert found("--until", "2021-01-01") != [one]
    assert found("--kind", "decision") == found("--as-of", "2019-01-01") == []
    assert len(found("--kind", "all", "--any-time")) == 2
    assert found("--budget", "1", "--project", "") == found("--budget", "1")


def test_the_user_of_the_settings_is_meant_until_another_is_named(recollect, remember, monkeypatch):
    remember("of everybody")
    monkeypatch.setenv("RECOLLECT_USER", "ada")
    id_ = remember("of ada")
    assert [r["id"] for r in recollect("list", "--json").json["records"]] == [id_]
    assert recollect("list", "--json", "--user", "").json["total"] == 2


def test_tenants_never_see_each_other(recollect, remember):
    id_ = remember("theirs", "--tenant", "them")
    assert recollect("list", "--json").json["total"] == 0
    assert recollect("get", id_).code == 1
    assert recollect("--tenant", "them", "get", id_).code == 0


def test_a_list_says_how_to_go_on(recollect, remember):
    for number in range(3):
        remember(f"memory {number}")
    first = recollect("list", "--limit", "2")
    assert len(first.out.splitlines()) == 2
    assert first.err.startswith("recollect: 1 more: --offset 2")
    rest = recollect("list", "--limit", "2", "--offset", "2")
    assert (len(rest.out.splitlines()), rest.err) == (1, "")


def test_a_list_can_be_of_another_time(recollect, remember):
    id_ = remember("It held.", "--valid-from", "2020-01-01", "--valid-until", "2021-01-01")
    assert recollect("list", "--json").json["total"] == 0
    then = recollect("list", "--as-of", "2020-06-01", "--json").json["records"]
    assert [record["id"] for record in then] == [id_]


def test_long_texts_are_shortened_where_there_are_many_but_never_by_get(recollect, remember):
    text = "word " * 400
    id_ = remember(text)
    assert recollect("list").out.endswith("…\n")
    assert "…" in recollect("recall", "word").out
    assert recollect("get", id_).out.endswith(f"\n\n{text}\n")


def test_forgetting_asks_and_shows_what_would_go(recollect, remember):
    id_ = remember("a private matter")
    no = recollect("forget", id_, stdin=b"n\n", terminal=True)
    assert (no.code, no.out) == (1, "Nothing was deleted.\n")
    assert "a private matter" in no.err
    assert "deletes 1 record for good" in no.err
    yes = recollect("forget", id_, stdin=b"yes\n", terminal=True)
    assert (yes.code, yes.out) == (0, f"Forgot {id_}.\n")
    assert recollect("get", id_).code == 1
    assert "forget by human" in recollect("history", id_).out


def test_forgetting_what_is_not_there_is_said(recollect):
    said = recollect("forget", "nowhere", "--yes")
    assert said.code == 1
    assert "nowhere" in said.err


@pytest.mark.parametrize("command", [("forget", "x"), ("reset",)])
def test_without_a_terminal_nothing_is_deleted_unasked(recollect, remember, command):
    remember("x")
    said = recollect(*command)
    assert said.code == 2
    assert "--yes" in said.err
    assert recollect("list", "--json").json["total"] == 1


def test_a_reset_shows_how_much_would_go_and_wants_the_word(recollect, remember):
    remember("one")
    no = recollect("reset", stdin=b"yes\n", terminal=True)
    assert (no.code, no.out) == (1, "Nothing was deleted.\n")
    assert "1 record and 0 relations" in no.err
    unanswered = recollect("reset", "--json", terminal=True)
    assert unanswered.code == 1
    yes = recollect("reset", stdin=b"reset\n", terminal=True)
    assert yes.out == "Deleted 1 record and 0 relations.\n"
    assert recollect("list", "--json").json["total"] == 0


def test_the_status_says_where_and_how_much(recollect, remember, tmp_path):
    remember("Apollo is late.")
    recollect("describe", "Apollo", "--type", "project", "--description", "Billing, new.")
    lines = recollect("status").out.splitlines()
    assert lines[0] == f"recollect   {__version__}"
    assert lines[1].startswith(f"store       {tmp_path / 'memory.db'} (")
    assert "memories    1" in lines
    assert "model       hash-384" in lines
    data = recollect("status", "--json").json
    assert (data["store"], data["tenant"]) == (str(tmp_path / "memory.db"), "local")
    assert data["counts"]["memories"] == 1


def test_a_sound_memory_is_well(recollect, remember):
    remember("x")
    said = recollect("verify")
    assert said.code == 0
    assert said.out == "Checked 1 record and 1 change: all is well.\n"
    assert recollect("verify", "--json").json["problems"] == []


def test_a_damage_is_found_and_said_with_advice(recollect, remember, tmp_path):
    import apsw

    remember("x")
    remember("y")
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    connection.execute("UPDATE content SET text = 'changed' WHERE text = 'x'")
    connection.close()
    said = recollect("verify")
    assert said.code == 1
    assert re.search(r"Checked 2 records and 2 changes: \d+ problems?\.$", said.out.strip())
    assert recollect("verify", "--json").json["problems"][0]["advice"]


def test_the_ledger_can_be_followed(recollect, remember):
    id_ = remember("x")
    recollect("revise", id_, "y")
    first, second = recollect("changes").out.splitlines()
    assert re.match(rf"\d+  {TIME.pattern} \(just now\)  remember by human .*  {id_}$", first)
    after = recollect("changes", "--after", first.split()[0], "--json").json["events"]
    assert [str(event["seq"]) for event in after] == [second.split()[0]]
    assert after[0]["detail"] == {"changed": "text"}


def test_records_can_be_linked_and_explored(recollect, remember):
    one, two = remember("a cause"), remember("an effect")
    assert recollect("explore", one).out == "Nothing is linked.\n"
    edge = recollect("relate", one, "leads to", two, "--json").json["edge"]
    assert f"{one} -leads to-> {two}  ({edge['id']})" in recollect("explore", one).out
    away = recollect("explore", two, "--direction", "incoming", "--type", "leads to", "--json")
    assert [record["id"] for record in away.json["records"]] == [one]
    of_kind = recollect("explore", one, "--kind", "entity", "--depth", "2", "--json").json
    assert of_kind["records"] == []
    assert f"{one} -leads to-> {two}" in recollect("relate", one, "leads to", two).out
    assert "No longer true: " in recollect("invalidate", edge["id"]).out
    assert recollect("explore", one).out == "Nothing is linked.\n"


def test_a_thing_can_be_named_and_then_described(recollect):
    first = recollect("describe", "Ada", "Lovelace", "--type", "person").out
    assert first.startswith("Ada Lovelace is known from now on, as ent_")
    second = recollect("describe", "Ada Lovelace", "--description", "Wrote programs.").out
    assert second.startswith("Ada Lovelace is described, as ent_")


def test_a_secret_is_refused_or_left_out_as_the_settings_say(recollect, monkeypatch):
    text = "db_password=" + "hunter" + "2"
    blocked = recollect("remember", text)
    assert blocked.code == 2
    assert recollect("remember", text, "--json").json["error"]["code"] == "secret_found"
    monkeypatch.setenv("RECOLLECT_SECRETS", "redact")
    said = recollect("remember", text).out
    assert "Left out what looked like a secret: password." in said
    assert "hunter" not in recollect("recall", "password").out


def test_after_another_model_was_chosen_the_vectors_are_made_on_request(
    recollect, remember, monkeypatch
):
    remember("the kettle stands in the kitchen")
    monkeypatch.setenv("RECOLLECT_EMBEDDING_DIMENSIONS", "128")
    remember("the cat sleeps")
    before = recollect("status").out
    assert "serving     hash-384, until the vectors of hash-128 are complete" in before
    assert "coming      hash-128, 0 vectors done" in before
    assert "(`recollect embed`)" in before
    assert recollect("recall", "kettle", "--json").json["semantic"] is True
    assert recollect("embed").out == "Made 2 vectors.\n"
    assert recollect("embed", "--json").json == {"embedded": 0}
    after = recollect("status").out
    assert "model       hash-128" in after
    assert "serving" not in after


def test_a_model_that_is_not_to_be_had_is_said_beside_what_words_find(
    recollect, remember, monkeypatch
):
    remember("the kettle stands in the kitchen")
    monkeypatch.setenv("RECOLLECT_EMBEDDING", "openai")
    monkeypatch.setenv("RECOLLECT_EMBEDDING_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RECOLLECT_EMBEDDING_MODEL", "m")
    monkeypatch.setenv("RECOLLECT_EMBEDDING_DIMENSIONS", "384")
    said = recollect("remember", "the kettle is new")
    assert said.code == 0
    monkeypatch.setenv("RECOLLECT_STORE", os.environ["RECOLLECT_STORE"] + "-other")
    assert recollect("remember", "the kettle is new").code == 0
    found = recollect("recall", "kettle")
    assert "kettle is new" in found.out
    assert found.err.startswith("recollect: Only words and links were searched: ")
    failed = recollect("embed")
    assert (failed.code, failed.out) == (4, "")
    assert "http://127.0.0.1:9/v1" in failed.err


def test_scopes_name_whose_memories_there_are(recollect, remember):
    assert "for any user or project" in recollect("scopes").err
    remember("Ada lives in Turin.", "--user", "ada", "--project", "shop")
    assert recollect("scopes").out == "user     ada\nproject  shop\n"
