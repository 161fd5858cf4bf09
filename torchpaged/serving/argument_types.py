"""Types of the arguments of tools that are written as texts between tags, by the tool's schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# References within references that are followed.
_MOST = 16
_NAMES: Mapping[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    dict: "object",
    list: "array",
}


def resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema without references to definitions of the root; empty if there is none."""
    for _ in range(_MOST):
        reference = schema.get("$ref") if isinstance(schema, Mapping) else None
        if not isinstance(reference, str):
            break
        found: Any = root if reference.startswith("#/") else {}
        for name in reference.removeprefix("#/").split("/"):
            found = found.get(name) if isinstance(found, Mapping) else None
        schema = found
    return schema if isinstance(schema, Mapping) else {}


def types_of(schema: Any, root: Mapping[str, Any], depth: int = 0) -> tuple[str, ...]:
    """Return the names of the types that a schema allows, in its order; none: it does not say."""
    found = resolved(schema, root)
    declared = found.get("type")
    types = [declared] if isinstance(declared, str) else list(declared or ())
    if not types:
        choices = found.get("enum") or ([found["const"]] if "const" in found else [])
        types = [_NAMES[type(each)] for each in choices if type(each) in _NAMES]
    for union in ("anyOf", "oneOf", "allOf"):
        for each in found.get(union) or () if depth < _MOST else ():
            types += types_of(each, root, depth + 1)
    if found.get("nullable"):
        types.append("null")
    return tuple(dict.fromkeys(each for each in types if isinstance(each, str)))
