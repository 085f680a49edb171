"""`weft bench --device`: the GPU that it runs on."""

from __future__ import annotations

import pytest

from weft.cli.bench import command
from weft.errors import WeftError


def test_cuda_without_a_gpu(monkeypatch):
    monkeypatch.setattr(command, "current_gpu", lambda **_: None)
    with pytest.raises(WeftError, match=r"torch has no GPU[\s\S]*accepted: cpu"):
        command._gpu("cuda")
