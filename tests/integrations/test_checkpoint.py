"""Untrusted checkpoints: their code does not run, their paths stay inside the folder, and errors name the problem."""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from tests import models
from tests.integrations.gguf_files import write
from tests.test_gguf_llm import TOKENIZER
from torchpaged import LLM, SamplingParams, cli
from torchpaged.errors import ConfigError, ModelError
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.model_loader import build_empty, stream_weights
from torchpaged.integrations.families import FAMILIES
from torchpaged.integrations.transformers import adapter
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.tools.export import export_checkpoint
from torchpaged.weights.gguf_file import Gguf

GREEDY = SamplingParams(temperature=0, max_tokens=3)
INDEX = "model.safetensors.index.json"
CODE = """
from pathlib import Path
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
Path({ran!r}).touch()
class Config(LlamaConfig):
    model_type = {kind!r}
class Model(LlamaForCausalLM):
    config_class = Config
class Tokenizer(PreTrainedTokenizerFast):
    pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "model"
    shutil.copytree(models.STDLIB_LM, target)
    return target


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


# --- One value --------------------------------------------------------------------------------------------


def test_folders_files_and_instances_are_one_value(folder: Path, tmp_path: Path) -> None:
    edit(folder / "config.json", quantization_config={"quant_method": "gptq", "bits": 4, "group_size": 32})
    found = Checkpoint.resolve(folder)
    assert (found.name, found.tokenizer_source) == (str(folder), str(folder))
    assert found.config.model_type == found.decoder_config.model_type == "llama"
    assert found.quantization_method == "gptq" and found.scheme is not None and found.scheme.name == "GPTQ, 4 bits"

    file = Gguf(write(models.build("qwen3"), tmp_path / "m.gguf", **TOKENIZER))
    for model in (file, file.path, str(file.path)):
        found = Checkpoint.resolve(model)
        assert found.name == str(file.path) and isinstance(found.tokenizer_source, Gguf)
        assert found.config.model_type == "qwen3" and found.quantization_method is found.scheme is None

    instance = models.build("llama")
    found = Checkpoint.resolve(instance)
    assert found.config is instance.config and found.instance is instance and found.tokenizer_source is None
    with pytest.raises(ConfigError, match=r"LLM: model is 3, expected a folder, a hub id, a \.gguf or \.pt2 file"):
        LLM(3)  # type: ignore[arg-type]


def test_a_config_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = list[str]()
    read = AutoConfig.from_pretrained
    monkeypatch.setattr(AutoConfig, "from_pretrained", lambda path, **more: paths.append(path) or read(path, **more))
    LLM(folder, num_blocks=40, skip_tokenizer_init=True, quantization="int8")
    assert paths == [str(folder)]


def test_a_model_is_built_without_memory_and_then_filled(tmp_path: Path) -> None:
    """A GGUF file is streamed into an empty model; transformers reads float folders; an instance has its weights."""
    file = Checkpoint.resolve(write(models.build("qwen3"), tmp_path / "m.gguf", **TOKENIZER))
    empty = build_empty(file)
    assert (
        empty.model is not None and empty.source is not None and all(each.is_meta for each in empty.model.parameters())
    )
    loaded = stream_weights(empty)
    assert loaded.owned and not any(each.is_meta for each in loaded.model.parameters())

    models.build("llama").save_pretrained(tmp_path / "floats")
    empty = build_empty(Checkpoint.resolve(tmp_path / "floats"))
    assert empty.model is None and empty.source is None and empty.is_safetensors
    assert stream_weights(empty).owned

    instance = models.build("llama")
    loaded = stream_weights(build_empty(Checkpoint.resolve(instance)))
    assert loaded.model is instance and not loaded.owned


# --- Code -------------------------------------------------------------------------------------------------


def with_code(folder: Path, what: str) -> Path:
    """Adds code to a checkpoint; returns the file that is there once the code has run."""
    ran = folder.parent / "ran"
    # A name of its own for each: modules of code are kept by name, and registered ones by type.
    kind = "llama" if what == "known" else f"brought_{what}"
    (folder / "brought.py").write_text(CODE.format(ran=str(ran), kind=kind))
    if what == "tokenizer":
        maps = {"AutoTokenizer": ["brought.Tokenizer", "brought.Tokenizer"]}
        edit(folder / "tokenizer_config.json", auto_map=maps, tokenizer_class="Tokenizer")
    else:
        maps = {"AutoConfig": "brought.Config", "AutoModelForCausalLM": "brought.Model"}
        edit(folder / "config.json", auto_map=maps, model_type=kind)
    return ran


def lm_eval(path: str) -> None:
    pytest.importorskip("lm_eval", reason="lm_eval is not installed")
    from torchpaged.integrations.lm_eval.adapter import TorchPagedLM

    TorchPagedLM(path, add_bos_token=False)


def command(*words: str) -> Callable[[str], None]:
    def run(path: str) -> None:
        """Raises what it says on standard error."""
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            assert cli.main([word.format(path=path) for word in words]) == 2
        raise ModelError(errors.getvalue())

    return run


ENTRANCES: dict[str, Callable[[str], Any]] = {
    "LLM": LLM,
    "export_checkpoint": lambda path: export_checkpoint(path, f"{path}.pt2"),
    "resolve": Checkpoint.resolve,
    "lm_eval": lm_eval,
    "generate": command("generate", "--model", "{path}", "--prompt", "a", "--quiet"),
    "trace": command("trace", "--model", "{path}", "-o", "{path}.html"),
    "bench": command("bench", "--model", "{path}", "--quiet"),
    "export": command("export", "{path}", "-o", "{path}.pt2"),
    "info": command("info", "{path}"),
}


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the questions on the terminal and answer each with yes."""
    asked: list[str] = []
    monkeypatch.setattr(builtins, "input", lambda text="": asked.append(text) or "y")
    return asked


