"""vLLM's module names for torchpaged's classes, so that scripts written for vLLM run unchanged.

`install` makes `import vllm` find these names, which `names.py` lists; `python -m torchpaged.vllm SCRIPT.py` runs a
script with them. vLLM itself is not needed, and without either call nothing changes.
"""

from __future__ import annotations

from torchpaged.integrations.vllm.compat.finder import install, uninstall

__all__ = ["install", "uninstall"]
