"""Imports that transformers makes for others are deferred, and no other code can tell.

Each case runs in a process of its own, since what has been imported cannot be taken back.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import models, vision_models
from torchpaged.ops import cpu

HEAVY = (
    *("torch._dynamo", "torch._inductor", "torch.distributed.tensor", "torch.distributed.fsdp", "sympy"),
    *("scipy.optimize", "torchao", "triton", "accelerate"),
)
ENGINE = """
from torchpaged import LLM, SamplingParams
llm = LLM({path!r}, skip_tokenizer_init=True, num_blocks=16, block_size=4)
params = SamplingParams(max_tokens=4, temperature=0, ignore_eos=True)
tokens = llm.generate([[1, 2, 3]], params, use_tqdm=False)[0].outputs[0].token_ids
"""
STAND_INS = """
import gc
from torchpaged.utils.deferred_imports import StandIn
def stand_ins():
    found = [(name, key) for name, module in list(sys.modules.items()) if name.startswith("transformers.")
             for key, value in vars(module).items() if type(value) is StandIn]
    return found
"""


def run(code: str, path: Path) -> str:
    """Run Python code in a new process and return its output."""
    code = "import sys\n" + code.replace("{path!r}", repr(str(path)))
    done = subprocess.run([sys.executable, "-W", "error::RuntimeWarning", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("llama")
    models.build("llama").save_pretrained(path)
    return path


def test_an_engine_imports_nothing_that_it_does_not_need(folder: Path) -> None:
    code = f"\nprint([each for each in {HEAVY} if each in sys.modules])\n"
    assert run("import torchpaged; from torchpaged import LLM" + code + ENGINE + code, folder) == "[]\n[]\n"


@pytest.mark.long
@pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="models are prepared with fast kernels")
def test_the_first_image_of_a_prepared_model_imports_nothing_that_it_does_not_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHPAGED_PREPARED_CACHE", "1")
    monkeypatch.setenv("TORCHPAGED_CACHE", str(tmp_path / "cache"))
    made = vision_models.build("llava")
    vision_models.save(made._replace(model=made.model.bfloat16()), tmp_path / "model")
    code = f"""
from PIL import Image
from torchpaged import LLM, SamplingParams
llm = LLM({{path!r}}, num_blocks=32)
prompt = {{"prompt": "<image>What?", "multi_modal_data": {{"image": Image.new("RGB", (40, 40), "red")}}}}
llm.generate(prompt, SamplingParams(max_tokens=1), use_tqdm=False)
observer = getattr(llm.engine.model.weights, "observer", None)
if observer is not None:
    observer.wait()
print(type(llm.engine.model).__name__, [each for each in {HEAVY} if each in sys.modules])
"""
    assert run(code, tmp_path / "model").startswith("TransformersModel")
    assert run(code, tmp_path / "model") == "PreparedModel []\n"


AFTERWARDS = {
    "dynamo": """
import torch._dynamo
import transformers.masking_utils, transformers.integrations.eager_paged as eager
assert not stand_ins(), stand_ins()
real = torch._dynamo._trace_wrapped_higher_order_op.TransformGetItemToIndex
assert transformers.masking_utils.TransformGetItemToIndex is real
assert eager.eager_paged_attention_forward._torchdynamo_disable
from transformers.generation.continuous_batching.cache import PagedAttentionCache
assert PagedAttentionCache.update._torchdynamo_disable
""",
    "decorators": """
import torch
calls = []
import torch._dynamo
from transformers.modeling_utils import PreTrainedModel
from torch._dynamo import trace_rules
assert id(PreTrainedModel.can_record_outputs.fget) in trace_rules._allowed_callable_ids
from transformers.integrations import sonicmoe
""",
    "compile": """
import torch
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained({path!r})
ids = torch.tensor([[1, 2, 3]])
with torch.no_grad():
    expected = model(ids).logits
    for backend in ("eager", "torchpaged"):
        torch._dynamo.reset()
        found = torch.compile(model, backend=backend, fullgraph=backend == "eager")(ids).logits
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
assert not stand_ins()
""",
    "disabled": """
import torch
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.integrations.eager_paged import eager_paged_attention_forward as before
def call(x):
    return registered(x + 1)
registered = ALL_ATTENTION_FUNCTIONS["paged|eager"]
import torch._dynamo
try:
    torch.compile(call, backend="eager", fullgraph=True)(torch.ones(2))
except torch._dynamo.exc.Unsupported as error:
    assert "disable" in str(error), error
else:
    raise AssertionError("it was compiled")
""",
    "DTensor": """
import torch
from transformers.distributed import utils, sharding_utils
assert not utils.is_dtensor(torch.ones(2))
assert not isinstance(torch.ones(2), sharding_utils.DTensor)
from torch.distributed.tensor import DTensor, Shard, Replicate, distribute_tensor
from torch.distributed.device_mesh import init_device_mesh
import os
os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=torch.distributed.HashStore())
mesh = init_device_mesh("cpu", (1,))
x = distribute_tensor(torch.arange(6.0), mesh, [Shard(0)])
assert sharding_utils.DTensor is DTensor and sharding_utils.Shard is Shard
assert utils.is_dtensor(x) and isinstance(x, sharding_utils.DTensor)
assert torch.equal((x + 1).full_tensor(), x.full_tensor() + 1)
from transformers import modeling_utils
assert modeling_utils.is_dtensor is utils.is_dtensor and not hasattr(utils.is_dtensor, "__wrapped__")
torch.distributed.destroy_process_group()
""",
    "styles": """
