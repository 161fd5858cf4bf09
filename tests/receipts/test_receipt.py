"""The format of receipts: any change is noticed, any formatting is read, and hostile texts give one line."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography", reason="cryptography is not installed: pip install 'torchpaged[receipts]'")

from torchpaged import SamplingParams
from torchpaged.errors import ConfigError
from torchpaged.outputs import CompletionOutput
from torchpaged.receipts import PublicKey, Receipt, ReceiptError, ReceiptWriter, SigningKey, receipt, writer
from torchpaged.sampling_params import _NOT_HERE

KEY = SigningKey.generate()
FACTS: dict[str, Any] = {"exact": "exact", "logits_processors": None, "device": "cpu", "threads": 2, "isa": "avx2"}
DRAWN = SamplingParams(
    temperature=0.7,
    min_p=1e-5,
    seed=3,
    stop=["é\n", "\ud800"],
    logit_bias={7: -1.5, 11: 2},
    structured_outputs={"json": {"type": "object", "properties": {"z": {}, "a": {}}}},
)


def made(params: SamplingParams = DRAWN, *, key: SigningKey = KEY, **more: Any) -> dict[str, Any]:
    completion = CompletionOutput(0, "a text", [5, 6, 7], finish_reason="stop", stop_reason="é\n")
    return ReceiptWriter(key, "tiny", FACTS).write([1, 2], params, completion, **{"full": True, "id": "x-1", **more})


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def accepted(data: bytes) -> Receipt | None:
    """Return the receipt in a text; None: it is refused, in one line."""
    try:
        found = Receipt.parse(data)
        found.require_signature({KEY.public.hex: KEY.public})
        return found
    except ReceiptError as error:
        assert "\n" not in str(error) and len(str(error)) < 400
        return None


# --- Changes ------------------------------------------------------------------------------------------------


def unnoticed(changed: Iterator[bytes], whole: bytes) -> list[bytes]:
    """Return the changed texts that are accepted as something else than the receipt."""
    good = accepted(whole)
    assert good is not None
    found = ((data, accepted(data)) for data in changed)
    return [
        data
        for data, other in found
        if other is not None and (other.signed_bytes, other.signature) != (good.signed_bytes, good.signature)
    ]


@pytest.mark.parametrize("full", [False, True])
def test_a_byte_that_is_changed_left_out_or_added_is_noticed(full: bool) -> None:
    whole, rng = compact(made(full=full)), random.Random(0)

    def changed() -> Iterator[bytes]:
        for place, byte in enumerate(whole):
            for other in (byte ^ 1, byte ^ 32, rng.randrange(256), ord('"'), ord("0")):
                if other != byte:
                    yield whole[:place] + bytes([other]) + whole[place + 1 :]
            yield whole[:place] + whole[place + 1 :]
            yield whole[:place] + bytes([rng.randrange(256)]) + whole[place:]

    assert unnoticed(changed(), whole) == []


@pytest.mark.long
def test_every_single_byte_change_is_noticed() -> None:
    whole = compact(made())
    changed = (
        whole[:place] + bytes([other]) + whole[place + 1 :]
        for place, byte in enumerate(whole)
        for other in range(256)
        if other != byte
    )
    assert unnoticed(changed, whole) == []


def test_a_field_that_is_changed_left_out_or_added_is_noticed() -> None:
    whole = made(adapter=writer.Adapter("sql", "0" * 64))

    def places(value: Any) -> Iterator[tuple[Any, Any]]:
        for name in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, name
            if isinstance(value[name], (dict, list)):
                yield from places(value[name])

    count = 0
    for number, _ in enumerate(places(whole)):
        for change in ("other", "type", "without", "more"):
            copied = json.loads(compact(whole))
            inside, name = list(places(copied))[number]
            if change == "without":
                del inside[name]
            elif change == "more":
                inside.append(7) if isinstance(inside, list) else inside.update(new=7)
            else:
                value = inside[name]
                inside[name] = [value] if change == "type" else value + 1 if isinstance(value, int) else f"{value}x"
            assert accepted(compact(copied)) is None, (name, change)
            count += 1
    assert count > 200


def test_formatting_does_not_matter() -> None:
    """Programs may read and write a receipt, with numbers as JavaScript has them."""
    whole = made()
    reordered = dict(reversed(whole.items()))
    for text in (json.dumps(reordered, indent=3), json.dumps(whole, ensure_ascii=True), compact(whole).decode()):
        assert accepted(text.encode()) is not None
    script = json.dumps(whole).replace('"presence_penalty": 0.0', '"presence_penalty": 0')
    script = script.replace('"min_p": 1e-05', '"min_p": 0.00001').replace('"top_p": 1.0', '"top_p": 1')
    assert script != json.dumps(whole) and accepted(script.encode()) is not None
    assert Receipt.parse(whole).signed_bytes.startswith(b'torchpaged-receipt-1\n{"adapter":null,"created":')


def test_another_key() -> None:
    other = SigningKey.generate()
    mine, theirs = made(), made(key=other)
    assert accepted(compact(theirs)) is None
    Receipt.parse(theirs).require_signature()
    assert accepted(compact({**theirs, "public_key": KEY.public.hex})) is None
    assert accepted(compact({**mine, "signature": theirs["signature"]})) is None


# --- Hostile texts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "it is not JSON: Expecting value"),
        (b"\xff", "it is not UTF-8"),
        (b"[" * 100_000, "it is not JSON: it is nested too deeply"),
        (b'{"format":' * 100_000, "it is not JSON: it is nested too deeply"),
        (b"null", "it is 'None'|it is None, expected a receipt"),
        (b"[1]", "it is a list, expected a receipt"),
        (b'"' + b"x" * 10_000 + b'"', "it is 'xxx.*, expected a receipt"),
        (b"{}", "it has no format, expected 'torchpaged-receipt-1'"),
        (b'{"format": 1}', "it has the format 1, expected"),
        (b'{"format": "torchpaged-receipt-2"}', "it has the format 'torchpaged-receipt-2', expected"),
        (b'{"format": "torchpaged-receipt-1"}', "it has no field id"),
        (b'{"format": "torchpaged-receipt-1", "x": 1}', "it has the unknown field 'x'"),
        (b'{"format": 1, "format": 2}', "it is not JSON: an object has a name twice"),
        (b'{"format": NaN}', "it is not JSON: NaN is no number"),
        (b'{"format": ' + b"9" * 5000 + b"}", "it is not JSON: Exceeds the limit"),
        (b'{"format": 1e999}', "it has the format inf, expected"),
    ],
)
def test_hostile_texts(text: bytes, said: str) -> None:
    with pytest.raises(ReceiptError, match=said) as error:
        Receipt.parse(text)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("created",), True, "created is True, expected an integer of 0 or more"),
        (("created",), 2**70, "created is .*, expected an integer"),
        (("prompt",), [], "prompt is a list, expected an object"),
        (("prompt", "token_ids"), [1, 2.5], r"prompt\.token_ids is a list, expected a list of token ids"),
        (("prompt", "token_ids"), [1, 3], r"prompt\.token_ids are not the tokens of prompt\.sha256"),
        (("output", "num_tokens"), 4, r"output\.token_ids are not the tokens"),
        (("output", "token_ids"), [-1], "expected a list of token ids"),
        (("params", "temperature"), float("inf"), "it is no JSON value"),
        (("params", "temperature"), "hot", r"params\.temperature is 'hot', expected a number"),
        (("params", "stop"), ["x", 1], "expected a list of texts"),
        (("params", "logit_bias"), {"-1": 1}, "expected an object of numbers by token id"),
        (("params", "structured_outputs"), {"json": {"a": {}}}, "expected an object of texts and flags"),
        (("system",), {"a": {}}, "expected an object without objects in it"),
        (("system", "isa"), "neon", "system_fingerprint is not the hash of system and adapter"),
        (("adapter",), {"name": "x"}, r"it has no field adapter\.sha256"),
        (("signature",), "0" * 127, "expected 128 hex digits"),
        (("signature",), "A" * 128, "expected 128 hex digits"),
        (("public_key",), "é" * 64, "expected 64 hex digits"),
    ],
)
def test_fields_of_wrong_types(path: tuple[str, ...], value: Any, said: str) -> None:
    changed = json.loads(compact(made()))
    inside = changed
    for name in path[:-1]:
        inside = inside[name]
    inside[path[-1]] = value
    with pytest.raises(ReceiptError, match=said) as error:
        Receipt.parse(changed)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300


def test_a_large_text_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipt, "MOST_BYTES", 1 << 20)
    with pytest.raises(ReceiptError, match="it has more than 1 MiB"):
        Receipt.parse(b" " * (1 << 21))
    with pytest.raises(ReceiptError, match="it is no JSON value"):
        Receipt.parse({1: object()})


# --- Answers without one ------------------------------------------------------------------------------------


def test_every_parameter_is_in_it_or_without_effect() -> None:
    """A new field of SamplingParams must be put into one of these."""
    known = {*receipt.PARAMS, *writer._INDIFFERENT, *_NOT_HERE, "logits_processors"}
    assert set(SamplingParams.__dataclass_fields__) == known
    assert not receipt.PARAMS.keys() & writer._INDIFFERENT


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"seed": None}, "the text is drawn without a seed; set one, or temperature 0"),
        ({"best_of": 3}, "best_of is 3, and the completions that were not best are not returned"),
        (
            {"logits_processors": [lambda tokens, logits: logits]},
            "logits_processors is .*, which receipts do not cover",
        ),
    ],
)
def test_parameters_that_have_none(params: dict[str, Any], said: str) -> None:
    with pytest.raises(ReceiptError, match=said):
        made(SamplingParams(**{"seed": 1, **params}))


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"exact": "it has a cold"}, r"the model is not exact \(it has a cold\)"),
        ({"logits_processors": "0123"}, "the engine has logits processors"),
        ({"device": "cuda:0"}, "the model is on cuda:0, where no bits are promised"),
    ],
)
def test_systems_that_have_none(facts: dict[str, Any], said: str) -> None:
    made = ReceiptWriter(KEY, "tiny", {**FACTS, **facts})
    with pytest.raises(ReceiptError, match=said):
        made.write([1], SamplingParams(temperature=0), CompletionOutput(0, "", [1], finish_reason="stop"))
    whole = ReceiptWriter(KEY, "tiny", FACTS)
    for reason in ("abort", "error", None):
        with pytest.raises(ReceiptError, match="the completion ended with"):
            whole.write([1], SamplingParams(temperature=0), CompletionOutput(0, "", [1], finish_reason=reason))


# --- Keys ---------------------------------------------------------------------------------------------------


def test_files_of_keys(tmp_path: Path) -> None:
    path = tmp_path / "key"
    KEY.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert SigningKey.load(path).public.hex == KEY.public.hex
    with pytest.raises(ConfigError, match="cannot be written: File exists"):
        KEY.save(path)
    for mode in (0o640, 0o604, 0o660):
        path.chmod(mode)
        with pytest.raises(ConfigError, match=f"has the permissions {mode:03o}, so others can use it; chmod 600 it"):
            SigningKey.load(path)
    path.chmod(0o400)
    SigningKey.load(path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not an Ed25519 key as PEM"),
        (b"\0" * 100_000, "is not an Ed25519 key"),
        (b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "is not an Ed25519 key"),
    ],
)
def test_files_that_are_no_keys(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "key"
    path.write_bytes(data)
    path.chmod(0o600)
    with pytest.raises(ConfigError, match=said):
        SigningKey.load(path)


def test_other_keys_and_places(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric import x25519
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    path = tmp_path / "key"
    locked = BestAvailableEncryption(b"a password")
    for key, protection in ((x25519.X25519PrivateKey.generate(), NoEncryption()), (KEY._key, locked)):
        path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, protection))
        path.chmod(0o600)
        with pytest.raises(ConfigError, match="is not an Ed25519 key as PEM without a password"):
            SigningKey.load(path)
    with pytest.raises(ConfigError, match=r"No such file or directory; `torchpaged receipt-key .*/none` makes one"):
        SigningKey.load(tmp_path / "none")
    with pytest.raises(ConfigError, match=r"cannot be read|is not a file"):
        SigningKey.load(tmp_path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(ConfigError, match="is not a file"):
        SigningKey.load(tmp_path / "pipe")


def test_public_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("public", "p" * 64):  # a name may be as long as a key
        Path(path).write_text(KEY.public.hex + "\n")
        assert PublicKey.of(path).hex == PublicKey.of(KEY.public.hex).hex == KEY.public.hex
    for given in ("", "x" * 64, "nowhere", KEY.public.hex[1:]):
        with pytest.raises(ConfigError, match="expected 64 hex digits or a file with them"):
            PublicKey.of(given)
