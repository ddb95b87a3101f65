"""What the official conformance suite wants to find on a server, behind our own way in.

The suite calls tools, resources and prompts of certain names and looks at what comes back. They
are here on the SDK's server, because what they try is the protocol and its transports: everything
between them and the wire is what `recollect serve --http` has. Run as a program, it serves them
and says where.
"""

from __future__ import annotations

import json
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as t
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from recollect.ways.http.address import Address, listening
from recollect.ways.http.guard import Guard
from recollect.ways.http.mcp import Endpoint
from recollect.ways.http.serve import run
from recollect.ways.http.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    Params = t.CallToolRequestParams
    Does = Callable[[Any, Params], Awaitable[Any]]

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
MODERN = "2026-07-28"
BUS = InMemorySubscriptionBus()
TOOLS: dict[str, tuple[t.Tool, Does]] = {}


def takes(**fields: str) -> dict[str, Any]:
    """A schema of required fields by their types."""
    shown = {name: {"type": type_} for name, type_ in fields.items()}
    return {"type": "object", "properties": shown, "required": list(fields)}


def tool(*names: str, schema: Mapping[str, Any] | None = None) -> Callable[[Does], Does]:
    """Offers what follows under these names."""

    def offered(does: Does) -> Does:
        for name in names:
            shown = dict(schema or {"type": "object", "properties": {}})
            TOOLS[name] = (t.Tool(name=name, description=name, input_schema=shown), does)
        return does

    return offered


def says(*parts: Any) -> t.CallToolResult:
    return t.CallToolResult(content=[text(p) if isinstance(p, str) else p for p in parts])


def text(words: str) -> t.TextContent:
    return t.TextContent(type="text", text=words)


def picture() -> t.ImageContent:
    return t.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, kind: str, words: str) -> t.EmbeddedResource:
    inside = t.TextResourceContents(uri=uri, mime_type=kind, text=words)
    return t.EmbeddedResource(type="resource", resource=inside)


def same(name: str, *parts: Any) -> None:
    """A tool that always says the same."""

    async def does(context: Any, params: Params) -> t.CallToolResult:
        del context, params
        return says(*parts)

    tool(name)(does)


same("test_simple_text", "This is a simple text response for testing.")
same("test_image_content", picture())
same("test_audio_content", t.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav"))
same(
    "test_embedded_resource",
    embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
)
same(
    "test_multiple_content_types",
    "Multiple content types test:",
    picture(),
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
)


@tool("test_tool_with_logging", "test_logging_tool")
async def log(context: Any, params: Params) -> t.CallToolResult:
    del params
    for step in ("execution started", "processing data", "execution completed"):
        await context.session.send_log_message(
            "info", f"Tool {step}", related_request_id=context.request_id
        )
    return says("Tool with logging executed successfully")


@tool("test_tool_with_progress")
async def progress(context: Any, params: Params) -> t.CallToolResult:
    del params
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100, f"Completed step {done} of 100")
    return says(str((context.meta or {}).get("progress_token", 0)))


@tool("test_sampling", schema=takes(prompt="string"))
async def sampling(context: Any, params: Params) -> t.CallToolResult:
    asked = [t.SamplingMessage(role="user", content=text((params.arguments or {})["prompt"]))]
    answer = await context.session.create_message(
        messages=asked, max_tokens=100, related_request_id=context.request_id
    )
    return says(f"LLM response: {answer.content.text}")


async def elicited(context: Any, message: str, schema: Mapping[str, Any]) -> t.CallToolResult:
    answer = await context.session.elicit_form(
        message, schema, related_request_id=context.request_id
    )
    content = json.dumps(answer.content or {})
    return says(f"Elicitation: action={answer.action}, content={content}")


@tool("test_elicitation", schema=takes(message="string"))
async def elicitation(context: Any, params: Params) -> t.CallToolResult:
    message = (params.arguments or {})["message"]
    return await elicited(context, message, takes(response="string"))


@tool("test_elicitation_sep1034_defaults")
async def elicitation_with_defaults(context: Any, params: Params) -> t.CallToolResult:
    del params
    asked = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    }
    return await elicited(context, "Your data, please", {"type": "object", "properties": asked})


