"""Keys: the server's API keys, stored as digests. Each key has its own part of the prefix cache."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterable
from pathlib import Path

from torchpaged.errors import ConfigError

# Keys short enough to type by hand could be guessed.
_SHORTEST = 8


class Keys:
    """The API keys of a server.

    Args:
        given: KEY or NAME:KEY each.
        admin: key for the administrator's routes; None: there is none.
        secret: from which each key's part of the prefix cache gets its name; None: a new one.

    Raises:
        ConfigError: a key is too short, or given twice.
    """

    def __init__(self, given: Iterable[str], admin: str | None = None, secret: bytes | None = None) -> None:
        self._admin = None if admin is None else _digest(_long(admin, "admin"))
        self._names: dict[bytes, str] = {}
        self._secret = secret or secrets.token_bytes(32)
        for number, entry in enumerate(given):
            name, _, key = entry.strip().rpartition(":")
            if (digest := _digest(_long(key, name or number))) in self._names or digest == self._admin:
                raise ConfigError(f"serve: key {name or number} is given twice; give each name a different key")
            self._names[digest] = name or f"key-{number}"

    @classmethod
    def of(cls, keys: Iterable[str], file: str | None, admin: str | None = None, secret: bytes | None = None) -> Keys:
        """Read the keys of the options and of their file: one per line; empty lines and comments (#) are skipped.

        Raises:
            ConfigError: the file cannot be read, or has no key.
        """
        found = list(keys)
        if file is not None:
            try:
                lines = Path(file).read_text(encoding="utf-8").splitlines()
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(f"serve: api_key_file is {file!r}, which cannot be read: {error}") from None
            in_file = [line for line in map(str.strip, lines) if line and not line.startswith("#")]
            if not in_file:
                raise ConfigError(f"serve: api_key_file is {file!r}, which has no key; write one a line")
            found += in_file
        return cls(found, admin, secret)

    def __bool__(self) -> bool:
        return bool(self._names)

    @property
    def names(self) -> Collection[str]:
        """Names of all keys."""
        return self._names.values()

    def is_admin(self, authorization: str) -> bool:
        """Return whether an Authorization header has the admin key."""
        kind, _, key = authorization.partition(" ")
        same = hmac.compare_digest(self._admin or b"", _digest(key.strip()))
        return same and kind.lower() == "bearer"

    def name_of(self, authorization: str) -> str | None:
        """Return the name of an Authorization header's key, or None, in constant time for wrong keys."""
        kind, _, key = authorization.partition(" ")
        digest, found = _digest(key.strip()), None
        for known, name in self._names.items():
            if hmac.compare_digest(known, digest):
                found = name
        return found if kind.lower() == "bearer" else None

    def salt(self, name: str | None, given: str | None) -> str | None:
        """Return the cache salt of a request, which keeps the prefixes of different keys apart.

        Args:
            name: name of its key; None: the server has no keys.
            given: the client's own salt.
        """
        if name is None:
            return given
        said = f"{len(name)}:{name}:{'' if given is None else '=' + given}"
        return hmac.digest(self._secret, said.encode(errors="surrogatepass"), "sha256").hex()


def _long(key: str, name: object) -> str:
    if len(key) < _SHORTEST:
        raise ConfigError(
            f"serve: key {name} has {len(key)} characters, expected {_SHORTEST} or more; "
            "`python -c 'import secrets; print(secrets.token_urlsafe(32))'` makes one"
        )
    return key


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode(errors="surrogateescape")).digest()
