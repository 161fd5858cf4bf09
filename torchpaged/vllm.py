"""`python -m torchpaged.vllm SCRIPT.py ...` runs a script written for vLLM; `install()` does it for this process."""

from __future__ import annotations

import sys

from torchpaged.integrations.vllm.compat import install, uninstall
from torchpaged.integrations.vllm.compat.launcher import main

__all__ = ["install", "main", "uninstall"]

if __name__ == "__main__":
    sys.exit(main())
