"""What is listed, held against what the documents ask for, field by field."""

from __future__ import annotations

import json

import pytest

from recollect.contracts.every import NAMES
from recollect.contracts.listing import offered as listed
from recollect.contracts.listing import selection
from tests.contracts.facts import DOCUMENTS, FILE, documented, facts

ASKED = json.loads(FILE.read_text("utf-8"))
SIDES = {"input": "inputSchema", "output": "outputSchema"}

# By contract, tool, side and field: what is listed in place of what is asked for, and why.
A_PAGE = "the document gives no least value; fewer than none of a page is out of bounds"
BESIDE = "how far to look around; fewer than none is out of bounds"
IN_PROSE = "the document shows these fields in its examples, and has no schema for them"
MEMBRIA = (
    ("capture_decision", "the rulings say that what waits in the journal says so", "queued"),
    (
        "get_decision",
        IN_PROSE,
        (
            "linked_pr linked_commit similar_decisions[].decision_id antipatterns_triggered[]"
            " antipatterns_triggered[].pattern antipatterns_triggered[].severity"
            " antipatterns_triggered[].success_rate antipatterns_triggered[].recommendation"
        ),
    ),
    (
        "record_outcome",
        IN_PROSE,
        "skill_generated skill_generated.skill skill_generated.confidence",
    ),
    (
        "get_calibration",
        "the success rate is the posterior's, and the gap is from what was seen",
        ("observed_success_rate last_updated cached_at brier_score expected_calibration_error"),
    ),
    ("get_confidence_guidance", IN_PROSE, "credible_interval_95[]"),
    (
        "get_all_calibrations",
        "the rulings add both figures",
        "brier_score expected_calibration_error cached_at",
    ),
    (
        "get_decision_context",
        IN_PROSE,
        (
            "similar_decisions[].decision_id similar_decisions[].success_rate"
            " similar_decisions[].lessons similar_decisions[].lessons[]"
            " similar_decisions[].antipattern causal_context.previous_failed_decisions"
            " causal_context.previous_failed_decisions[] causal_context.lessons_learned"
            " causal_context.lessons_learned[] causal_context.causal_chains"
            " causal_context.causal_chains[] causal_context.related_decisions"
            " causal_context.related_decisions[] firewall_status"
        ),
    ),
    (
        "analyze_decision",
        IN_PROSE,
        (
            "analysis.prevention_effectiveness.prevented_decisions"
            " analysis.prevention_effectiveness.prevented_issue analysis.similar_decisions[]"
            " analysis.similar_decisions[].decision_id analysis.similar_decisions[].statement"
            " analysis.similar_decisions[].success_rate"
            " analysis.similar_decisions[].confidence_difference analysis.antipatterns_avoided[]"
            " analysis.antipatterns_avoided[].pattern analysis.antipatterns_avoided[].severity"
            " analysis.antipatterns_avoided[].success_rate"
            " analysis.antipatterns_avoided[].recommendation"
        ),
    ),
    (
        "get_skills",
        "the rulings have the interval, the decisions and both arms of a comparison named",
        (
            "skills[].evidence.credible_interval_95 skills[].evidence.credible_interval_95[]"
            " skills[].evidence.decisions skills[].evidence.decisions[] skills[].status"
            " skills[].recommendation skills[].when_to_use skills[].generated_at skills[].source"
            " skills[].trial skills[].trial.shown_outcomes skills[].trial.shown_success_rate"
            " skills[].trial.withheld_outcomes skills[].trial.withheld_success_rate"
            " skills[].trial.probability_better"
        ),
    ),
    ("get_warnings", IN_PROSE, "warnings[].evidence"),
)
AS_FOUND = "what was found was superseded, so a reader is told; fields may be added"
DEVIATIONS = {
    ("codex-memory", "search", "input", "limit"): (
        "integer minimum=1 maximum=100 default=20",
        A_PAGE,
    ),
    ("codex-memory", "search", "input", "offset"): ("integer minimum=0 default=0", A_PAGE),
    ("codex-memory", "timeline", "input", "depth_before"): (
        "integer minimum=0 maximum=20 default=3",
        BESIDE,
    ),
    ("codex-memory", "timeline", "input", "depth_after"): (
        "integer minimum=0 maximum=20 default=3",
        BESIDE,
    ),
    ("codex-memory", "ingest_docs", "input", "sources"): (
        "array maxItems=1000",
        "a call that reads files has an end",
    ),
    ("memory-mcp", "get_memory", "output", "id.id.String"): (
        'string required pattern="^(?:[a-z]+_)?[A-Za-z0-9]{20}$"',
        "the rulings have one id name a decision everywhere, and a decision's has a prefix",
    ),
    ("membria", "membria.get_warnings", "output", "firewall_status"): (
        'string required enum=["clear","caution","block"]',
        "the rulings name the three there are",
    ),
}
# What answers hold beyond what is asked for, which every document allows.
MORE = {
    ("codex-memory", "search", "items[].superseded_by"): AS_FOUND,
    ("codex-memory", "timeline", "items[].superseded_by"): AS_FOUND,
    ("codex-memory", "get_entries", "items[].superseded_by"): AS_FOUND,
    **{
        ("memory-mcp", "recall", f"results[].{field}"): "the document shows it for code"
        for field in ("file_path", "start_line", "end_line")
    },
    **{
        ("memory-mcp", "get_index_status", field): "the files that were left out, and what failed"
        for field in (
            "error",
            "skipped",
            "skipped[]",
            "skipped[].reason",
            "skipped[].count",
            "skipped[].examples",
            "skipped[].examples[]",
            "chunks_embedded",
            "warnings",
            "warnings[]",
        )
    },
    ("memory-mcp", "index_project", "warnings"): "what is missing here, and how to have it",
    ("memory-mcp", "index_project", "warnings[]"): "what is missing here, and how to have it",
    ("codex-memory", "get_entries", "missing"): "the rulings add the ids that name nothing",
    ("codex-memory", "get_entries", "missing[]"): "the rulings add the ids that name nothing",
    **{
        ("membria", f"membria.{tool}", field): reason
        for tool, reason, fields in MEMBRIA
        for field in fields.split()
    },
    **{
        ("memory-mcp", "reset_all_memory", field): "of the two answers in the document the schema"
        " holds the fields of both"
        for field in (
            "message",
            "deleted",
            "deleted.memories",
            "deleted.entities",
            "deleted.relations",
            "deleted.code_chunks",
        )
    },
}


