"""`torchpaged cache ls|verify|gc PATH`: shows, checks and shrinks a folder of cached prefixes."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from torchpaged.errors import ConfigError, InputError, reason_of
from torchpaged.prefix_store import folder, inspect
from torchpaged.prefix_store.checksum import read_key
from torchpaged.tools.generate import size_of


def run(given: argparse.Namespace) -> int:
    """Run `cache ls`, `cache verify` or `cache gc` for a folder."""
    if given.checksum_key_file is not None and given.action != "verify":
        raise InputError(f"--checksum-key-file: cache {given.action} reads no values; leave it out")
    if given.max_bytes is not None and given.action != "gc":
        raise InputError(f"--max-bytes: cache {given.action} removes nothing; leave it out")
    try:
        return {"ls": _ls, "verify": _verify, "gc": _gc}[given.action](given)
    except OSError as error:
        raise InputError(f"cache: {given.path}: {error.strerror or reason_of(error)}") from None


def _ls(given: argparse.Namespace) -> int:
    found = inspect.contents(given.path)
    for each in found:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(each.used // 10**9))
        facts = ", ".join(f"{name} {value}" for name, value in each.metadata.items() if name != "namespace")
        print(f"{each.name[:12]}  {size_of(each.num_bytes):>9}  {each.num_values:>8} values  {used:16}  {facts}")
        for path, reason in each.unreadable.items():
            print(f"  {path}: {reason}")
    segments = sum(each.num_segments for each in found)
    print(f"{given.path}: {segments} segments, {size_of(sum(each.num_bytes for each in found))}")
    return 0


def _verify(given: argparse.Namespace) -> int:
    """Print damaged and unchecked segments; the exit status is 1 if one is damaged."""
    values = damaged = unchecked = 0
    try:
        for each in inspect.verify(given.path, read_key(given.checksum_key_file)):
            values, damaged = values + each.num_values, damaged + len(each.damaged)
            unchecked += bool(each.unchecked)
            for reason in [*each.damaged, *([each.unchecked] if each.unchecked else [])]:
                print(f"{os.path.relpath(each.path, given.path)}: {reason}")
    except ConfigError as error:
        raise InputError(f"cache verify: {error}") from None
    print(f"{given.path}: {values} values are whole, {damaged} damaged; {unchecked} segments not checked")
    return 1 if damaged else 0


def _gc(given: argparse.Namespace) -> int:
    if given.max_bytes is None:
        raise InputError(f"cache gc {given.path}: --max-bytes says how much of the folder stays; name it")
    root = Path(given.path)
    known = folder.all_segments(root)
    with folder.locked(root):
        removed, left = folder.shrink(root, given.max_bytes)
    freed = sum(each.num_bytes for each in removed)
    print(f"{root}: {len(removed)} of {len(known)} segments removed, {size_of(freed)} freed, {size_of(left)} left")
    return 0
