"""Objects that live as long as the process are exempt from collections."""

import subprocess
import sys


def test_imports_are_frozen_and_collections_go_on():
    code = """
import gc, sys
sys.modules["torch"] = None  # as if it were not installed: it takes seconds
from torchpaged.utils import heap
gc.unfreeze()
with heap.importing():
    assert not gc.isenabled()
    kept = [[] for _ in range(1000)]
assert gc.isenabled() and gc.get_freeze_count() >= 1000
gc.disable()
try:
    with heap.importing():
        raise KeyError
except KeyError:
    assert not gc.isenabled()
count = gc.get_freeze_count()
more = [[] for _ in range(1000)]
heap.freeze()
assert gc.get_freeze_count() >= count + 1000
"""
    subprocess.run([sys.executable, "-c", code], check=True)