def schemas(of):
    return {one.own: one.shown for one in listed(selection(of))}


TOOLS = [
    (of, name, side) for of in NAMES if of in ASKED for name in ASKED[of]["tools"] for side in SIDES
]


@pytest.mark.skipif(not DOCUMENTS.exists(), reason="the documents are not beside this clone")
def test_the_kept_facts_are_those_of_the_documents():
    assert documented() == ASKED


@pytest.mark.parametrize("of", [name for name in NAMES if name in ASKED])
def test_a_contract_has_all_tools_of_its_document_and_no_others(of):
    assert schemas(of).keys() == ASKED[of]["tools"].keys()


@pytest.mark.parametrize(("of", "name", "side"), TOOLS)
def test_each_field_has_the_types_bounds_and_default_that_are_asked_for(of, name, side):
    asked = ASKED[of]["tools"][name][side]
    shown = facts(schemas(of)[name][SIDES[side]])
    expected = {
        field: DEVIATIONS.get((of, name, side, field), (fact, ""))[0]
        for field, fact in asked.items()
    }
    assert {field: shown.get(field) for field in expected} == expected
    further = shown.keys() - expected.keys()
    if side == "input":
        assert not further
    else:
        assert {field for field in further if (of, name, field) not in MORE} == set()


def test_every_deviation_is_still_one():
    for (of, name, side, field), (listed_as, reason) in DEVIATIONS.items():
        assert reason
        assert ASKED[of]["tools"][name][side][field] != listed_as
    for of, name, field in MORE:
        assert field in facts(schemas(of)[name]["outputSchema"])


