"""Report of the tree's readability, in numbers: `python -m tests.readability_report`. A report, not a limit."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("torchpaged", "integrations", "ops", "csrc")
# The packages that a decode step passes through.
MAIN_PATH = (
    "torchpaged/engine",
    "torchpaged/scheduling",
    "torchpaged/kv_cache",
    "torchpaged/execution",
    "torchpaged/requests",
    "torchpaged/models",
)
FIRST_WORDS = ("What", "Of", "Whether", "Who", "Whose", "Whoever", "Nobody")


def sources(*folders: str, suffixes: tuple[str, ...] = (".py",)) -> list[Path]:
    """Return the files below some folders of the root, without symlinked copies."""
    found = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            inside = path.relative_to(ROOT / folder).parts
            copied = folder == "torchpaged" and inside[0] in ("ops", "integrations", "csrc")
            if path.suffix in suffixes and not copied and ".build-" not in str(path):
                found.append(path)
    return found


def definitions(tree: ast.AST) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield classes and functions at any depth."""
    return (n for n in ast.walk(tree) if isinstance(n, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)))


def report() -> dict[str, object]:
    """Return the figures by name."""
    trees = {path: ast.parse(path.read_text()) for path in sources("torchpaged", "integrations", "ops")}
    classes = sum(
        isinstance(n, ast.ClassDef) and not n.name.startswith("_") for tree in trees.values() for n in definitions(tree)
    )
    names = Counter(
        n.name
        for path in sources(*MAIN_PATH)
        for n in definitions(trees[path])
        if not n.name.startswith("_") and n.name != "check"
    )
    docstrings: Counter[str] = Counter()
    personal = comments = 0
    for path, tree in trees.items():
        for node in [tree, *definitions(tree)]:
            text = ast.get_docstring(node)
            if text:
                docstrings[text.split()[0].strip(".,:")] += 1
                personal += any(word in text.lower() for word in ("nobody", "whoever"))
        comments += sum(line.lstrip().startswith("#") for line in path.read_text().splitlines())
    lines = sum(len(path.read_text().splitlines()) for path in trees)
    native = sources("csrc", suffixes=(".cpp", ".h", ".cu"))
    attributes = {}
    for path in sources(*MAIN_PATH):
        for node in ast.walk(trees[path]):
            if isinstance(node, ast.ClassDef):
                targets = [
                    t
                    for n in ast.walk(node)
                    if isinstance(n, (ast.Assign, ast.AnnAssign))
                    for target in (n.targets if isinstance(n, ast.Assign) else [n.target])
                    for t in (target.elts if isinstance(target, ast.Tuple) else [target])
                ]
                held = {t.attr for t in targets if isinstance(t, ast.Attribute) and ast.unparse(t.value) == "self"}
                if len(held) > 15:
                    attributes[node.name] = len(held)
    top = ROOT / "torchpaged"
    rooms = [p for p in top.iterdir() if (p.suffix == ".py" or (p / "__init__.py").is_file()) and p.name[0] != "."]
    return {
        "rooms (files and folders of torchpaged/)": len(rooms),
        "flat files in integrations/": len(list((ROOT / "integrations").glob("*.py"))) - 1,
        "lines of Python, of C++": (lines, sum(len(path.read_text().splitlines()) for path in native)),
        "public classes": classes,
        "definitions": sum(1 for tree in trees.values() for _ in definitions(tree)),
        "names with more than 6 definitions on the main path": {n: c for n, c in names.items() if c > 6},
        "docstrings by first word": {word: docstrings[word] for word in FIRST_WORDS},
        "docstrings with nobody or whoever": personal,
        "share of lines that are comments": round(comments / lines, 3),
        "classes with more than 15 attributes on the main path": attributes,
    }


if __name__ == "__main__":
    for name, value in report().items():
        print(f"{name}: {value}")
