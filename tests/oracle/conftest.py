"""One Triton worker per test process, and the list of what there is to compare."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle import client


@pytest.fixture(scope="session")
def triton() -> Iterator[client.Triton]:
    with client.triton() as worker:
        yield worker