@tool("test_elicitation_sep1330_enums")
async def elicitation_of_choices(context: Any, params: Params) -> t.CallToolResult:
    del params
    titled = [{"const": "v1", "title": "One"}, {"const": "v2", "title": "Two"}]
    asked = {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["o1", "o2"], "enumNames": ["One", "Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return await elicited(context, "Choose, please", {"type": "object", "properties": asked})


@tool("test_error_handling")
async def failing(context: Any, params: Params) -> t.CallToolResult:
    del context, params
    said = text("This tool intentionally returns an error for testing")
    return t.CallToolResult(content=[said], is_error=True)


@tool(
    "test_x_mcp_header",
    schema={
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    },
)
async def header(context: Any, params: Params) -> t.CallToolResult:
    del context
    return says(f"region={(params.arguments or {}).get('region')}")


@tool("test_missing_capability")
async def capability(context: Any, params: Params) -> t.CallToolResult:
    del params
    can = context.session.client_capabilities
    if can is None or can.sampling is None:
        needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(t.MISSING_REQUIRED_CLIENT_CAPABILITY, "This needs sampling.", needed)
    return says("ok")


@tool("test_trigger_tool_change")
async def change_tools(context: Any, params: Params) -> t.CallToolResult:
    del context, params
    await BUS.publish(ToolsListChanged())
    return says("changed")


@tool("test_trigger_prompt_change")
async def change_prompts(context: Any, params: Params) -> t.CallToolResult:
    del context, params
    await BUS.publish(PromptsListChanged())
    return says("changed")


@tool("test_reconnection")
async def reconnection(context: Any, params: Params) -> t.CallToolResult:
    del params
    if context.close_sse_stream:
        await context.close_sse_stream()
    await anyio.lowlevel.checkpoint()
    return says("Reconnection test completed")


ADDRESS = {"street": {"type": "string"}, "city": {"type": "string"}}
CONTACT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": ADDRESS}},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@tool("json_schema_2020_12_tool", schema=CONTACT)
async def contact(context: Any, params: Params) -> t.CallToolResult:
    del context, params
    return says("ok")


# What the newest revision has in the place of requests to the client: a result that asks for more.


def asks(message: str, **fields: str) -> t.ElicitRequest:
    schema = takes(**fields)
    return t.ElicitRequest(
        params=t.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def samples(words: str) -> t.CreateMessageRequest:
    message = t.SamplingMessage(role="user", content=text(words))
    return t.CreateMessageRequest(
        params=t.CreateMessageRequestParams(messages=[message], max_tokens=100)
    )


def wants(requests: Mapping[str, Any], state: str | None = None) -> t.InputRequiredResult:
    return t.InputRequiredResult(input_requests=dict(requests), request_state=state)


def needing(
    *names: str,
    requests: Mapping[str, Any],
    done: Callable[[Mapping[str, Any]], str],
    state: str | None = None,
) -> None:
    """A tool that asks once and then says what it was told."""

    @tool(*names)
    async def does(context: Any, params: Params) -> Any:
        del context
        told = params.input_responses or {}
        if set(requests) <= set(told) and (state is None or params.request_state == state):
            return says(done(told))
        return wants(requests, state)


NAME = {"user_name": asks("What is your name?", name="string")}
ROOTS = {"client_roots": t.ListRootsRequest()}
CONFIRM = {"confirm": asks("Please confirm", ok="boolean")}


def named(told: Mapping[str, Any]) -> str:
    return f"Hello, {(told['user_name'].content or {}).get('name', 'stranger')}!"


needing(
    "test_input_required_result_elicitation",
    "test_streaming_elicitation",
    requests=NAME,
    done=named,
)
needing(
    "test_input_required_result_sampling",
    requests={"capital_question": samples("What is the capital of France?")},
    done=lambda told: f"Model said: {told['capital_question'].content.text}",
)
needing(
    "test_input_required_result_list_roots",
    requests=ROOTS,
    done=lambda told: f"Client exposed {len(told['client_roots'].roots)} root(s).",
)
needing(
    "test_input_required_result_request_state",
    requests=CONFIRM,
    done=lambda _: "state-ok: confirmation received",
    state="nonce",
)
needing(
    "test_input_required_result_multiple_inputs",
    requests={**NAME, **ROOTS, "greeting": samples("Say hello")},
    done=lambda _: "All inputs received.",
    state="multi",
)


@tool("test_input_required_result_multi_round")
async def rounds(context: Any, params: Params) -> Any:
    del context
    state = json.loads(params.request_state) if params.request_state else {"round": 0}
    told = params.input_responses or {}
    if state["round"] == 1 and "step1" in told:
        name = (told["step1"].content or {}).get("name")  # type: ignore[union-attr]
        again = {"step2": asks("Step 2: which colour?", color="string")}
        return wants(again, json.dumps({"round": 2, "name": name}))
    if state["round"] == 2 and "step2" in told:
        colour = (told["step2"].content or {}).get("color")  # type: ignore[union-attr]
        return says(f"{state['name']} likes {colour}.")
    return wants({"step1": asks("Step 1: what name?", name="string")}, json.dumps({"round": 1}))


@tool("test_input_required_result_tampered_state")
async def tampered(context: Any, params: Params) -> Any:
    del context
    if params.request_state is None:
        return wants(CONFIRM, "round-1")
    return says(f"state-ok: {params.request_state}")


@tool("test_input_required_result_capabilities")
async def capable(context: Any, params: Params) -> Any:
    del params
    can = context.session.client_capabilities
    asked: dict[str, Any] = {}
    if can is None or can.sampling is not None:
        asked["sample"] = samples("Say hello")
    if can is None or can.elicitation is not None:
        asked |= NAME
    return wants(asked, "capability-gated")


TEXTS = {
    "test://static-text": "This is the content of the static text resource.",
    "test://watched-resource": "Watched resource content",
}
BINARY = "test://static-binary"
PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def list_tools(context: Any, params: Any) -> t.ListToolsResult:
    del context, params
    return t.ListToolsResult(tools=[shown for shown, _ in TOOLS.values()])


async def call_tool(context: Any, params: Params) -> Any:
    if params.name not in TOOLS:
        raise MCPError(t.INVALID_PARAMS, "There is no such tool.")
    return await TOOLS[params.name][1](context, params)


async def list_resources(context: Any, params: Any) -> t.ListResourcesResult:
    del context, params
    texts = [t.Resource(uri=uri, name=uri, mime_type="text/plain") for uri in TEXTS]
    binary = t.Resource(uri=BINARY, name=BINARY, mime_type="image/png")
    return t.ListResourcesResult(resources=[*texts, binary])


async def list_templates(context: Any, params: Any) -> t.ListResourceTemplatesResult:
    del context, params
    one = t.ResourceTemplate(
        uri_template="test://template/{id}/data", name="template", mime_type="application/json"
    )
    return t.ListResourceTemplatesResult(resource_templates=[one])


async def read(context: Any, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
    uri = str(params.uri)
    found: Any = None
    if uri in TEXTS:
        found = t.TextResourceContents(uri=uri, mime_type="text/plain", text=TEXTS[uri])
    elif uri == BINARY:
        found = t.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
    elif uri.startswith("test://template/") and uri.endswith("/data"):
        id_ = uri.split("/")[3]
        said = {"id": id_, "templateTest": True, "data": f"Data for ID: {id_}"}
        found = t.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(said))
    if found is None:
        code = t.INVALID_PARAMS if context.protocol_version == MODERN else -32002
        raise MCPError(code, "There is no such resource.", {"uri": uri})
    return t.ReadResourceResult(contents=[found])


async def list_prompts(context: Any, params: Any) -> t.ListPromptsResult:
    del context, params
    shown = [
        t.Prompt(
            name=name,
            description=name,
            arguments=[t.PromptArgument(name=one, required=True) for one in needed],
        )
        for name, needed in PROMPTS.items()
    ]
    return t.ListPromptsResult(prompts=shown)


async def get_prompt(context: Any, params: t.GetPromptRequestParams) -> Any:
    del context
    given, told = params.arguments or {}, params.input_responses or {}
    if params.name == "test_input_required_result_prompt":
        if "user_context" not in told:
            return wants({"user_context": asks("Which context?", context="string")})
        context_ = (told["user_context"].content or {}).get("context")  # type: ignore[union-attr]
        return prompt(text(f"Use the following context: {context_}"))
    if params.name == "test_simple_prompt":
        return prompt(text("This is a simple prompt for testing."))
    if params.name == "test_prompt_with_arguments":
        said = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
        return prompt(text(said))
    if params.name == "test_prompt_with_image":
        return prompt(picture(), text("Please analyze the image above."))
    if params.name == "test_prompt_with_embedded_resource":
        inside = embedded(
            given["resourceUri"], "text/plain", "Embedded resource content for testing."
        )
        return prompt(inside, text("Please process the embedded resource above."))
    raise MCPError(t.INVALID_PARAMS, "There is no such prompt.")


def prompt(*contents: Any) -> t.GetPromptResult:
    return t.GetPromptResult(
        messages=[t.PromptMessage(role="user", content=one) for one in contents]
    )


async def complete(context: Any, params: Any) -> t.CompleteResult:
    del context, params
    return t.CompleteResult(completion=t.Completion(values=[], total=0, has_more=False))


async def nothing(context: Any, params: Any) -> t.EmptyResult:
    del context, params
    return t.EmptyResult()


def fixture() -> Server[Any]:
    made: Server[Any] = Server(
        "fixture",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
        on_subscribe_resource=nothing,
        on_unsubscribe_resource=nothing,
        on_subscriptions_listen=ListenHandler(BUS),
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_set_logging_level=nothing,
        get_tool_input_schema=lambda name: TOOLS[name][0].input_schema if name in TOOLS else None,
    )
    boundary = RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="fixture")
    made.middleware.append(boundary)
    return made


class App:
    """The endpoint alone: whoever calls may."""

    def __init__(self, streams: Streams) -> None:
        self._endpoint = Endpoint(fixture(), streams)

    @asynccontextmanager
    async def run(self) -> Any:
        async with self._endpoint.run():
            yield

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await receive()
            async with self.run():
                await send({"type": "lifespan.startup.complete"})
                await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        body = (await receive()).get("body", b"")
        await self._endpoint.serve(scope, body, receive, send)


if __name__ == "__main__":
    bound = listening(Address(port=0))
    at = Address(port=bound.getsockname()[1])
    sys.stdout.write(f"{at.url}/mcp\n")
    sys.stdout.flush()
    streams = Streams()
    run(Guard(App(streams), at), bound, streams)
