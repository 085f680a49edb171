"""Names of passes in dumps."""

from __future__ import annotations

from typing import ClassVar

import pytest
from msgspec import Struct

from weft.passes.titles import title


class Something(Struct, frozen=True):
    name: ClassVar[str] = ""

    def run(self, module):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("canonicalize", "Canonicalizer"),
        ("cse", "CSE"),
        ("triton-licm", "TritonLoopInvariantCodeMotion"),
        ("tritongpu-coalesce", "TritonGPUCoalesce"),
        ("tritonamdgpu-optimize-dot-operands", "TritonAMDGPUOptimizeDotOperands"),
        ("nvws-lower-aref", "NVWSLowerAref"),
        ("of-our-own", "Something"),
    ],
)
def test_titles(monkeypatch, name, shown):
    monkeypatch.setattr(Something, "name", name)
    assert title(Something()) == shown
