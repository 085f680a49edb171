"""LLVM in a process of its own, one for all tests that emit machine code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from weft.codegen import Machine


@pytest.fixture(scope="session")
def machine() -> Iterator[Machine]:
    made = Machine()
    yield made
    made.close()
