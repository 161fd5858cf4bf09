"""Keeps the prefix cache in a store of your own: here a table of SQLite, elsewhere LMCache, Mooncake, Redis, ...

Run it from the root, twice: `python examples/kv_store.py prefixes.db`. The second time the prompt is not computed.
"""

import sqlite3
import sys
import threading
import zlib
from pathlib import Path

from torchpaged import LLM, SamplingParams

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"


class SqliteStore:
    """The four calls of `torchpaged.prefix_store.KVStore`. They come from several threads, in batches."""

    def __init__(self, path):
        self.database = sqlite3.connect(path, check_same_thread=False)
        self.database.execute("CREATE TABLE IF NOT EXISTS blocks (key BLOB PRIMARY KEY, value BLOB, checksum INT)")
        # `contains` is called while requests wait, so it asks no disk.
        self.known = {key for (key,) in self.database.execute("SELECT key FROM blocks")}
        self.lock = threading.Lock()

    def contains(self, keys):
        return [key in self.known for key in keys]

    def get(self, keys):
        return [self.read(key) for key in keys]

    def read(self, key):
        """Return a value, or None: whatever is wrong with a value, the block is computed instead."""
        with self.lock:
            row = self.database.execute("SELECT value, checksum FROM blocks WHERE key = ?", [key]).fetchone()
        if row is None or zlib.crc32(row[0]) != row[1]:
            self.known.discard(key)
            return None
        return row[0]

    def put(self, items):
        """Store values. The caller overwrites their memory afterwards; equal keys have equal values."""
        with self.lock, self.database:
            rows = [(key, bytes(value), zlib.crc32(value)) for key, value in items]
            self.database.executemany("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?)", rows)
        self.known.update(key for key, _ in items)

    def delete(self, keys):
        self.known.difference_update(keys)
        with self.lock, self.database:
            self.database.executemany("DELETE FROM blocks WHERE key = ?", [(key,) for key in keys])


if __name__ == "__main__":
    store = SqliteStore(sys.argv[1])
    prompt = (Path(__file__).parent / "streaming.py").read_text()[:600]
    with LLM(MODEL, prefix_cache_dir=store) as llm:
        (output,) = llm.generate(prompt, SamplingParams(temperature=0, max_tokens=8), use_tqdm=False)
        print(f"{output.num_cached_tokens} of {len(output.prompt_token_ids)} tokens from the store")
        print(repr(output.outputs[0].text))
    print(f"{len(store.known)} blocks in {sys.argv[1]}")
