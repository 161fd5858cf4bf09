"""vLLM's module names over torchpaged's classes, so that scripts written for vLLM run unchanged.

`install` makes `import vllm` find this package's names (`names.py` lists them); `python -m torchpaged.vllm SCRIPT.py`
runs a script so. Nothing of vLLM is needed, and nothing changes where neither is called.
"""

from __future__ import annotations

from torchpaged.integrations.vllm.compat.finder import install, uninstall

__all__ = ["install", "uninstall"]
