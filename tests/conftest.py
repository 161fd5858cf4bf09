"""Settings that must precede all imports.

There is no network, two threads sleep while they wait, and without a GPU Triton runs in its interpreter.
"""

import gc
import os
import sys
from zlib import crc32

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# Tests load many checkpoints once; those of the cache switch it on, in a folder of their own.
os.environ.setdefault("TORCHPAGED_PREPARED_CACHE", "0")
# While OpenMP's threads spin, they keep the core busy that another needs. With two workers, and the programs that
# they start, a test of two threads took seven times the processor time.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch

if not torch.cuda.is_available():
    # Read when the kernels' decorators run, so it has to be set before torchpaged.ops.triton is imported.
    os.environ.setdefault("TRITON_INTERPRET", "1")

import pytest

# Each of the hundreds of processes that tests start would compile the library's files anew, 0.4 s of its 2.6, and the
# next run all tests, 12 s a worker.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Two workers of `pytest -n 2` share the two cores: a thread each, or OpenMP's barriers wait for the other's turn.
torch.set_num_threads(1 if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) > 1 else 2)


# Marked long too, though most are one case of a test that is not: 6 to 50 s of a core each, and the quicker cases of
# the same test find most of the same faults.
SLOW = (
    "compiler/test_backend.py::test_quantised_weights_are_packed_layers[int8]",
    "compiler/test_backend.py::test_programs_run_short_calls_with_the_same_bits[False]",
    "integrations/test_families.py::test_longrope_traces_whole[phimoe]",
    "integrations/test_families.py::test_traces_whole[falcon]",
    "integrations/test_families.py::test_traces_whole[gptj]",
    "integrations/test_families.py::test_traces_whole[phimoe]",
    "integrations/test_families.py::test_traces_whole[stablelm]",
    "integrations/test_lm_eval.py::test_the_command_line",
    "integrations/test_paged_cache.py::test_the_name_is_known_whatever_is_imported_first[torchpaged]",
    "integrations/test_torchao.py::test_the_head_is_near_the_float_one_however_a_step_is_made[not tied]",
    "integrations/test_torchao.py::test_the_same_when_compiled[int4-hq]",
    "integrations/test_torchao.py::test_the_same_when_compiled[int8-dynamic]",
    "ops/test_autograd.py::test_compiled_code_runs_and_raises_in_backward[inductor]",
    "ops/test_build.py::test_every_unit_compiles_without_a_warning[clang++]",
    "ops/test_every_isa.py::test_every_isa[portable]",
    "ops/test_gradients.py::test_a_compiled_training_step[inductor]",
    "ops/test_inductor.py::test_caches_that_are_views[True]",
    "ops/test_inductor.py::test_caches_that_are_views[mark_dynamic]",
    "ops/test_inductor.py::test_inputs_that_are_views[<lambda>0]",
    "ops/test_paged_attention.py::test_decode_and_prefill_in_one_batch[triton-0]",
    "ops/test_paged_attention.py::test_decode_and_prefill_in_one_batch[triton-3]",
    "ops/test_paged_attention.py::test_many_chunks[triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[equal-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[flat-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[peaked-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[top-k-1-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[top-p-cold-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[top-p-most-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[top-p-one-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[vocab-127-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[vocab-2-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[many-and-top-p-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[together-triton]",
    "ops/test_sample_tokens.py::test_tokens_are_the_references[vocab-4097-triton]",
    "ops/test_shares.py::test_all_chunks_are_shared_out_once[30x(1, 1253)-25-4-0]",
    "ops/test_shares.py::test_more_sequences_than_one_search_step",
    "test_compile.py::test_inductor_copies_no_cache[latent]",
    "test_compile.py::test_one_graph_for_every_step[gemma2]",
    "test_compile.py::test_one_graph_for_every_step[glm4]",
    "test_compile.py::test_one_graph_for_every_step[gpt_neox]",
    "test_compile.py::test_one_graph_for_every_step[mistral]",
    "test_compile.py::test_one_graph_for_every_step[olmo2]",
    "test_compile.py::test_one_graph_for_every_step[phi3]",
    "test_compile.py::test_one_graph_for_every_step[qwen3]",
    "test_compile.py::test_one_graph_for_every_step[starcoder2]",
    "models/test_exported.py::test_a_cache_of_another_kind",
    "models/test_exported.py::test_a_program_without_python[compiler]",
    "test_generate.py::test_a_process_that_is_ended[15-143-terminated]",
    "test_generate.py::test_python_s_own_encoding_is_kept",
    "test_gpu_session.py::test_steps_that_end_and_one_that_does_not",
    "test_llm.py::test_greedy_tokens_are_generates[gemma2-one-at-a-time]",
    "test_llm.py::test_greedy_tokens_are_generates[gpt_oss-one-at-a-time]",
    "test_llm.py::test_greedy_tokens_are_generates[llama4_text-one-at-a-time]",
    "test_llm.py::test_greedy_tokens_are_generates[mistral-one-at-a-time]",
    "test_llm.py::test_greedy_tokens_are_generates[qwen3-one-at-a-time]",
    "test_llm.py::test_greedy_tokens_are_generates[stdlib-lm-one-at-a-time]",
    "utils/test_quiet.py::test_standard_error_is_empty[generate-quantised-and-profiled]",
    "test_docs.py::test_commands_run[torchpaged info evals/models/stdlib-lm --startup]",
    "test_compile.py::test_one_graph_for_every_step[gemma3_text]",
    "integrations/test_torchao.py::test_the_same_when_compiled[int8]",
    "integrations/test_torchao.py::test_the_head_is_near_the_float_one_however_a_step_is_made[scaled]",
    "test_bench.py::test_engine_says_what_a_peer_died_of",
    "test_bench.py::test_memory",
    "test_bench.py::test_prefix_store",
    "test_bench.py::test_gpu_operators_on_the_cpu",
    "test_bench.py::test_scheduler_says_why_there_is_no_peer",
    "serving/test_adapters_of_models.py::test_files_that_break_after_they_were_loaded[process]",
    "serving/test_adapters_of_models.py::test_requests_under_way_keep_their_adapter[process]",
    "serving/test_adapters_of_models.py::test_swaps_and_unloads_at_random[thread]",
    "ops/test_quantised.py::test_every_byte_is_read_as_its_value[2-triton-torch.float8_e5m2]",
    "ops/test_quantised.py::test_every_byte_is_read_as_its_value[2-triton-torch.float8_e4m3fn]",
    "execution/test_profile.py::test_the_bookkeeping_benchmark_runs",
    "engine/test_random_states.py::test_tokens_do_not_depend_on_guesses[falcon_h1-know]",
    "execution/test_memory_profiling.py::test_the_widest_real_step_has_room[at-once]",
    "serving/test_adapters_of_models.py::test_swaps_and_unloads_at_random[process]",
    "serving/test_adapters_of_models.py::test_texts_are_those_of_the_engine[process]",
    "integrations/test_deferred_imports.py::test_behind_an_import_of_transformers_nothing_is_deferred",
    "integrations/test_deferred_imports.py::test_other_threads_import_what_they_ask_for",
    "serving/test_tool_matrix.py::test_every_cell_is_valid[deepseek_v31]",
    "serving/test_tool_matrix.py::test_every_cell_is_valid[mistral]",
    "engine/test_prepared.py::test_two_processes_prepare_at_once",
    "engine/test_prepared.py::test_damage_is_a_miss[weights.bin]",
    "engine/test_prepared.py::test_damage_is_a_miss[program-*.json]",
    *(
        f"ops/test_sparse_attention.py::test_a_row_does_not_depend_on_its_neighbours[{kind}-triton]"
        for kind in ("all", "first", "future", "latest", "one", "twice")
    ),
    *(
        f"integrations/test_media_models.py::test_towers_are_not_quantised[instance-int4-{name}]"
        for name in ("gemma3", "llava", "qwen2_audio", "qwen3_vl")
    ),
)


