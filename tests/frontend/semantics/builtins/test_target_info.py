"""tl.target_info and the properties of the launch: their operations, and errors."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.frontend.semantics.bench import Bench, emitted
from tests.frontend.semantics.facts import CUDA_90, GFX942
from weft.errors import CompilationError, UnsupportedError
from weft.frontend.options import FrontendOptions


def test_target_info():
    for options, answers in ((CUDA_90, (True, False, False)), (GFX942, (False, True, True))):
        bench = Bench(options=options)
        questions = (tl.target_info.is_cuda, tl.target_info.is_hip, tl.target_info.is_hip_cdna3)
        assert tuple(bench.call(question).value for question in questions) == answers
    bench = Bench(options=CUDA_90)
    assert bench.call(tl.target_info.cuda_capability_geq, 8, 9).value
    assert not bench.call(tl.target_info.cuda_capability_geq, 10).value
    assert bench.call(tl.extra.cuda.num_threads).value == 128


def test_unknown_target_properties():
    with pytest.raises(
        UnsupportedError, match=r"tl\.extra\.hip\.memrealtime requires an AMD target"
    ):
        emitted((), tl.extra.hip.memrealtime)
    with pytest.raises(UnsupportedError, match="unknown realtime clock of the target"):
        emitted((), tl.extra.hip.memrealtime, options=GFX942)


def test_error_of_a_target_without_a_generation():
    with pytest.raises(UnsupportedError, match="unknown generation of the target"):
        emitted((), tl.target_info.is_hip_cdna3, options=FrontendOptions(backend="hip"))


def test_errors_of_cuda_capability_geq():
    with pytest.raises(CompilationError, match="cuda_capability_geq requires constant integers"):
        emitted(("i32",), tl.target_info.cuda_capability_geq)
    with pytest.raises(UnsupportedError, match="unknown compute capability of the target"):
        emitted((), tl.target_info.cuda_capability_geq, 9, options=FrontendOptions())
