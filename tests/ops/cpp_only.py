"""A pytest plugin, `-p tests.ops.cpp_only`: of the tests with a backend, it runs only those of the C++ kernels.

Runs that repeat the tests for the sake of these kernels have no use for the others, the slowest of all.
"""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    def runs_cpp(item: pytest.Item) -> bool:
        call = getattr(item, "callspec", None)
        return call is None or call.params.get("backend", "cpp") == "cpp"

    config.hook.pytest_deselected(items=[item for item in items if not runs_cpp(item)])
    items[:] = [item for item in items if runs_cpp(item)]
