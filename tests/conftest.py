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


# Long too, though most are one case of a test that is not: 6 to 50 s of a core each, and what they find the quicker
# cases beside them mostly find.
SLOW = (
    "integrations/test_families.py::test_longrope_traces_whole[phimoe]",
    "integrations/test_families.py::test_traces_whole[falcon]",
    "integrations/test_families.py::test_traces_whole[gptj]",
    "integrations/test_families.py::test_traces_whole[phimoe]",
    "integrations/test_families.py::test_traces_whole[stablelm]",
    "integrations/test_lm_eval.py::test_the_command_line",
    "integrations/test_paged_cache.py::test_the_name_is_known_whatever_is_imported_first[torchpaged]",
    "ops/test_autograd.py::test_compiled_code_runs_and_raises_in_backward[inductor]",
    "ops/test_build.py::test_every_unit_compiles_without_a_warning[clang++]",
    "ops/test_every_isa.py::test_every_isa[portable]",
    "ops/test_inductor.py::test_caches_that_are_views[True]",
    "ops/test_inductor.py::test_caches_that_are_views[mark_dynamic]",
    "ops/test_paged_attention.py::test_decode_and_prefill_in_one_batch[triton-0]",
    "ops/test_paged_attention.py::test_decode_and_prefill_in_one_batch[triton-3]",
    "ops/test_paged_attention.py::test_many_chunks[triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[flat-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[many-and-top-p-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[together-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[vocab-4097-triton]",
    "ops/test_shares.py::test_more_sequences_than_one_search_step",
    "test_exported.py::test_a_cache_of_another_kind",
    "test_generate.py::test_python_s_own_encoding_is_kept",
)


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marker
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`gpu` tests need a device; `long` ones are run by `make test-long`, which asks for them by marker."""
    no_gpu = pytest.mark.skip(reason="no CUDA device: torch.cuda.is_available() is False")
    not_asked = pytest.mark.skip(reason="a long random run: `make test-long` selects it with -m long")
    asked = "long" in (config.getoption("markexpr") or "")
    for item in items:
        if item.nodeid.endswith(SLOW):
            item.add_marker("long")
        # By marker: `item.keywords` has the names of folders too, the checkout's among them.
        if item.get_closest_marker("gpu") and not torch.cuda.is_available():
            item.add_marker(no_gpu)
        if item.get_closest_marker("long") and not asked:
            item.add_marker(not_asked)