@pytest.mark.parametrize(
    ("entrance", "what"),
    [
        *((entrance, "model") for entrance in ENTRANCES),
        *((entrance, "tokenizer") for entrance in ENTRANCES if entrance not in ("resolve", "info")),
    ],
)
def test_code_does_not_run_and_nobody_is_asked(entrance: str, what: str, folder: Path, questions: list[str]) -> None:
    ran = with_code(folder, what)
    with pytest.raises(ModelError, match="--trust-remote-code"):
        ENTRANCES[entrance](str(folder))
    assert not ran.exists() and not questions


def test_a_known_architecture_needs_no_code(folder: Path, questions: list[str]) -> None:
    ran = with_code(folder, "known")
    llm = LLM(folder, num_blocks=20)
    assert llm.generate("import os", SamplingParams(max_tokens=3), use_tqdm=False)[0].finished
    assert cli.main(["info", str(folder)]) == 0 and not ran.exists() and not questions


@pytest.mark.parametrize("what", ["known", "tokenizer"])
def test_trusted_code_runs(what: str, folder: Path) -> None:
    """One config names a class that the engine does not know, another a class of a known type."""
    ran = with_code(folder, what)
    llm = LLM(folder, num_blocks=20, trust_remote_code=True)
    assert ran.exists()
    assert llm.generate("import os", SamplingParams(max_tokens=3), use_tqdm=False)[0].finished
    brought = llm.tokenizer if what == "tokenizer" else llm.engine.model.model
    assert "brought" in type(brought).__module__
    if what == "known":
        assert cli.main(["info", str(folder), "--trust-remote-code"]) == 0


def test_trusted_code_of_an_unknown_type_is_refused_by_its_type(folder: Path) -> None:
    with_code(folder, "model")
    with pytest.raises(ModelError, match="model type 'brought_model' is not supported"):
        LLM(folder, trust_remote_code=True)


@pytest.mark.parametrize("name", ["attn_implementation", "_attn_implementation"])
@pytest.mark.parametrize("value", ["somebody/kernel", "flash_attention_2"])
def test_a_config_does_not_choose_the_attention(name: str, value: str, folder: Path) -> None:
    """It could name kernels to download from the hub; the engine replaces any value with its own."""
    edit(folder / "config.json", **{name: value})
    assert adapter.load(str(folder)).config._attn_implementation in ("sdpa", "eager")  # between steps


# --- Names ------------------------------------------------------------------------------------------------


def shard(folder: Path) -> list[Path]:
    """Write two files and an index instead of one."""
    weights = load_file(folder / "model.safetensors")
    names = sorted(weights)
    parts = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    where = {name: parts[i % 2] for i, name in enumerate(names)}
    for part in parts:
        save_file({name: weights[name] for name in names if where[name] == part}, folder / part, {"format": "pt"})
    (folder / "model.safetensors").unlink()
    (folder / INDEX).write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": where}))
    return [folder / part for part in parts]


def rename(folder: Path, old: str, new: str) -> None:
    path = folder / INDEX
    path.write_text(path.read_text().replace(json.dumps(old), json.dumps(new)))