from transformers.distributed.parallel_utils import ALL_PARALLEL_STYLES
from transformers import modeling_utils
model = llm.engine.model.model
model.tp_plan = {"model.layers.*.mlp.up_proj": "colwise"}
assert {"colwise", "rowwise", "grouped_gemm"} <= set(ALL_PARALLEL_STYLES)
assert type(ALL_PARALLEL_STYLES).__name__ == "ParallelInterface"
from transformers.distributed.tensor_parallel import ColwiseParallel
assert type(ALL_PARALLEL_STYLES["colwise"]) is ColwiseParallel
try:
    model.tp_plan = {"model.layers.*.mlp.up_proj": "nothing"}
except ValueError as error:
    assert "colwise" in str(error)
else:
    raise AssertionError("an unknown style was taken")
""",
    "generate": """
import torch
from transformers import AutoModelForCausalLM, GenerationConfig
model = AutoModelForCausalLM.from_pretrained({path!r}, dtype=torch.float32)
options = {"max_new_tokens": 4, "min_new_tokens": 4, "do_sample": False, "pad_token_id": 0}
own = model.generate(torch.tensor([[1, 2, 3]]), **options)[0, 3:].tolist()
assert own == list(tokens), (own, tokens)
static = model.generate(torch.tensor([[1, 2, 3]]), cache_implementation="static", **options)[0, 3:].tolist()
assert static == own
""",
    "generate_batch": """
import torch
from transformers import AutoModelForCausalLM, GenerationConfig
model = AutoModelForCausalLM.from_pretrained({path!r}, dtype=torch.float32)
config = GenerationConfig(max_new_tokens=4, do_sample=False, eos_token_id=-1, pad_token_id=0)
found = model.generate_batch([[1, 2, 3]], generation_config=config)
assert [each.generated_tokens for each in found.values()] == [list(tokens)], found
""",
    "pickle": """
import copy, pickle, torch
from transformers.distributed import sharding_utils
import transformers.loss.loss_for_object_detection as loss
again = pickle.loads(pickle.dumps(sharding_utils.DTensor))
from torch.distributed.tensor import DTensor
assert again is DTensor
assert copy.deepcopy(loss.linear_sum_assignment) is not None
costs = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
assert loss.linear_sum_assignment(costs)[1].tolist() == [1, 0]
import scipy.optimize
assert loss.linear_sum_assignment is scipy.optimize.linear_sum_assignment
""",
    "inspect": """
import inspect, typing
import transformers.distributed.sharding_utils as module
inspect.getmembers(module), inspect.getdoc(module.DTensor), repr(module.DTensor)
assert not inspect.isclass(module.DTensor) and not callable(getattr(module.DTensor, "__wrapped__", None))
assert typing.Optional[module.DTensor] is not None and module.DTensor | None is not None
assert "torch.distributed.tensor" not in sys.modules
class Own(module.DTensor):
    pass
from torch.distributed.tensor import DTensor
assert Own.__mro__[1] is DTensor and issubclass(Own, module.DTensor)
""",
    "torchao": """
import torch
from transformers import AutoModelForCausalLM, TorchAoConfig
from torchao.quantization import Int8WeightOnlyConfig
model = AutoModelForCausalLM.from_pretrained({path!r}, quantization_config=TorchAoConfig(Int8WeightOnlyConfig()))
assert "Int8" in type(model.model.layers[0].mlp.up_proj.weight).__name__, type(model.model.layers[0].mlp.up_proj.weight)
""",
    "accelerate": """
import torch
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained({path!r}, device_map="auto")
assert model(torch.tensor([[1, 2, 3]])).logits.isfinite().all()
import accelerate.hooks, transformers.generation.utils
assert transformers.generation.utils.AlignDevicesHook is accelerate.hooks.AlignDevicesHook
model = AutoModelForCausalLM.from_pretrained({path!r}, device_map={"": "cpu"})
model.save_pretrained({path!r} + "-again")
""",
    "hooks": """
import builtins, torch, torch.compiler
assert builtins.__import__.__module__ == "builtins" and torch.__getattr__.__module__ == "torch"
assert torch.compiler.disable.__module__ == "torch.compiler"
import importlib
disabled = torch.compiler.disable(lambda x: x)
assert disabled._torchdynamo_disable
""",
}


@pytest.mark.long
@pytest.mark.parametrize("case", AFTERWARDS)
def test_behind_an_engine_all_is_as_before(case: str, folder: Path) -> None:
    run(ENGINE + STAND_INS + AFTERWARDS[case], folder)


def test_generate_and_compile_are_as_before(folder: Path) -> None:
    """The others take six seconds each, and break together with these."""
    run(ENGINE + STAND_INS + AFTERWARDS["generate"] + AFTERWARDS["compile"], folder)


def test_behind_an_import_of_transformers_nothing_is_deferred(folder: Path) -> None:
    code = "import transformers.modeling_utils\n" + ENGINE + STAND_INS + "print(stand_ins())"
    assert run(code, folder) == "[]\n"


def test_other_threads_import_what_they_ask_for(folder: Path) -> None:
    """While an engine is loaded, another thread imports dynamo and modules of transformers."""
    code = """
import threading
def others():
    import torch._dynamo
    import transformers.masking_utils
    from transformers.models.gpt2 import modeling_gpt2
    seen.append(torch._dynamo.is_compiling())
seen = []
thread = threading.Thread(target=others)
thread.start()
"""
    checks = "thread.join()\nassert seen == [False] and not stand_ins(), stand_ins()"
    run(code + ENGINE + STAND_INS + checks, folder)
