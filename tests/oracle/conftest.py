"""Fixture of the differential tests: one Triton worker per test process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle import client


@pytest.fixture(scope="session")
def triton() -> Iterator[client.Triton]:
    with client.triton() as worker:
        yield worker