def test_shards_in_the_folder(folder: Path) -> None:
    first, second = shard(folder)
    (folder / "sub").mkdir()
    first.rename(folder / "sub" / first.name)
    rename(folder, first.name, f"sub/{first.name}")
    second.rename(folder / "sub" / "real")
    second.symlink_to(folder / "sub" / "real")  # a link that stays inside
    assert adapter.load(str(folder)).config.model_type == "llama"


@pytest.mark.parametrize("name", ["../{}", "sub/../../{}", "{parent}/{}", "..\\{}", "C:{}", "\\\\host\\{}"])
def test_an_index_that_leads_out(name: str, folder: Path) -> None:
    first, _ = shard(folder)
    outside = folder.parent / first.name
    first.rename(outside)
    (folder / "sub").mkdir()
    rename(folder, first.name, name.format(first.name, parent=folder.parent))
    with pytest.raises(ModelError, match=r"index\.json names .*expected files in the folder"):
        LLM(folder)


def test_an_index_of_another_name_that_leads_out(folder: Path) -> None:
    first, _ = shard(folder)
    first.rename(folder.parent / first.name)
    rename(folder, first.name, f"../{first.name}")
    (folder / INDEX).rename(folder / "mine.safetensors.index.json")
    for named, says in (
        ("mine.safetensors.index.json", r"mine\.safetensors\.index\.json names .*expected files in the folder"),
        ("../" + first.name, "its config names .* as its weights, expected a file in the folder"),
        (7, "its config names 7 as its weights"),
    ):
        edit(folder / "config.json", transformers_weights=named)
        with pytest.raises(ModelError, match=says):
            LLM(folder)


def test_a_link_that_leads_out(folder: Path) -> None:
    first, _ = shard(folder)
    outside = folder.parent / "private.safetensors"
    first.rename(outside)
    first.symlink_to(outside)
    with pytest.raises(ModelError, match=r"model-00001.* is a link to '.*private\.safetensors', outside of the folder"):
        LLM(folder)


@pytest.mark.parametrize("layout", ["repository", "shared"])
def test_links_of_the_hub_s_cache(layout: str, folder: Path, tmp_path: Path) -> None:
    """A snapshot's files are links to the repository's blobs, which may be links to those of all repositories."""
    repository = tmp_path / "hub" / "models--a--b"
    snapshot, blobs = repository / "snapshots" / "1234", repository / "blobs"
    store = repository.parent / "blobs" / "ab"
    for each in (snapshot.parent, blobs, store):
        each.mkdir(parents=True)
    shard(folder)
    folder.rename(snapshot)
    for file in snapshot.iterdir():
        blob = blobs / file.name
        if layout == "shared":
            file.rename(store / file.name)
            blob.symlink_to(os.path.relpath(store / file.name, blobs))
        else:
            file.rename(blob)
        file.symlink_to(os.path.relpath(blob, snapshot))
    link = tmp_path / "link"
    link.symlink_to(snapshot)
    for path in (snapshot, link):
        assert adapter.load(str(path)).config.model_type == "llama"


def test_what_only_looks_like_the_hub_s_cache(folder: Path, tmp_path: Path) -> None:
    repository = tmp_path / "models--a--b"
    snapshot = repository / "snapshots" / "1234"
    snapshot.parent.mkdir(parents=True)
    first, _ = shard(folder)
    folder.rename(snapshot)
    (tmp_path / "private").mkdir()
    (snapshot / first.name).rename(tmp_path / "private" / "weights")
    (repository / "blobs").symlink_to(tmp_path / "private")
    (snapshot / first.name).symlink_to("../../blobs/weights")
    with pytest.raises(ModelError, match="outside of the folder"):
        LLM(snapshot)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"weight_map": 3}', '{"weight_map": {"a": [1]}}', '{"weight_map": {"a": 1}}']
)
def test_an_index_that_is_none(text: str, folder: Path) -> None:
    shard(folder)
    (folder / INDEX).write_text(text)
    with pytest.raises(ModelError, match=r"index\.json (is not an index of weights|names 1)"):
        Checkpoint.resolve(folder).require_weights()


