"""Receipts: signed statements by which an answer can be computed again, and their verification."""

from __future__ import annotations

from torchpaged.receipts.keys import PublicKey, SigningKey
from torchpaged.receipts.receipt import FORMAT, Receipt, ReceiptError
from torchpaged.receipts.verifier import Verdict, verify_receipts
from torchpaged.receipts.writer import ReceiptWriter, make_receipts

__all__ = [
    "FORMAT",
    "PublicKey",
    "Receipt",
    "ReceiptError",
    "ReceiptWriter",
    "SigningKey",
    "Verdict",
    "make_receipts",
    "verify_receipts",
]
