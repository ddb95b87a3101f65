"""The bundled model: sound, the same everywhere, and never used when damaged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from recollect.embed.bundled import MODEL, SHA256, WEIGHTS, Bundled
from recollect.embed.codes import MOST
from recollect.errors import Unavailable
from recollect.rules.closeness import alike

# The first numbers of a vector that was computed once, on x86-64 with VNNI.
SENTENCE = "The build uses make, and nothing else."
KNOWN = [-0.0486, -0.0707, -0.0394, 0.0373, 0.0094, -0.0174, -0.0868, 0.0676]

PARAPHRASES = [
    ("A man is playing a guitar.", "Someone plays the guitar."),
    ("We moved the build from Poetry to uv.", "uv has replaced Poetry in our build."),
    ("She adopted a puppy last week.", "A few days ago she got a young dog."),
]
MIXED = ["short", "a text of a few more words", "word " * 60, "", "one\0two", "日本語のテキスト"]


@pytest.fixture
def weights(tmp_path):
    for name in SHA256:
        shutil.copy(WEIGHTS / name, tmp_path / name)
    return tmp_path


def test_the_model_is_known_without_loading_it():
    code = "from recollect.embed.bundled import Bundled; import sys; Bundled().model;"
    code += "sys.exit(any(m in sys.modules for m in ('numpy', 'onnxruntime', 'tokenizers')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_vectors_are_unit_rows_of_float32(bundled):
    rows = bundled.passages(MIXED)
    assert (rows.dtype, rows.shape) == (np.float32, (len(MIXED), MODEL.dimensions))
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_a_query_is_one_unit_vector(bundled):
    vector = bundled.query("what does the build use?")
    assert (vector.dtype, vector.shape) == (np.float32, (MODEL.dimensions,))
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_no_texts_give_no_rows(bundled):
    assert bundled.passages([]).shape == (0, MODEL.dimensions)


def test_a_known_sentence_keeps_its_vector(bundled):
    assert bundled.passages([SENTENCE])[0, : len(KNOWN)] == pytest.approx(KNOWN, abs=1e-2)


def test_a_text_has_the_same_vector_alone_and_among_others(bundled):
    together = bundled.passages(MIXED)
    alone = [bundled.passages([text])[0] for text in MIXED]
    assert np.array_equal(together, alone)


def test_one_worker_gives_what_several_give(bundled):
    single = Bundled(workers=1)
    assert np.array_equal(single.passages(MIXED), bundled.passages(MIXED))


def test_what_is_no_text_stops_the_work_on_the_others(bundled):
    with pytest.raises(AttributeError):
        bundled.passages([*["text " * 20] * 1_000, b"no text, but longer than any other" * 9])


@pytest.mark.parametrize(("one", "other"), PARAPHRASES)
def test_a_paraphrase_is_nearer_than_any_unrelated_text(bundled, one, other):
    unrelated = [text for pair in PARAPHRASES for text in pair if text not in (one, other)]
    vector, like, *others = bundled.passages([one, other, *unrelated])
    assert vector @ like > max(vector @ row for row in others) + 0.05


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did the build change?", "We moved the build from Poetry to uv."),
        ("What pet does she have?", "She adopted a puppy last week."),
    ],
)
def test_a_question_finds_its_answer(bundled, question, answer):
    texts = [text for text, _ in PARAPHRASES]
    scores = bundled.passages(texts) @ bundled.query(question)
    assert texts[int(np.argmax(scores))] == answer


def test_a_query_is_embedded_unlike_a_passage(bundled):
    text = "the build"
    assert bundled.query(text) @ bundled.passages([text])[0] < 0.98


def test_a_long_text_counts_up_to_its_512th_token(bundled):
    rows = bundled.passages(["word " * 600, "word " * 600 + "and an end that is cut off"])
    assert np.array_equal(*rows)


def test_a_megabyte_is_embedded_as_quickly_as_a_page(bundled):
    page, megabyte = bundled.passages(["lorem ipsum dolor " * 2_000, "lorem ipsum dolor " * 60_000])
    assert np.array_equal(page, megabyte)


def test_halves_of_surrogate_pairs_are_embedded_as_question_marks(bundled):
    assert np.array_equal(*bundled.passages(["a \ud800 b", "a ? b"]))


def test_it_is_loaded_once_however_many_ask_at_once():
    embedder, start = Bundled(), Barrier(8)

    def loaded(_):
        start.wait()
        return embedder._ready()

    with ThreadPoolExecutor(8) as pool:
        assert len({id(encoder) for encoder in pool.map(loaded, range(8))}) == 1


def test_a_closed_model_loads_again(bundled):
    embedder = Bundled()
    first = embedder.query("again")
    embedder.close()
    embedder.close()
    assert np.array_equal(embedder.query("again"), first)


def test_many_threads_get_the_vectors_that_one_gets(bundled):
    texts = [f"text number {i}" for i in range(24)]
    with ThreadPoolExecutor(6) as pool:
        rows = [*pool.map(bundled.query, texts)]
    assert np.array_equal(rows, [bundled.query(text) for text in texts])


@pytest.mark.parametrize("name", SHA256)
def test_a_file_with_one_changed_byte_is_refused(weights, name):
    content = bytearray((weights / name).read_bytes())
    content[len(content) // 2] ^= 1
    (weights / name).write_bytes(content)
    with pytest.raises(Unavailable, match=rf"{name} is missing or is not.*Reinstall Recollect"):
        Bundled(weights).load()


@pytest.mark.parametrize("name", SHA256)
def test_a_truncated_file_is_refused_with_the_same_words(weights, name):
    (weights / name).write_bytes((weights / name).read_bytes()[:1000])
    with pytest.raises(Unavailable, match=rf"{name} is missing or is not.*Reinstall Recollect"):
        Bundled(weights).load()


@pytest.mark.parametrize("name", SHA256)
def test_a_missing_file_is_refused_with_the_same_words(weights, name):
    (weights / name).unlink()
    with pytest.raises(Unavailable, match=rf"{name} is missing or is not.*Reinstall Recollect"):
        Bundled(weights).load()


def test_after_a_failure_it_can_be_loaded_from_sound_files(weights):
    embedder = Bundled(weights)
    (weights / "tokenizer.json").rename(weights / "away")
    with pytest.raises(Unavailable):
        embedder.load()
    (weights / "away").rename(weights / "tokenizer.json")
    embedder.load()


def test_without_onnxruntime_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(Unavailable, match="onnxruntime cannot be imported"):
        Bundled().load()


def test_telling_words_have_a_code_each_and_no_others_do(bundled):
    size = MODEL.dimensions // 8
    several, one, none, stops = bundled.senses([SENTENCE, "The lion!", "", "who are you"])
    # build, uses, make, nothing, else
    assert len(one.codes) == size
    assert size < len(several.codes) <= 5 * size
    assert none.codes == b""
    assert len(stops.codes) == 3 * size


def test_a_question_has_no_codes_of_what_every_question_begins_with(bundled):
    size = MODEL.dimensions // 8
    assert len(bundled.asked("lion").codes) == size
    assert len(bundled.asked("who are you").codes) == 3 * size


def test_a_long_text_has_no_more_codes_than_are_kept(bundled):
    (sense,) = bundled.senses(["lion zebra " * 200])
    assert len(sense.codes) == MOST * MODEL.dimensions // 8


@pytest.mark.parametrize(("one", "other"), PARAPHRASES)
def test_a_paraphrase_is_more_alike_than_any_unrelated_text(bundled, one, other):
    unrelated = [text for pair in PARAPHRASES for text in pair if text not in (one, other)]
    own, like, *others = (sense.codes for sense in bundled.senses([one, other, *unrelated]))
    size = MODEL.dimensions // 8
    assert alike(own, like, size) > max(alike(own, codes, size) for codes in others)


def test_loading_the_model_leaves_no_trace_and_speaks_to_nobody(tmp_path):
    # The library that runs it would number the machine in a file, and send reports of its use.
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    program = (
        "from recollect.embed.bundled import Bundled\n"
        "model = Bundled()\n"
        "model.load()\n"
        "model.query('Does the model answer?')\n"
        "import os, socket\n"
        "links = [os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd')[:-1]]\n"
        "print(sum(link.startswith('socket:') for link in links))\n"
    )
    environment = {"HOME": str(home), "TMPDIR": str(temporary), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n"
    assert [*home.rglob("*"), *temporary.rglob("*")] == []
