"""A GPU for the tests of knobs."""

from __future__ import annotations

import pytest

from tests.launch.fake_cuda import FakeCuda


@pytest.fixture
def gpu(monkeypatch, tmp_path) -> FakeCuda:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    fake = FakeCuda(monkeypatch)
    fake.time_of = lambda: 1.0
    return fake
