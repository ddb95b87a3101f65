"""What nodes of syntax trees are: definitions, what holds definitions, and what neither is.

One table for all grammars, since they call the same thing by few names; for those that are not in
it, the shape of a node's name tells.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node


class Sort(Value):
    """What a definition is."""

    type: str
    # Whether what it holds are definitions of their own: a class, a module.
    holds: bool = False
    # Whether it is worth a piece of its own; a namespace only lends its name.
    shown: bool = True
    # Whether it counts only with a body, as a declaration without one says little by itself.
    bodied: bool = False


_FUNCTION = Sort("function")
_METHOD = Sort("method", bodied=True)
_CLASS = Sort("class", holds=True)
_STRUCT = Sort("struct", holds=True, bodied=True)
_NAMESPACE = Sort("namespace", holds=True, shown=False)
_MODULE = Sort("module", holds=True, bodied=True)
_INTERFACE = Sort("interface", holds=True)
_TRAIT = Sort("trait", holds=True)
_ENUM = Sort("enum", holds=True, bodied=True)
_TYPE = Sort("type")
_MACRO = Sort("macro")

SORTS: dict[str, Sort] = {
    # functions
    "function_definition": _FUNCTION,
    "function_declaration": _FUNCTION,
    "generator_function_declaration": _FUNCTION,
    "function_item": _FUNCTION,
    "local_function": _FUNCTION,
    # methods
    "method": Sort("method"),
    "singleton_method": Sort("method"),
    "method_declaration": _METHOD,
    "method_definition": _METHOD,
    "constructor_declaration": Sort("constructor", bodied=True),
    "compact_constructor_declaration": Sort("constructor"),
    "secondary_constructor": Sort("constructor"),
    "init_declaration": Sort("constructor"),
    "destructor_declaration": Sort("method"),
    "deinit_declaration": Sort("method"),
    "operator_declaration": _METHOD,
    "conversion_operator_declaration": _METHOD,
    "indexer_declaration": _METHOD,
    "subscript_declaration": Sort("method"),
    # classes and their like
    "class_definition": _CLASS,
    "class_declaration": _CLASS,
    "abstract_class_declaration": _CLASS,
    "class_specifier": Sort("class", holds=True, bodied=True),
    "class": _CLASS,
    "singleton_class": Sort("class", holds=True, shown=False),
    "object_declaration": Sort("object", holds=True),
    "object_definition": Sort("object", holds=True),
    "companion_object": Sort("object", holds=True, shown=False),
    "struct_specifier": _STRUCT,
    "struct_item": Sort("struct"),
    "struct_declaration": _STRUCT,
    "union_specifier": _STRUCT,
    "union_item": Sort("struct"),
    "record_declaration": Sort("record", holds=True),
    "record_struct_declaration": Sort("record", holds=True),
    "enum_specifier": _ENUM,
    "enum_item": Sort("enum"),
    "enum_declaration": Sort("enum", holds=True),
    "interface_declaration": _INTERFACE,
    "annotation_type_declaration": _INTERFACE,
    "protocol_declaration": Sort("protocol", holds=True),
    "trait_item": _TRAIT,
    "trait_declaration": _TRAIT,
    "trait_definition": _TRAIT,
    "impl_item": Sort("impl", holds=True),
    "mixin_declaration": Sort("mixin", holds=True),
    "extension_declaration": Sort("extension", holds=True),
    "contract_declaration": Sort("contract", holds=True),
    "class_interface": _INTERFACE,
    "class_implementation": Sort("class", holds=True),
    "message": Sort("message"),
    "service": Sort("service"),
    # modules and namespaces
    "module": _MODULE,
    "mod_item": _MODULE,
    "internal_module": Sort("namespace", holds=True),
    "namespace_definition": _NAMESPACE,
    "namespace_declaration": _NAMESPACE,
    "file_scoped_namespace_declaration": _NAMESPACE,
    # types and macros
    "type_spec": _TYPE,
    "type_alias": _TYPE,
    "type_alias_declaration": _TYPE,
    "typealias_declaration": _TYPE,
    "type_item": _TYPE,
    "type_definition": _TYPE,
    "alias_declaration": _TYPE,
    "delegate_declaration": _TYPE,
    "macro_definition": _MACRO,
    "preproc_function_def": _MACRO,
}
# What lends its name and makes nothing that is in it a method.
NAMESPACES = frozenset(
    """
    mod_item internal_module namespace_definition namespace_declaration
    file_scoped_namespace_declaration
    """.split()
)
# What looks like a definition by its name and is none, or is one that its holder shows better.
_NO_DEFINITIONS = frozenset(
    """
    type_declaration class_body function_body object_creation_expression function_type
    function_declarator method_spec method_elem method_signature function_signature
    function_signature_item abstract_method_signature property_declaration field_declaration
    enum_member_declaration type_parameter_declaration parameter_declaration
    optional_parameter_declaration variable_declaration package_declaration import_declaration
    using_declaration type_parameters_declaration template_declaration friend_declaration
    function_modifier class_modifier protocol_function_declaration struct_type interface_type
    """.split()
)
_shaped = re.compile(
    r"(?:^|_)(?P<what>function|func|fun|method|procedure|subroutine|subprogram|class|struct|record"
    r"|interface|trait|protocol|enum|object|module|namespace|macro|constructor|contract|instance"
    r"|message|service|component|entity|package_body|task|modifier|event)(?:_\w+)?"
    r"_(?:definition|declaration|item|specifier|def|decl|statement|body)$"
).search
_HOLDERS = frozenset(
    (
        "class struct interface trait protocol object module namespace contract instance service"
    ).split()
)
_SAID_AS = {
    "func": "function",
    "fun": "function",
    "procedure": "function",
    "subroutine": "function",
    "subprogram": "function",
    "constructor": "constructor",
    "package_body": "module",
}
# Values that make what is assigned a function.
FUNCTIONS = frozenset(
    """
    arrow_function function_expression function generator_function lambda_literal lambda
    lambda_expression anonymous_function
    """.split()
)
# How a function is given a name without a definition.
ASSIGNMENTS = frozenset(
    """
    variable_declarator pair assignment_expression public_field_definition field_definition
    assignment assignment_statement
    """.split()
)
_KEYWORDS = {"struct", "enum", "interface", "extension", "actor", "class", "protocol", "union"}
_NAMES = frozenset(
    """
    identifier simple_identifier type_identifier field_identifier property_identifier constant word
    name variable_name function_name destructor_name operator_name namespace_identifier symbol
    command_name message_name service_name bareword upper_case_identifier lower_case_identifier
    """.split()
)
_DECLARED = (
    "function_declarator",
    "pointer_declarator",
    "reference_declarator",
    "parenthesized_declarator",
    "array_declarator",
    "attributed_declarator",
    "init_declarator",
)
# Elixir's definitions are calls, Zig's have their name in a part of them.
_CALLS = {"def": "function", "defp": "function", "defmacro": "macro", "defmodule": "module"}
_CALLS |= {"defprotocol": "protocol", "defimpl": "impl"}
_UNNAMED = {
    "deinit_declaration": "deinit",
    "subscript_declaration": "subscript",
    "indexer_declaration": "this",
    "secondary_constructor": "constructor",
    "companion_object": "",
}
_template = re.compile(r"<[^<>]*>").sub
_arguments = re.compile(r"\[[^\[\]]*\]").sub
_called = re.compile(r"(operator\s*(?:\(\)|[^(]+?))\s*(?:\(.*)?", re.DOTALL).fullmatch
# Named by what they are, though other names are in them.
_NAMED_SO = frozenset(("subscript_declaration", "deinit_declaration", "indexer_declaration"))
_SHORT_NAME = 200
_LOOKED_THROUGH = 8


@lru_cache(1_024)
def sort_of(type_: str) -> Sort | None:
    """What a node of that name is, None for what is no definition."""
    known = SORTS.get(type_)
    if known is not None or type_ in _NO_DEFINITIONS:
        return known
    found = _shaped(type_)
    if found is None:
        return None
    what = found["what"]
    return Sort(_SAID_AS.get(what, what), holds=what in _HOLDERS, bodied=what in _HOLDERS)


def said_by_call(node: Node) -> tuple[Sort, str] | None:
    """What a definition is that is written as a call, and its name; None for any other node."""
    if node.type == "Decl":
        first = node.named_children[0] if node.named_children else None
        named = first.child_by_field_name("function") if first is not None else None
        return None if named is None else (_FUNCTION, _text(named))
    target = node.child_by_field_name("target") if node.type == "call" else None
    what = _CALLS.get(_text(target)) if target is not None else None
    if what is None or node.named_child_count == 1:
        return None
    name = re.match(r"[\w.?!]+", _text(node.named_children[1]))
    holds = what not in {"function", "macro"}
    return (Sort(what, holds=holds), name[0]) if name else None


def body_of(node: Node) -> Node | None:
    """What a definition consists of, behind its header."""
    named = node.child_by_field_name("body")
    if named is not None:
        return named
    for child in reversed(node.named_children):
        if child.type.endswith(("body", "block", "list", "statements")) and (
            "parameter" not in child.type and "argument" not in child.type
        ):
            return child
    return None


def name_of(node: Node) -> str:
    """What a definition is called, with its owner before it where it says so itself."""
    if node.type in _NAMED_SO:
        return _UNNAMED[node.type]
    named = node.child_by_field_name("name")
    if named is None and node.type == "impl_item":
        named = node.child_by_field_name("type")
    if named is None:
        named = _declared(node)
    if named is None:
        named = next((c for c in node.named_children[:_LOOKED_THROUGH] if c.type in _NAMES), None)
    if named is None and node.parent is not None and node.parent.type == "export_statement":
        return "default"
    if named is None:
        return _UNNAMED.get(node.type, "")
    return _plain(_text(named))


def owner_of(node: Node) -> str:
    """Whose a method is where it stands by itself: `func (p *Point) Area()`, `fun Box.area()`."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ""
    found = re.findall(r"[A-Za-z_]\w*", _arguments("", _template("", _text(receiver))))
    return found[-1] if found else ""


