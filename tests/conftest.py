"""Before anything else is imported: no network, two threads, and Triton in its interpreter where there is no GPU."""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch

if not torch.cuda.is_available():
    # Read when the kernels' decorators run, so it has to be set before torchpaged.ops.triton is imported.
    os.environ.setdefault("TRITON_INTERPRET", "1")

import pytest

# Two workers of `pytest -n 2` share the two cores: a thread each, or OpenMP's barriers wait for the other's turn.
torch.set_num_threads(1 if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) > 1 else 2)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`gpu` tests need a device; `long` ones are run by `make test-long`, which asks for them by marker."""
    no_gpu = pytest.mark.skip(reason="no CUDA device: torch.cuda.is_available() is False")
    not_asked = pytest.mark.skip(reason="a long random run: `make test-long` selects it with -m long")
    asked = "long" in (config.getoption("markexpr") or "")
    for item in items:
        # By marker: `item.keywords` has the names of folders too, the checkout's among them.
        if item.get_closest_marker("gpu") and not torch.cuda.is_available():
            item.add_marker(no_gpu)
        if item.get_closest_marker("long") and not asked:
            item.add_marker(not_asked)
