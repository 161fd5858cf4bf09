"""The table of docs/registry.md: what each operator has of torch's parts, from the registry's own values.

    python -m evals.registry

rewrites the page's table; `tests/ops/test_registry_page.py` compares it, and tests what it says.
"""

from __future__ import annotations

from pathlib import Path

from torchpaged.ops import library
from torchpaged.ops.operator import Operator

PAGE = Path(__file__).resolve().parents[1] / "docs" / "registry.md"
BEGIN, END = "<!-- table -->\n", "<!-- end -->\n"
COLUMNS = (
    *("operator", "fake", "autograd", "vmap", "autocast", "DTensor", "FLOPs", "export, AOTI", "C++", "Triton"),
    "opcheck",
)


def row(operator: Operator) -> list[str]:
    """Return an operator's cells: + or a reason's number."""
    return [
        f"`{operator.overload}`",
        "+",
        "+" if operator.gradient is not None else "1",
        "+" if operator.fold is not None else "2",
        "+" if operator.cast is not None else "3",
        "+" if not operator.unsharded else "4",
        "+" if operator.flops is not None else "5",
        "+",
        "+",
        "+" if operator.triton else "6",
        "+",
    ]


def table() -> str:
    """Return the table in Markdown."""
    rows = [list(COLUMNS), ["---"] * len(COLUMNS), *map(row, library.OPERATORS)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def page(text: str) -> str:
    """Return the page with a new table."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