def assigned(node: Node) -> str:
    """The name that a function is given by an assignment; empty where none is."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is None or value.type not in FUNCTIONS:
        return ""
    for field in ("name", "left", "key", "property"):
        target = node.child_by_field_name(field)
        if target is not None:
            said = _text(target).strip("'\"")
            parts = [p for p in said.split(".") if p not in {"module", "exports", "this", "self"}]
            parts = [p for p in parts if p != "prototype"]
            return ".".join(parts) if all(re.fullmatch(r"[\w$]+", p) for p in parts) else ""
    return ""


def word_of(node: Node, sort: Sort) -> str:
    """The type of a definition, where one node stands for several sorts of it."""
    kind = node.child_by_field_name("declaration_kind")
    if kind is not None:
        return _text(kind)
    if node.type == "class_declaration":
        for child in node.children[:_LOOKED_THROUGH]:
            if child.type in {"interface", "enum"} or child.type == "enum_class_body":
                return child.type.partition("_")[0]
        if any(child.type == "enum_class_body" for child in node.named_children):
            return "enum"
    if node.type == "type_spec":
        inner = node.child_by_field_name("type")
        if inner is not None and inner.type in {"struct_type", "interface_type"}:
            return inner.type.removesuffix("_type")
    if node.type == "type_definition":
        inner = node.child_by_field_name("type")
        if inner is not None and inner.child_by_field_name("body") is not None:
            word = inner.type.partition("_")[0]
            return word if word in _KEYWORDS else sort.type
    return sort.type


def _declared(node: Node) -> Node | None:
    """The name inside of C's declarators."""
    at = node.child_by_field_name("declarator")
    for _ in range(_LOOKED_THROUGH):
        if at is None or at.type not in _DECLARED:
            return at
        inner = at.child_by_field_name("declarator")
        if inner is None:
            inner = next((c for c in at.named_children if "declarator" in c.type), None)
        if inner is None:
            inner = next((c for c in at.named_children if c.type.endswith("identifier")), None)
        at = inner
    return at


def _plain(said: str) -> str:
    """A name without type arguments, its owner before a dot."""
    if operator := _called(said):
        said = operator[1]
    else:
        for _ in range(_LOOKED_THROUGH):
            said, before = _template("", said), said
            if said == before:
                break
    said = " ".join(said.split()).replace("::", ".").removeprefix(".")
    return said.strip("&*$ \"'")[:_SHORT_NAME]


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
