"""Files of saved prefixes, taken apart and put together again with right checksums."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from torchpaged.execution.prefix_file import _CONTENTS
from torchpaged.prefix_store import segment
from torchpaged.prefix_store.checksum import Checksum
from torchpaged.prefix_store.segment import Header


def unpacked(path: Path) -> tuple[str, Any, dict[bytes, bytes]]:
    """Return a file's namespace, the list of its prefixes, and the pieces of their blocks by key."""
    file = segment.open_file(str(path))
    namespace = segment.read_metadata(os.pread(file.fileno(), segment.PAGE, 0))["namespace"]
    values = {key: bytes(value) for key, value in segment.read(file.fileno(), Checksum(namespace)).items()}
    return namespace, json.loads(values.pop(_CONTENTS)), values


def pack(path: Path, namespace: str, contents: Any, pieces: dict[bytes, bytes]) -> None:
    """Write a file as `unpacked` returns it."""
    checksum = Checksum(namespace)
    values = {_CONTENTS: json.dumps(contents).encode(), **pieces}
    pairs = [(key, memoryview(value)) for key, value in values.items()]
    segment.write(path, Header(namespace, checksum, {}), checksum, pairs)
