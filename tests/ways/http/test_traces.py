"""Requests as spans, as an exporter of OpenTelemetry's own SDK gets them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from tests.ways.http.conftest import calling

FACT = "The kettle stands in the kitchen."
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def spans(monkeypatch):
    """What has been exported."""
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    # A process has one provider for good, and other tests want none.
    monkeypatch.setattr("mcp.shared._otel._tracer", provider.get_tracer("mcp-python-sdk"))
    yield exporter.get_finished_spans
    provider.shutdown()


def posted(document, **headers):
    async def post(client):
        return await client.post("/mcp", json=document, headers=headers)

    return post


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
def test_a_call_is_a_span_that_says_what_it_was_and_nothing_of_what_it_said(visit, spans, accept):
    visit(posted(calling("store_memory", content=FACT), accept=accept))
    (span,) = spans()
    assert (span.name, span.kind) == ("tools/call store_memory", SpanKind.SERVER)
    assert span.attributes["mcp.method.name"] == "tools/call"
    assert span.attributes["gen_ai.tool.name"] == "store_memory"
    assert span.status.status_code is StatusCode.UNSET
    assert "kettle" not in span.to_json()


def test_a_failure_is_told_without_what_was_sent(visit, spans):
    visit(posted(calling("recall", query=FACT, limit="kettle")))
    visit(posted(calling("kettle")))
    failed, unknown = spans()
    assert failed.attributes["error.type"] == "tool_error"
    assert failed.status.status_code is unknown.status.status_code is StatusCode.ERROR
    assert "kettle" not in failed.to_json()
    assert unknown.attributes["error.type"] == "-32602"


def test_every_request_of_an_array_is_a_span(visit, spans):
    visit(posted([calling("recall", 1, query="a"), calling("search", 2, query="b")]))
    assert [span.name for span in spans()] == ["tools/call recall", "tools/call search"]


def test_the_trace_of_a_client_goes_on(visit, spans):
    document = calling("recall", query="a")
    document["params"]["_meta"] = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
    visit(posted(document))
    (span,) = spans()
    assert f"{span.context.trace_id:032x}" == TRACE
    assert f"{span.parent.span_id:016x}" == SPAN


def test_without_a_provider_there_is_nothing_of_it_in_a_server():
    looked = (
        "import sys, recollect.ways.http.serve\n"
        "from opentelemetry import trace\n"
        "assert not trace.get_tracer('x').start_span('y').is_recording()\n"
        "assert not [one for one in sys.modules if one.startswith('opentelemetry.sdk')]\n"
    )
    subprocess.run([sys.executable, "-c", looked], check=True)