# --- What it is -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [True, False], ids=["config", "no-config"])
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("model.Q4_0.gguf", r"a folder of GGUF, expected safetensors: name the file, '.*model.Q4_0.gguf'"),
        ("pytorch_model.pt", r"weights are pickled \(pytorch_model.pt\), .*expected safetensors: .*save_pretrained"),
        ("consolidated.00.pth", r"weights are pickled \(consolidated.00.pth\)"),
    ],
)
def test_weights_of_another_kind(config: bool, name: str, says: str, folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / name)
    if not config:
        (folder / "config.json").unlink()
    with pytest.raises(ModelError, match=says):
        LLM(folder)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("m.gguf", "the file cannot be read: cannot mmap an empty file"),
        ("m.bin", "this is a file of pickled weights, expected a folder"),
        ("model.safetensors", "this is one file of a checkpoint, expected a folder"),
    ],
)
def test_a_file_of_another_kind(name: str, says: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    with pytest.raises(ModelError, match=says):
        LLM(tmp_path / name)


def test_a_gguf_file_of_another_name(tmp_path: Path) -> None:
    """As Ollama names them, by their hashes."""
    for name in ("sha256-00", "m.bin", "m.GGUF"):
        (tmp_path / name).write_bytes(b"GGUF" + bytes(40))
        with pytest.raises(ModelError, match=r"are a GGUF file's, but its name does not end in \.gguf: rename it"):
            LLM(tmp_path / name)


# --- Weights that are pickled -----------------------------------------------------------------------------


class Evil:
    """An object that runs code when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return (Path.touch, (self.mark,))


def pickled(folder: Path, more: dict[str, Any] | None = None) -> list[int]:
    """Write the weights as .bin; return the model's completion of a prompt before."""
    before = LLM(folder, num_blocks=40).generate("import os", GREEDY, use_tqdm=False)[0].outputs[0].token_ids
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save({**weights, **(more or {})}, folder / "pytorch_model.bin")
    return before


@pytest.mark.parametrize("load_format", ["auto", "pt"])
def test_pickled_tensors_are_read(load_format: str, folder: Path) -> None:
    tokens = pickled(folder)
    llm = LLM(folder, num_blocks=40, load_format=load_format)
    assert llm.generate("import os", GREEDY, use_tqdm=False)[0].outputs[0].token_ids == tokens
    with pytest.raises(ModelError, match=r"weights are pickled \(pytorch_model.bin\)"):
        LLM(folder, load_format="safetensors")


def test_pickled_code_does_not_run(folder: Path, tmp_path: Path) -> None:
    mark = tmp_path / "it-ran"
    pickled(folder, {"model.norm.weight": Evil(mark)})
    with pytest.raises(ModelError, match=r"holds more than tensors, or is broken; expected safetensors: .*save_pre"):
        LLM(folder)
    assert not mark.exists()


def test_an_index_of_pickles_that_leads_out(folder: Path) -> None:
    pickled(folder)
    index = {"weight_map": {"model.norm.weight": "../elsewhere.bin"}}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match=r"names '\.\./elsewhere.bin', expected files in the folder"):
        LLM(folder)


def test_no_weights_of_the_format(folder: Path) -> None:
    with pytest.raises(ModelError, match=r"no weights in it, expected pytorch_model.bin"):
        LLM(folder, load_format="pt")


def test_weights_that_mean_nothing(folder: Path) -> None:
    """Dummy weights are the same in each process, and no file is read."""
    (folder / "model.safetensors").unlink()
    tokens = []
    for _ in range(2):
        llm = LLM(folder, num_blocks=40, load_format="dummy")
        tokens.append(llm.generate("import os", GREEDY, use_tqdm=False)[0].outputs[0].token_ids)
    assert tokens[0] == tokens[1]


def test_overrides_of_the_config(folder: Path) -> None:
    assert LLM(folder, num_blocks=40, hf_overrides={"max_position_embeddings": 77}).engine.max_model_len == 77

    def shorter(config: Any) -> Any:
        config.max_position_embeddings = 66
        return config

    assert LLM(folder, num_blocks=40, hf_overrides=shorter).engine.max_model_len == 66
    with pytest.raises(ConfigError, match=r"hf_overrides has 'max_positions_embeddings'.*did you mean 'max_position_"):
        LLM(folder, hf_overrides={"max_positions_embeddings": 77})
    with pytest.raises(ConfigError, match="hf_overrides returned None, expected the config"):
        LLM(folder, hf_overrides=lambda config: None)


def test_overrides_of_the_generation_config(folder: Path) -> None:
    given = {"temperature": 0.25, "max_new_tokens": 7}
    llm = LLM(folder, num_blocks=40, override_generation_config=given)
    assert llm.get_default_sampling_params() == SamplingParams(temperature=0.25, max_tokens=7)
    assert LLM(folder, num_blocks=40, generation_config="vllm").get_default_sampling_params() == SamplingParams()
    with pytest.raises(ModelError, match="temperature is -1"):
        LLM(folder, override_generation_config={"temperature": -1})