# A third of their cases run in `make test`, each model with one of three settings; `make test-long` runs all.
ONE_OF_THREE = "integrations/test_media_llm.py::test_tokens_and_logprobs_are_transformers["


def one_of_three(item: pytest.Item) -> bool:
    """Return whether to skip a case of `ONE_OF_THREE`."""
    if ONE_OF_THREE not in item.nodeid or not isinstance(item, pytest.Function):
        return False
    settings = ({}, {"max_num_batched_tokens": 40}, {"optimize": True})
    return item.callspec.params["settings"] != settings[crc32(item.callspec.params["name"].encode()) % 3]


def one_dtype_of_several(item: pytest.Item) -> bool:
    """Return whether to skip a slow case of Triton's interpreter for this dtype; `make test-long` runs all.

    On a GPU each runs.
    """
    if torch.cuda.is_available() or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    params = item.callspec.params
    if params.get("backend") != "triton" or not isinstance(params.get("dtype"), torch.dtype):
        return False
    dtypes = ("float32", "float16", "bfloat16")
    case = item.nodeid.replace(str(params["dtype"]), "")
    return str(params["dtype"]) != f"torch.{dtypes[crc32(case.encode()) % len(dtypes)]}"


def pytest_collection_finish() -> None:
    """Freeze the imported objects: otherwise each engine's shutdown spends half a second collecting them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marker
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip `gpu` tests without a device, and `long` ones unless their marker is requested, as `make test-long` does."""
    no_gpu = pytest.mark.skip(reason="no CUDA device: torch.cuda.is_available() is False")
    not_asked = pytest.mark.skip(reason="slow, or a long random run: `make test-long` selects it with -m long")
    asked = "long" in (config.getoption("markexpr") or "")
    for item in items:
        if item.nodeid.endswith(SLOW) or one_dtype_of_several(item) or one_of_three(item):
            item.add_marker("long")
        # By marker: `item.keywords` has the names of folders too, the checkout's among them.
        if item.get_closest_marker("gpu") and not torch.cuda.is_available():
            item.add_marker(no_gpu)
        if item.get_closest_marker("long") and not asked:
            item.add_marker(not_asked)
