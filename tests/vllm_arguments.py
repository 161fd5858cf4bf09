"""Write `torchpaged/vllm_arguments.json`: vLLM's engine arguments and their defaults, in the groups of its `--help`.

`python -m tests.vllm_arguments FOLDER` parses the source of vLLM's `EngineArgs` and config classes, and imports and
copies none of it. FOLDER is vLLM's source distribution, unpacked, or a `site-packages` with vLLM in it.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent.parent / "torchpaged" / "vllm_arguments.json"


class Source:
    """The syntax trees of vLLM's `EngineArgs` and config classes."""

    def __init__(self, folder: Path) -> None:
        tree = ast.parse((folder / "vllm" / "engine" / "arg_utils.py").read_text(encoding="utf-8"))
        (self._arguments,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "EngineArgs")
        self._configs: dict[str, dict[str, ast.expr | None]] = {}
        self._constants: dict[str, ast.expr] = {}
        for path in sorted((folder / "vllm" / "config").glob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    self._configs[node.name] = _fields(node)
                elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    self._constants[node.targets[0].id] = node.value

    def arguments(self) -> dict[str, dict[str, Any]]:
        """Return the default of each public field of `EngineArgs`, by option group.

        None stands for a default that exists only at run time, such as a config object, and for an empty collection.
        """
        groups = self._groups()
        found: dict[str, dict[str, Any]] = {}
        for name, value in _fields(self._arguments).items():
            if not name.startswith("_"):
                config, field = _config_field(value)
                default = self._configs.get(config, {}).get(field, value)
                # A few fields have no option, and a few options no group.
                group = groups.get(name) or (config if config in self._configs else "EngineArgs")
                found.setdefault(group, {})[name] = self._value(default)
        return {group: dict(sorted(names.items())) for group, names in sorted(found.items())}

    def _groups(self) -> dict[str, str]:
        """Return the title of the group that `add_cli_args` adds each option to."""
        (method,) = (n for n in self._arguments.body if isinstance(n, ast.FunctionDef) and n.name == "add_cli_args")
        titles: dict[str, str] = {}
        found: dict[str, str] = {}
        for node in ast.walk(method):  # breadth first: a group stands above the loops that may add to it
            if isinstance(node, ast.Assign) and "add_argument_group(" in (call := ast.unparse(node.value)):
                titles[ast.unparse(node.targets[0])] = re.findall(r"title='(\w+)'", call)[0]
        for node in ast.walk(method):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
                flags = [str(each.value) for each in node.args if isinstance(each, ast.Constant)]
                title = titles.get(ast.unparse(node.func.value), "")
                found.update({flag.removeprefix("--").replace("-", "_"): title for flag in flags})
        return found

    def _value(self, node: ast.expr | None) -> Any:
        """Evaluate a literal, a constant of a config module, or the default that a `field(...)` declares."""
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("field", "Field"):
            declared = {each.arg: each.value for each in node.keywords}
            factory = declared.get("default_factory")
            if isinstance(factory, ast.Lambda):
                return self._value(factory.body)
            return self._value(declared.get("default", node.args[0] if node.args else None))
        if isinstance(node, ast.Name):
            return self._value(self._constants.get(node.id))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            return self._value(node.left) * self._value(node.right)
        try:
            value = None if node is None else ast.literal_eval(node)
        except ValueError:
            return None
        return None if value is ... else value


def _fields(node: ast.ClassDef) -> dict[str, ast.expr | None]:
    return {n.target.id: n.value for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}


def _config_field(value: ast.expr | None) -> tuple[str, str]:
    """Return class and field of `SomeConfig.field` and `get_field(SomeConfig, "field")`, else two empty texts."""
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
        return value.value.id, value.attr
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "get_field":
        return ast.unparse(value.args[0]), ast.literal_eval(value.args[1])
    return "", ""


def version_of(folder: Path) -> str:
    """Return the version that a source distribution's or an installed package's metadata names."""
    for path in (folder / "PKG-INFO", *folder.glob("vllm-*.dist-info/METADATA")):
        if path.exists():
            return re.findall(r"^Version: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)[0]
    raise FileNotFoundError(
        f"{folder} has neither PKG-INFO nor vllm-*.dist-info: expected vLLM's sdist or site-packages"
    )


if __name__ == "__main__":
    root = Path(sys.argv[1])
    found = {"version": version_of(root), "arguments": Source(root).arguments()}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{FILE}: {sum(map(len, found['arguments'].values()))} arguments of vLLM {found['version']}")
