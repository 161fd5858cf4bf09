"""Verification: every kind of text is computed again to the same receipt, and no other text is ever the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography", reason="cryptography is not installed: pip install 'torchpaged[receipts]'")

from tests import models, peft_folders
from torchpaged import LLM, LoRARequest, RequestOutput, SamplingParams
from torchpaged.errors import ConfigError
from torchpaged.receipts import Receipt, ReceiptError, SigningKey, Verdict, make_receipts, verify_receipts
from torchpaged.receipts.receipt import hash_text, hash_tokens, signed_bytes

KEY = SigningKey.generate()
PROMPTS = ["def main(", "import os\nimport ", "class Queue:\n    ", "for line in "]
SETTINGS: dict[str, Any] = {"num_blocks": 300, "max_model_len": 128}


@pytest.fixture(scope="module")
def llm() -> Iterator[LLM]:
    with LLM(models.STDLIB_LM, **SETTINGS) as made:
        yield made


@pytest.fixture(scope="module")
def other() -> Iterator[LLM]:
    """A second engine with the same fingerprint: another pool, steps of other sizes, no cached prefixes."""
    more = {"num_blocks": 60, "max_num_seqs": 3, "max_num_batched_tokens": 24, "enable_prefix_caching": False}
    with LLM(models.STDLIB_LM, **{**SETTINGS, **more}) as made:
        yield made


def generate(llm: LLM, prompts: Any, params: Any, **more: Any) -> list[RequestOutput]:
    outputs: list[RequestOutput] = llm.generate(prompts, params, use_tqdm=False, **more)
    return outputs


def verdicts(llm: LLM, receipts: Any, **more: Any) -> list[Verdict]:
    return list(verify_receipts(llm, receipts, public_keys=[KEY.public], **more))


def signed(receipt: dict[str, Any], key: SigningKey = KEY) -> dict[str, Any]:
    """Sign a receipt that was changed, as the holder of the key could."""
    fields = {**receipt, "public_key": key.public.hex}
    return {**fields, "signature": key.sign(signed_bytes(fields)).hex()}


def reasons(found: list[Verdict]) -> list[str]:
    return [f"{each.status}: {each.reason}" if each.reason else each.status for each in found]


# --- Round trips --------------------------------------------------------------------------------------------

KINDS: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0},
    "greedy with a seed": {"temperature": 0, "seed": 7},
    "sampled": {"temperature": 0.9, "seed": 7},
    "filtered": {"temperature": 1.3, "top_k": 40, "top_p": 0.9, "min_p": 0.02, "seed": -(2**63)},
    "several": {"temperature": 1, "seed": 2**63 - 3, "n": 3},
    "penalties": {"temperature": 0.5, "seed": 1, "repetition_penalty": 1.3, "presence_penalty": 0.5},
    "frequency": {"temperature": 0, "frequency_penalty": 1.5, "logit_bias": {5: 2.5, 9: -100}},
    "stop strings": {"temperature": 0, "stop": ["self", "\n"], "min_tokens": 3},
    "stop string in the text": {"temperature": 0, "stop": ["s"], "include_stop_str_in_output": True},
    "stop tokens": {"temperature": 0.8, "seed": 2, "stop_token_ids": [199, 220], "skip_special_tokens": False},
    "allowed": {"temperature": 1, "seed": 2, "allowed_token_ids": list(range(100, 300)), "bad_words": ["self", "os"]},
    "to the end": {"temperature": 0, "max_tokens": None, "ignore_eos": True},
    "logprobs": {"temperature": 0, "logprobs": 2, "prompt_logprobs": 1, "flat_logprobs": True},
    "truncated": {"temperature": 0, "truncate_prompt_tokens": 2},
    "tokens alone": {"temperature": 0, "detokenize": False},
}


@pytest.mark.parametrize("full", [True, False], ids=["full", "hashes"])
@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(llm: LLM, other: LLM, kind: str, full: bool) -> None:
    params = SamplingParams(**{"max_tokens": 12, **KINDS[kind]})
    outputs = generate(llm, PROMPTS, params)
    receipts = make_receipts(llm, outputs, params, KEY, full=full)
    assert len(receipts) == len(PROMPTS) * params.n
    prompts = [{"prompt_token_ids": output.prompt_token_ids} for output in outputs]
    for running in (llm, other):
        found = verdicts(running, map(json.dumps, receipts), prompts=prompts, batch_size=5)
        assert reasons(found) == ["same"] * len(receipts)
        assert [each.receipt and each.receipt.fields for each in found] == json.loads(json.dumps(receipts))
    assert reasons(verdicts(llm, receipts))[0] == (
        "same" if full else "refused: it has only a hash of its prompt, and no prompts were given"
    )
    said = "refused: its prompt is none of those that were given"
    assert reasons(verdicts(llm, receipts, prompts=["another"])) == [said] * len(receipts)


GRAMMARS: list[dict[str, Any]] = [
    {
        "json": {
            "type": "object",
            "properties": {"z": {"type": "integer"}, "a": {"enum": ["b", "c"]}},
            "required": ["z"],
        }
    },
    {"json": '{"type": "array", "items": {"type": "boolean"}, "maxItems": 3}', "disable_any_whitespace": True},
    {"regex": "[a-f]{3,9}é?"},
    {"choice": ["yes", "no, never", "perhaps"]},
    {"grammar": 'start: "a" start | "b"'},
]


@pytest.mark.parametrize("given", GRAMMARS, ids=lambda given: next(iter(given)))
def test_structured_outputs(llm: LLM, other: LLM, given: dict[str, Any]) -> None:
    pytest.importorskip("llguidance", reason="llguidance is not installed")
    params = SamplingParams(temperature=1, seed=3, n=2, max_tokens=40, structured_outputs=given)
    receipts = make_receipts(llm, generate(llm, PROMPTS, params), params, KEY, full=True)
    assert reasons(verdicts(other, map(json.dumps, receipts))) == ["same"] * 8


def test_thoughts_before_a_constraint(llm: LLM, other: LLM) -> None:
    pytest.importorskip("llguidance", reason="llguidance is not installed")
    params = SamplingParams(
        temperature=1,
        seed=3,
        max_tokens=40,
        structured_outputs={"choice": ["yes", "no"]},
        reasoning={"open": "<t>", "close": ["</t>"], "opened": True},
        thinking_token_budget=5,
    )
    outputs = generate(llm, PROMPTS, params)
    assert all(each.outputs[0].text.endswith(("</t>yes", "</t>no")) for each in outputs)
    receipts = make_receipts(llm, outputs, params, KEY, full=True)
    assert reasons(verdicts(other, map(json.dumps, receipts))) == ["same"] * len(PROMPTS)


def test_a_prefix_hit_is_not_in_it(llm: LLM) -> None:
    params = SamplingParams(temperature=0.8, seed=1, max_tokens=8)
    prompt = "import os\nimport sys\n" * 6
    llm.engine.reset_prefix_cache()
    first, again = (generate(llm, [prompt], params)[0] for _ in range(2))
    assert first.num_cached_tokens == 0 and (again.num_cached_tokens or 0) > 16
    receipts = [make_receipts(llm, [each], params, KEY)[0] for each in (first, again)]
    assert receipts[0]["output"] == receipts[1]["output"]
    assert reasons(verdicts(llm, receipts, prompts=[prompt])) == ["same"] * 2


def test_chats(llm: LLM) -> None:
    template = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    messages: Any = [{"role": "user", "content": "def main("}]
    params = SamplingParams(temperature=0.8, seed=1, max_tokens=8)
    with LLM(models.STDLIB_LM, chat_template=template, **SETTINGS) as chatting:
        outputs = chatting.chat(messages, params, use_tqdm=False)
        receipts = make_receipts(chatting, outputs, params, KEY)
        assert reasons(verdicts(chatting, receipts, prompts=[{"messages": messages}])) == ["same"]
        assert verdicts(chatting, receipts, prompts=[{"messages": messages * 2}])[0].status == "refused"


def test_speculation_is_the_same_text_and_another_system(llm: LLM) -> None:
    params = SamplingParams(temperature=0, max_tokens=24)
    prompts = ["import os\nimport sys\nimport os\nimport "]
    with LLM(models.STDLIB_LM, speculative_config={"method": "ngram", "num_speculative_tokens": 3}, **SETTINGS) as fast:
        receipts = make_receipts(fast, generate(fast, prompts, params), params, KEY, full=True)
        assert reasons(verdicts(fast, receipts)) == ["same"]
    assert (
        receipts[0]["output"] == make_receipts(llm, generate(llm, prompts, params), params, KEY, full=True)[0]["output"]
    )
    assert reasons(verdicts(llm, receipts))[0].startswith("refused: it is of another system: speculative_config is ")


# --- Adapters -----------------------------------------------------------------------------------------------


def test_adapters_are_found_by_their_contents(tmp_path: Path) -> None:
    model = models.build("llama")
    for number in (1, 2):
        peft_folders.write(tmp_path / str(number), model, number, rank=4)
    settings: dict[str, Any] = {"num_blocks": 200, "optimize": True, "enable_lora": True, "max_loras": 2}
    params = SamplingParams(temperature=0.7, seed=5, max_tokens=10)
    prompts = models.prompts([5, 9, 7])
    first, second = (LoRARequest(f"a{number}", number, str(tmp_path / str(number))) for number in (1, 2))
    with LLM(model, **settings) as llm:
        outputs = generate(llm, prompts, params, lora_request=[first, second, None])
        receipts = make_receipts(llm, outputs, params, KEY, full=True)
        assert len({each["system_fingerprint"] for each in receipts}) == 3
        assert reasons(verdicts(llm, receipts)) == ["same"] * 3
        exchanged = signed({**receipts[0], **{name: receipts[1][name] for name in ("adapter", "system_fingerprint")}})
        assert verdicts(llm, [exchanged])[0].status == "differs"
        llm.engine.update_lora("a1", peft_folders.tensors(model, 3), peft_folders.config())
        with pytest.raises(ReceiptError, match="the adapter 'a1' has been replaced or removed since the answer"):
            make_receipts(llm, outputs, params, KEY)
    with LLM(model, **settings) as llm:
        llm.add_lora(LoRARequest("under another name", 7, str(tmp_path / "1")))
        found = reasons(verdicts(llm, receipts))
        assert found[0] == found[2] == "same"
        assert found[1].startswith("refused: no adapter that is loaded has the contents ")
        assert found[1].endswith(" of its adapter 'a2'")
    with LLM(model, num_blocks=200, optimize=True) as llm:
        assert [each.status for each in verdicts(llm, receipts)] == ["refused", "refused", "same"]


# --- Other texts and systems --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def receipt(llm: LLM) -> dict[str, Any]:
    params = SamplingParams(temperature=0.9, seed=3, max_tokens=10)
    (made,) = make_receipts(llm, generate(llm, PROMPTS[:1], params), params, KEY, full=True)
    return made


def with_output(receipt: dict[str, Any], tokens: list[int], **more: Any) -> dict[str, Any]:
    part = {"num_tokens": len(tokens), "sha256": hash_tokens(tokens), "token_ids": tokens}
    return signed({**receipt, "output": {**receipt["output"], **part, **more}})


def test_where_it_differs(llm: LLM, receipt: dict[str, Any]) -> None:
    """Texts that the model did not write, signed with the right key."""
    tokens = receipt["output"]["token_ids"]
    for place in range(len(tokens)):
        forged = [*tokens[:place], tokens[place] ^ 1, *tokens[place + 1 :]]
        (found,) = verdicts(llm, [with_output(receipt, forged)])
        assert (found.status, found.position) == ("differs", place)
        assert found.reason == f"at token {place}: it has {forged[place]}, computed {tokens[place]}"
    (found,) = verdicts(llm, [with_output(receipt, tokens[:6])])
    assert found.reason == f"at token 6: it has the end, computed {tokens[6]}" and found.position == 6
    (found,) = verdicts(llm, [with_output(receipt, [*tokens, 5])])
    assert found.reason == "at token 10: it has 5, computed the end"
    (found,) = verdicts(llm, [with_output(receipt, [])])
    assert found.position == 0


def test_differences_of_hashes_texts_and_endings(llm: LLM, receipt: dict[str, Any]) -> None:
    tokens = receipt["output"]["token_ids"]
    hashed = with_output(receipt, [*tokens[:-1], 5], token_ids=None)
    longer = with_output(receipt, [*tokens, 5, 6], token_ids=None)
    text = with_output(receipt, tokens, text_sha256=hash_text("something else"))
    ending = with_output(receipt, tokens, finish_reason="\x1b[2Jstop\n", stop_reason=7)
    found = verdicts(llm, [hashed, longer, text, ending])
    assert [each.status for each in found] == ["differs"] * 4 and all(each.position is None for each in found)
    assert [each.reason for each in found] == [
        'its 10 tokens are not those computed; a receipt that is "full" would say where they begin to differ',
        "it has 12 tokens, and the computed text ends after 10",
        "the tokens are the same, and their text is not: another tokenizer wrote it",
        "the tokens are the same, but finish_reason is \\x1b[2Jstop, computed length",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", 4),
        ("temperature", 0),
        ("top_k", 1),
        ("repetition_penalty", 1.9),
        ("max_tokens", 9),
        ("bad_words", None),
    ],
)
def test_other_parameters_are_other_texts(llm: LLM, receipt: dict[str, Any], name: str, value: Any) -> None:
    if name == "bad_words":
        value = [llm.tokenizer.decode(receipt["output"]["token_ids"][4:5]).strip()]
    changed = signed({**receipt, "params": {**receipt["params"], name: value}})
    assert verdicts(llm, [changed])[0].status == "differs"


def test_another_prompt_is_another_text(llm: LLM, receipt: dict[str, Any]) -> None:
    tokens = [*receipt["prompt"]["token_ids"], 5]
    part = {"num_tokens": len(tokens), "sha256": hash_tokens(tokens), "token_ids": tokens}
    assert verdicts(llm, [signed({**receipt, "prompt": part})])[0].status == "differs"


def test_requests_that_can_never_run_are_refused_alone(llm: LLM, receipt: dict[str, Any]) -> None:
    def asking(**params: Any) -> dict[str, Any]:
        return signed({**receipt, "params": {**receipt["params"], **params}})

    too_long = [5] * 500
    part = {"num_tokens": 500, "sha256": hash_tokens(too_long), "token_ids": too_long}
    unknown = {"num_tokens": 1, "sha256": hash_tokens([2**31]), "token_ids": [2**31]}
    given = [
        signed({**receipt, "prompt": part}),
        receipt,
        signed({**receipt, "prompt": unknown}),
        asking(temperature=-1),
        asking(structured_outputs={"grammar": "start: start2"}),
        asking(structured_outputs={"grammar": "a", "regex": "b"}),
        asking(structured_outputs={"music": "a"}),
        asking(allowed_token_ids=[10**9]),
        asking(stop=["x" * 2000]),
        asking(max_tokens=10**9, min_tokens=10**8),
        receipt,
    ]
    found = verdicts(llm, given)
    assert [each.status for each in found] == ["refused", "same", *["refused"] * 7, "differs", "same"]
    assert all(each.reason and "\n" not in each.reason and len(each.reason) <= 500 for each in found[2:9])


def test_other_models_and_systems_are_refused(llm: LLM, receipt: dict[str, Any], monkeypatch: Any) -> None:
    facts = llm.engine.system_facts()
    threads = facts["threads"]
    cases = {
        "weights": ("0" * 64, "it is of another model: weights is 34"),
        "dtype": ("float32", "it is of another model: dtype is bfloat16, here float32"),
        "threads": (99, f"it is of another system: threads is {threads}, here 99 (verify --threads {threads} or "),
        "isa": ("neon", "it is of another system: isa is "),
        "code": ("x", "it is of another system: code is "),
        "kv_cache_dtype": ("int8", "it is of another system: kv_cache_dtype is auto, here int8"),
        "new": (1, "it is of another system: new is none, here 1"),
    }
    for name, (value, said) in cases.items():
        monkeypatch.setattr(llm.engine, "system_facts", lambda name=name, value=value: {**facts, name: value})
        (found,) = verdicts(llm, [receipt])
        assert found.status == "refused" and (found.reason or "").startswith(said), name
    monkeypatch.setattr(llm.engine, "system_facts", lambda: {name: facts[name] for name in facts if name != "torch"})
    assert verdicts(llm, [receipt])[0].reason.startswith("it is of another system: torch is ")


def test_weights_that_changed(receipt: dict[str, Any]) -> None:
    with LLM(models.STDLIB_LM, **SETTINGS) as changed:
        assert verdicts(changed, [receipt])[0].status == "same"
        name, weight = next(iter(changed.engine.model.weights.module.state_dict().items()))  # type: ignore[union-attr]
        changed.engine.update_weights({name: weight * 2})
        assert verdicts(changed, [receipt])[0].reason.startswith("it is of another model: weights is ")


def test_other_keys_are_refused(llm: LLM, receipt: dict[str, Any]) -> None:
    theirs = signed(receipt, SigningKey.generate())
    (found,) = verdicts(llm, [theirs])
    assert found.status == "refused" and "which is none of the expected ones" in found.reason
    assert [each.status for each in verify_receipts(llm, [theirs])] == ["same"]
    with pytest.raises(ConfigError, match="batch_size is 0, expected an integer of 1 or more"):
        verify_receipts(llm, [], batch_size=0)


def test_models_that_are_not_exact_have_none() -> None:
    params = SamplingParams(temperature=0, max_tokens=4)
    with LLM(models.build("llama"), num_blocks=20, optimize=False) as inexact:
        if inexact.engine.exact:
            pytest.skip("torch's products are exact here")
        outputs = generate(inexact, models.prompts([4]), params)
        with pytest.raises(ReceiptError, match="the model is not exact"):
            make_receipts(inexact, outputs, params, KEY)


def test_what_is_not_a_receipt_is_refused_alone(llm: LLM, receipt: dict[str, Any]) -> None:
    given: list[Any] = [
        "{",
        b"\xff",
        receipt,
        {},
        None,
        7,
        ReceiptError("it is lost"),
        "[" * 10**5,
        json.dumps(receipt),
    ]
    found = verdicts(llm, given)
    assert [each.status for each in found] == [*["refused"] * 2, "same", *["refused"] * 5, "same"]
    assert found[6].reason == "it is lost" and found[2].receipt == Receipt.parse(receipt)
