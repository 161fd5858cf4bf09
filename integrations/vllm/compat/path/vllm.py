"""`vllm` for a process that was spawned by a script under `python -m torchpaged.vllm`: gives way to `install`'s."""

import importlib
import sys

from torchpaged.integrations.vllm.compat import install

del sys.modules["vllm"]
install()
importlib.import_module("vllm")
