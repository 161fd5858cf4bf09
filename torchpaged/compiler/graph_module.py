"""Codegen stage, Python: a graph as a module. Faster to make than `torch.fx.GraphModule`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, fx, nn


def module_of(graph: fx.Graph, constants: Mapping[str, Tensor]) -> nn.Module:
    """Return a module whose `forward` takes the graph's inputs in order.

    Args:
        constants: tensors by `get_attr` name. They become plain attributes of the module, not parameters.
    """
    kind = type("TracedForward", (nn.Module,), {"forward": _Writer().function(graph)})
    result: nn.Module = kind()
    # Entries of the instance dictionary are found without `nn.Module.__getattr__`. Parameters stay parameters: torch
    # computes a product with a weight that requires a gradient in another way.
    result.__dict__.update(constants)
    return result


class _Writer:
    """Writes a line of Python per call. Functions, dtypes and other objects become globals."""

    def __init__(self) -> None:
        self._names: dict[fx.Node, str] = {}
        self._globals: dict[str, Any] = {}
        self._by_id: dict[int, str] = {}

    def function(self, graph: fx.Graph) -> Callable[..., Any]:
        """Return the module's `forward`, self first."""
        inputs = [node for node in graph.nodes if node.op == "placeholder"]
        names = ["self", *(self._named(node) for node in inputs)]
        lines = [f"def forward({', '.join(names)}):"]
        left = {node: len(node.users) for node in graph.nodes}
        for node in graph.nodes:
            if node.op == "get_attr":
                self._names[node] = f"self.{node.target}"
            elif node.op == "call_function":
                arguments = [*map(self._text, node.args), *(f"{k}={self._text(v)}" for k, v in node.kwargs.items())]
                result = f"{self._named(node)} = " if node.users else ""
                lines.append(f" {result}{self._global(node.target)}({', '.join(arguments)})")
                if done := self._last_uses(node, left):
                    lines.append(f" del {', '.join(done)}")
            elif node.op == "output":
                lines.append(f" return {self._text(node.args[0])}")
        exec(compile("\n".join(lines), "<traced forward>", "exec"), self._globals)
        forward: Callable[..., Any] = self._globals.pop("forward")
        return forward

    def _last_uses(self, node: fx.Node, left: dict[fx.Node, int]) -> list[str]:
        """Return the names of values whose last use a call is. They are deleted, so that memory is used again."""
        done = []
        for each in node.all_input_nodes:  # each once
            left[each] -= 1
            if not left[each] and each.op != "get_attr":
                done.append(self._names[each])
        return done

    def _named(self, node: fx.Node) -> str:
        return self._names.setdefault(node, f"v{len(self._names)}")

    def _text(self, value: Any) -> str:
        """Return an argument as source text."""
        if isinstance(value, fx.Node):
            return self._names[value]
        if isinstance(value, tuple):
            return f"({''.join(self._text(each) + ', ' for each in value)})"
        if isinstance(value, list):
            return f"[{', '.join(map(self._text, value))}]"
        plain = type(value) in (int, bool, str, type(None)) or (type(value) is float and math.isfinite(value))
        return repr(value) if plain else self._global(value)

    def _global(self, value: Any) -> str:
        name = self._by_id.setdefault(id(value), f"g{len(self._by_id)}")
        self._globals[name] = value
        return name
