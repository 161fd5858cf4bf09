"""SigningKey and PublicKey: Ed25519 keys of the package `cryptography`, and their files."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError, MissingPackageError

# A key's file has about 120 bytes.
_MOST_BYTES = 1 << 14
_HEX = re.compile("[0-9a-fA-F]{64}")


class SigningKey:
    """A private key.

    Args:
        key: an Ed25519PrivateKey of `cryptography`.

    Attributes:
        public: its public key.
    """

    def __init__(self, key: Any) -> None:
        self._key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())

    @classmethod
    def generate(cls) -> SigningKey:
        """Make a new key. Raises MissingPackageError if `cryptography` is not installed."""
        return cls(_ed25519().Ed25519PrivateKey.generate())

    @classmethod
    def load(cls, path: str | Path) -> SigningKey:
        """Read a key's file, PKCS #8 as PEM without a password, which others must not be able to read.

        Raises:
            ConfigError: it cannot be read, is not such a key, or others can read or replace it.
        """
        where = f"receipt key {str(path)!r}"
        ed25519 = _ed25519()
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            with open(path, "rb", opener=_open) as file:
                _require_private(where, os.fstat(file.fileno()))
                data = file.read(_MOST_BYTES)
        except OSError as error:
            hint = f"; `torchpaged receipt-key {path}` makes one" if isinstance(error, FileNotFoundError) else ""
            raise ConfigError(f"{where} cannot be read: {error.strerror}{hint}") from None
        try:
            key = load_pem_private_key(data, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, ed25519.Ed25519PrivateKey):
            raise ConfigError(
                f"{where} is not an Ed25519 key as PEM without a password; `torchpaged receipt-key` makes one"
            )
        return cls(key)

    def save(self, path: str | Path) -> None:
        """Write the key to a new file that only the user can read.

        Raises:
            ConfigError: the file exists, or cannot be written.
        """
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        data = self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            except BaseException:  # half a key would be refused by the next run
                with contextlib.suppress(OSError):
                    os.unlink(path)
                raise
        except OSError as error:
            raise ConfigError(f"receipt key {str(path)!r} cannot be written: {error.strerror}") from None

    def sign(self, data: bytes) -> bytes:
        """Return the signature of some bytes, 64 bytes."""
        return bytes(self._key.sign(data))


class PublicKey:
    """A public key.

    Args:
        raw: its 32 bytes.

    Attributes:
        hex: the bytes in hexadecimal.
    """

    def __init__(self, raw: bytes) -> None:
        self.hex, self._key = raw.hex(), _ed25519().Ed25519PublicKey.from_public_bytes(raw)

    @classmethod
    def of(cls, given: str) -> PublicKey:
        """Read a key: 64 hex digits, or a file with them as its only word.

        Raises:
            ConfigError: it is neither.
        """
        text = given
        if not _HEX.fullmatch(given) and os.path.isfile(given):
            try:
                with open(given, "rb") as file:
                    text = file.read(_MOST_BYTES).decode(errors="replace").strip()
            except OSError as error:
                raise ConfigError(f"public key {given!r} cannot be read: {error.strerror}") from None
        try:
            if not _HEX.fullmatch(text):
                raise ValueError
            return cls(bytes.fromhex(text))
        except ValueError:
            raise ConfigError(f"public key is {given!r:.80}, expected 64 hex digits or a file with them") from None

    def is_of(self, signature: bytes, data: bytes) -> bool:
        """Return whether a signature of some bytes was made with this key's private key."""
        from cryptography.exceptions import InvalidSignature

        try:
            self._key.verify(signature, data)
        except InvalidSignature:
            return False
        return True


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"receipts need {error.name}, which is not installed: pip install 'torchpaged[receipts]'"
        ) from error
    return ed25519


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe without a writer does not block


def _require_private(where: str, found: os.stat_result) -> None:
    """Require a file that only its owner, the user or root, can read and write."""
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(f"{where} is not a file")
    if os.name != "posix":
        return
    if found.st_mode & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        raise ConfigError(
            f"{where} has the permissions {mode:03o}, so others can use it; chmod 600 it, or make another"
        )
    if found.st_uid not in (0, os.geteuid()):
        raise ConfigError(
            f"{where} belongs to user {found.st_uid}, who could read and replace it; make a key of your own"
        )
