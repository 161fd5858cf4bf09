"""torchpaged as a vLLM plugin in an environment where it is not installed: writes the metadata that pip would install.

Needs only the standard library.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GROUP = "vllm.general_plugins"


def environment(folder: Path) -> dict[str, str]:
    """Return environment variables for a vLLM process that uses torchpaged's attention.

    Args:
        folder: an empty folder that receives torchpaged's metadata; it must exist as long as the process runs.
    """
    package = folder / "torchpaged-0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: torchpaged\nVersion: 0\n")
    (package / "entry_points.txt").write_text(f"[{GROUP}]\n{_entry_points()}\n")
    path = [str(folder), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(path), "VLLM_PLUGINS": "torchpaged"}


def _entry_points() -> str:
    """Return the entry-point lines of pyproject.toml; vLLM's Python may lack a TOML parser."""
    table = re.search(
        rf'\[project\.entry-points\."{re.escape(GROUP)}"\]\n((?:\w.*\n)+)', (ROOT / "pyproject.toml").read_text()
    )
    assert table is not None, f"pyproject.toml has no entry points of {GROUP}"
    return table[1].replace('"', "")
