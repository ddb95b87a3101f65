from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.abroad import language
from recollect.rules.worth import ASSISTANT, judged, sentences, worth

WORTH = [
    ("We decided to use PostgreSQL for the billing service.", "decision"),
    ("Let's use uv instead of pip.", "decision"),
    ("Decision: the store moves to Frankfurt.", "decision"),
    ("I prefer tabs in Makefiles.", "preference"),
    ("Never push to main on a Friday!", "preference"),
    ("Don't ever edit deploy/values.yaml by hand.", "preference"),
    ("The upload worker must answer within 250 ms.", "rule"),
    ("Nobody merges without a review by Grace.", "rule"),
    ("The deadline for the export job is March 3.", "date"),
    ("Turns out a stale DNS entry was why it hung.", "lesson"),
    ("It turned out that the cache ignores the tenant.", "lesson"),
    ("Grace is responsible for the payment gateway.", "person"),
    ("The search index runs on port 9200.", "fact"),
    ("Remember that the office key is under the mat.", "fact"),
]
ABROAD = [
    ("Wir nehmen Redis statt Kafka für den Suchindex.", "decision"),
    ("Merk dir, dass der Suchindex auf Port 9200 läuft.", "fact"),
    ("Ada leitet das Team Zahlungen.", "person"),
    ("Wir veröffentlichen den Suchindex am 14. April.", "date"),
    ("Der Suchindex muss innerhalb von 250 ms antworten.", "rule"),
    ("On utilise PostgreSQL au lieu de MySQL pour le module.", "decision"),
    ("À partir de maintenant, utilise des fonctions courtes.", "preference"),
    ("Le serveur écoute sur le port 8443.", "fact"),
    ("La panne du serveur a été causée par un certificat expiré.", "lesson"),
    ("Usamos pytest en lugar de unittest para el buscador.", "decision"),
    ("Nadie cambia infra/main.tf sin la aprobación de Ada.", "rule"),
    ("Recuerda que el buscador corre en el puerto 9200.", "fact"),
]
NOT_WORTH_ABROAD = [
    "Vielleicht nehmen wir irgendwann Redis für den Suchindex.",
    "Wir haben uns noch nicht für Redis entschieden.",
    "Das läuft auf dem Port 8443.",
    "Der Build ist kaputt und die Tests sind rot.",
    "On n'a pas encore décidé pour Redis.",
    "Ça tourne sur le port 8443 dans le serveur.",
    "Si on utilisait Redis, le serveur serait plus rapide.",
    "Ouvre infra/main.tf et renomme la deuxième fonction.",
    "Quizás podríamos usar Redis para el buscador.",
    "Por esta vez usa el puerto 8443 en el servidor.",
    "He leído un artículo sobre Redis y el buscador.",
]
NOT_WORTH = [
    "Should we use PostgreSQL for the billing service?",
    "Can you fix the failing test in src/app.py",
    "Maybe we use Redis for the queue some day.",
    "We haven't decided on PostgreSQL yet.",
    "If we used Redis, the queue would be faster.",
    "For now the search index runs on port 9201.",
    "The tutorial uses Redis for the queue.",
    "Add a test for the upload worker in tests/test_upload.py.",
    "The login page is broken in Firefox.",
    "That runs on port 8443 in Frankfurt.",
    "Thanks, Grace, the new page is amazing.",
    "You must be tired of PostgreSQL.",
    "Ok fine",
    "x" * 500,
    "The " + "very " * 100 + "long sentence runs on port 1.",
]


@pytest.mark.parametrize(("sentence", "type_"), WORTH + ABROAD)
def test_what_holds_by_itself_and_beyond_the_moment_is_kept(sentence, type_):
    assert judged(sentence) == type_
    assert [kept.text for kept in worth(f"Thanks. {sentence}")] == [sentence]


@pytest.mark.parametrize("sentence", NOT_WORTH + NOT_WORTH_ABROAD)
def test_what_is_asked_guessed_or_of_the_moment_is_not_kept(sentence):
    assert judged(sentence) is None


def test_of_an_agents_words_only_what_was_agreed_or_found_out_is_kept():
    said = (
        "I'll look at src/app.py. I prefer tabs. The root cause was a missing index on orders."
        " We agreed to use Redis for the queue."
    )
    assert [kept.type for kept in worth(said, ASSISTANT)] == ["lesson", "decision"]
    assert {kept.confidence for kept in worth(said, ASSISTANT)} == {0.6}


def test_who_says_that_it_is_to_be_remembered_is_surer():
    (kept,) = worth("Please remember that Grace owns the queue.")
    (other,) = worth("Grace owns the queue now.")
    assert kept.confidence > other.confidence


@pytest.mark.parametrize(
    "text",
    [
        "```\nWe decided to use Rust.\n```",
        "~~~\nWe decided to use Rust.",
        "> We decided to use Rust.\nis what it said.",
        "| We decided | to use Rust. |",
        "$ echo We decided to use Rust.",
        "ada@host:~$ echo We decided to use Rust.",
        "2026-03-02 10:00 We decided to use Rust.",
        "error: We decided to use Rust.",
        "<system-reminder>\nWe decided to use Rust.\n</system-reminder>",
        "const said = 'We decided to use Rust.';",
    ],
)
def test_what_nobody_says_is_no_sentence(text):
    assert list(worth(text)) == []


def test_lists_are_read_item_by_item():
    assert list(sentences("1. One thing.\n* Another. And more.")) == [
        "One thing.",
        "Another.",
        "And more.",
    ]


@given(st.text())
def test_whatever_is_said_what_is_kept_was_said(text):
    for kept in worth(text):
        assert kept.text in text


def test_an_agent_abroad_is_believed_what_was_agreed_or_found_out_alone():
    said = "Ich habe die Tests geändert. Ich mag Tabs in der Datei. Die Ursache war ein Zertifikat."
    assert [kept.type for kept in worth(said, ASSISTANT)] == ["lesson"]
    assert worth_of("Ich kümmere mich um den Port 8443.") == []


def worth_of(said):
    return [kept.text for kept in worth(said, ASSISTANT)]


@given(st.text())
def test_a_language_is_told_of_any_text(text):
    assert language(text) in {"", "de", "fr", "es"}


@pytest.mark.parametrize("sentence", [sentence for sentence, _ in WORTH] + NOT_WORTH)
def test_english_is_taken_for_english(sentence):
    assert language(sentence) == ""