WIDER = {
    # Both have pages; the longer one and the larger default count.
    ("search", "limit"): "integer minimum=1 maximum=100 default=20",
    ("search", "offset"): "integer minimum=0 default=0",
}
SHARED = [("store_memory", "memento"), ("store_memory", "memory-mcp")]
SHARED += [("search", "codex-memory"), ("search", "memory-mcp")]


@pytest.mark.parametrize(("name", "of"), SHARED)
@pytest.mark.parametrize("side", SIDES)
def test_a_tool_of_two_contracts_has_all_that_either_asks_for(name, of, side):
    both = facts(schemas("")[name][SIDES[side]])
    for field, fact in ASKED[of]["tools"][name][side].items():
        assert both[field] == (WIDER.get((name, field), fact) if side == "input" else fact)


@pytest.mark.parametrize("name", {name for name, _ in SHARED})
@pytest.mark.parametrize("side", SIDES)
def test_a_tool_of_two_contracts_has_nothing_that_neither_asks_for(name, side):
    owners = [of for shared, of in SHARED if shared == name]
    asked = {field for of in owners for field in ASKED[of]["tools"][name][side]}
    more = {field for of, tool, field in MORE if tool == name and of in owners}
    assert facts(schemas("")[name][SIDES[side]]).keys() <= asked | (
        more if side == "output" else set()
    )


@pytest.mark.parametrize("of", ["", *NAMES])
@pytest.mark.parametrize("side", SIDES.values())
def test_what_is_not_known_may_stand_beside_the_fields_of_every_schema(of, side):
    for name, shown in schemas(of).items():
        assert shown[side].keys() <= {"type", "properties", "required"}, name
        assert shown[side]["type"] == "object", name


def changed(node, name):
    """The value of a keyword as it would be by mistake."""
    match node[name]:
        case bool() as value:
            return not value
        case int() | float() as value:
            return value + 1
        case str() as value:
            return value + "x"
        case list() as value:
            return value[1:] or ["x"]
    return None


def mistakes(schema, above=""):
    """Each schema that differs from this in one keyword of one field, with what differs."""
    for name, node in schema.get("properties", {}).items():
        for different, where in _wrong(node, f"{above}{name}"):
            yield {**schema, "properties": {**schema["properties"], name: different}}, where
        others = {key: one for key, one in schema["properties"].items() if key != name}
        yield {**schema, "properties": others}, f"{above}{name} is left out"
        required = schema.get("required", [])
        other = [one for one in required if one != name] if name in required else [*required, name]
        yield {**schema, "required": other}, f"{above}{name} is required, or is not"


def _wrong(node, path):
    for name in node.keys() - {"description", "properties", "required", "items"}:
        yield {**node, name: changed(node, name)}, f"{path}: {name} is another"
        yield {key: one for key, one in node.items() if key != name}, f"{path}: {name} is not there"
    for name, value in (("additionalProperties", False), ("maxLength", 7), ("multipleOf", 3)):
        if name not in node:
            yield {**node, name: value}, f"{path}: {name} is added"
    if "items" in node:
        for different, where in _wrong(node["items"], f"{path}[]"):
            yield {**node, "items": different}, where
    yield from mistakes(node, f"{path}.")


@pytest.mark.parametrize("side", SIDES.values())
def test_every_mistake_in_a_schema_would_be_seen(side):
    tried = 0
    for of in ("", *NAMES):
        for name, shown in schemas(of).items():
            right = facts(shown[side])
            for wrong, what in mistakes(shown[side]):
                assert facts(wrong) != right, f"{name} of {of}: {what}"
                tried += 1
    assert tried > 500


def test_each_name_is_listed_once_and_two_stand_for_two_contracts():
    names = [one.name for one in listed(selection())]
    assert len(names) == len({*names})
    every = [name for of in NAMES for name in schemas(of)]
    # 47 tools under 45 names, once all are there.
    assert len(every) - len({*every}) == 2
