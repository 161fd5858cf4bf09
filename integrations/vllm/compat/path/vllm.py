"""The module `vllm` for processes spawned by a script under `python -m torchpaged.vllm`: replaced by `install`'s."""

import importlib
import sys

from torchpaged.integrations.vllm.compat import install

del sys.modules["vllm"]
install()
importlib.import_module("vllm")