@pytest.mark.parametrize(("method", "package"), [("vptq", "vptq"), ("aqlm", "aqlm")])
def test_a_quantiser_that_is_not_installed(method: str, package: str, folder: Path) -> None:
    edit(folder / "config.json", quantization_config={"quant_method": method, "bits": 4})
    with pytest.raises(ModelError, match=rf"its weights are quantised \({method}\), .*{package}") as error:
        LLM(folder)
    assert "safetensors" not in str(error.value) and "\n" not in str(error.value)


def test_every_refusal_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused = [name for name, family in FAMILIES.items() if family.reason is not None and name in CONFIG_MAPPING]
    assert len(refused) > 40
    for kind in [*refused, "vit", "clip", "nobody_knows"]:
        (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}))
        with pytest.raises(ModelError) as error:
            LLM(tmp_path)
        assert "\n" not in str(error.value) and len(str(error.value)) < 500, error.value
        assert cli.main(["info", str(tmp_path)]) == 2
        captured = capsys.readouterr()
        assert len(captured.err.splitlines()) + captured.out.splitlines()[-1].count("not supported") == 1, captured


@pytest.mark.parametrize("quantization", [None, "int8"])
@pytest.mark.parametrize("text", ["[]", "null", '{"eos_token_id": "x"}', '{"eos_token_id": [1, null]}'])
def test_a_generation_config_that_is_none(text: str, quantization: str | None, folder: Path) -> None:
    (folder / "generation_config.json").write_text(text)
    with pytest.raises(ModelError, match=r"generation config|is not a mapping"):
        LLM(folder, num_blocks=40, quantization=quantization)


def test_a_model_without_layers(folder: Path) -> None:
    edit(folder / "config.json", num_hidden_layers=0)
    with pytest.raises(ModelError, match="has no layers"):
        LLM(folder, num_blocks=40)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("architectures", 1.5, "architectures 1.5, expected a list of names"),
        ("architectures", ["LlamaForCausalLM", 1], "expected a list of names"),
        ("num_labels", 2**63, "num_labels 9223372036854775808, expected at most 1000000"),
        ("num_hidden_layers", 2**63, "num_hidden_layers 9223372036854775808, expected at most 10000"),
        ("max_position_embeddings", 2**63, "expected at most 2147483648"),
        ("text_config", {"num_labels": 1e30}, "num_labels 1e[+]30, expected"),
        ("text_config", {"a": 1}, "text_config {'a': 1}, expected a dictionary"),
        ("text_config", 1.5, "text_config 1.5, expected a dictionary"),
    ],
)
def test_a_config_that_nobody_can_mean(name: str, value: Any, says: str, folder: Path) -> None:
    """Values that transformers would accept and then loop for ever or fail in many ways."""
    edit(folder / "config.json", **{name: value})
    with pytest.raises(ModelError, match=says):
        LLM(folder, num_blocks=40)


@pytest.mark.parametrize("name", ["return_dict", "output_hidden_states", "output_attentions"])
def test_a_config_does_not_say_what_a_forward_returns(name: str, folder: Path) -> None:
    edit(folder / "config.json", **{name: "x" if name != "return_dict" else False})
    LLM(folder, num_blocks=40, skip_tokenizer_init=True)


def test_a_config_that_its_class_refuses(folder: Path) -> None:
    edit(folder / "config.json", hidden_size="wide")
    with pytest.raises(ModelError, match=r"no config could be read: .*hidden_size.*: .*wide") as error:
        LLM(folder)
    assert "\n" not in str(error.value)


def test_a_tokenizer_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="could not be loaded"):
        load_tokenizer(tmp_path)


def test_a_config_does_not_choose_the_kind_of_its_outputs(folder: Path) -> None:
    edit(folder / "config.json", return_dict=False)
    assert LLM(folder, num_blocks=20, skip_tokenizer_init=True).generate([[1, 2]], use_tqdm=False)


def test_tables_that_no_memory_holds(folder: Path) -> None:
    edit(folder / "config.json", max_position_embeddings=2**31)
    with pytest.raises(ConfigError, match="max_model_len is 2147483648, but the system gives no such memory"):
        LLM(folder, num_blocks=20, skip_tokenizer_init=True)
