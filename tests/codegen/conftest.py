"""Fixtures of the code generation tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from weft.codegen import Machine


@pytest.fixture(scope="session")
def machine() -> Iterator[Machine]:
    """One LLVM worker process for all tests that emit machine code."""
    worker = Machine()
    yield worker
    worker.close()
