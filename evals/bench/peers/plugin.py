"""torchpaged as a plugin of vLLM's in an environment where it is not installed: what pip would leave there, on a path.

Needs nothing but the standard library.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GROUP = "vllm.general_plugins"


def environment(folder: Path) -> dict[str, str]:
    """Variables for a process of vLLM's whose attention shall be torchpaged's.

    Args:
        folder: an empty one, which gets torchpaged's metadata and has to stay while the process runs.
    """
    package = folder / "torchpaged-0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: torchpaged\nVersion: 0\n")
    (package / "entry_points.txt").write_text(f"[{GROUP}]\n{_entry_points()}\n")
    path = [str(folder), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(path), "VLLM_PLUGINS": "torchpaged"}


def _entry_points() -> str:
    """Lines of pyproject.toml; vLLM's Python may be without a package that reads TOML."""
    table = re.search(
        rf'\[project\.entry-points\."{re.escape(GROUP)}"\]\n((?:\w.*\n)+)', (ROOT / "pyproject.toml").read_text()
    )
    assert table is not None, f"pyproject.toml has no entry points of {GROUP}"
    return table[1].replace('"', "")
