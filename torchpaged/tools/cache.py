"""`torchpaged cache`: lists the prepared models in the user's cache, and removes those unused for longest.

With a path it is about a folder of cached prefixes: `tools/prefix_folder.py`.
"""

from __future__ import annotations

import argparse
import time

from torchpaged.engine import prepared_cache
from torchpaged.engine.prepared_cache import NotPrepared
from torchpaged.errors import InputError
from torchpaged.tools import prefix_folder
from torchpaged.tools.generate import size_of
from torchpaged.utils import environment


def cache(given: argparse.Namespace) -> int:
    """Run `cache ls`, `cache gc` or `cache verify`."""
    if given.max_bytes is not None and given.max_bytes < 0:
        raise InputError(f"--max-bytes {given.max_bytes}: expected 0 or more")
    if given.path is not None:
        return prefix_folder.run(given)
    if given.action == "verify" or given.checksum_key_file is not None:
        raise InputError("cache verify PATH: name a folder of cached prefixes; each start checks prepared models")
    try:
        folder, entries = prepared_cache.folder(), prepared_cache.entries()
        limit = environment.cache_bytes() if given.max_bytes is None else given.max_bytes
    except NotPrepared as error:
        raise InputError(f"cache: {error}") from None
    if given.action == "gc":
        removed = prepared_cache.collect(limit)
        for each in removed:
            print(f"removed {size_of(each.num_bytes)} of {each.model or each.path}")
        freed = sum(each.num_bytes for each in removed)
        print(f"{folder}: {len(removed)} of {len(entries)} removed, {size_of(freed)} freed")
        return 0
    if not entries:
        print(f"{folder}: no prepared models")
        return 0
    for each in reversed(entries):
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(each.used)) if each.used else "unfinished"
        print(f"{each.path.name[:12]}  {size_of(each.num_bytes):>9}  {used:16}  {each.model}")
    total = sum(each.num_bytes for each in entries)
    print(f"{folder}: {len(entries)} prepared models, {size_of(total)} of at most {size_of(limit)}")
    return 0
