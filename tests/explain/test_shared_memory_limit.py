"""Loops whose buffers do not fit in shared memory, and the numbers of stages that do."""

from __future__ import annotations

import pytest

import weft
from tests.explain.pipelined_loops import POINTERS, explain, load_of, loops_of, product_of_size
from weft.explain import recorded_passes
from weft.explain.text_report import text


@pytest.mark.parametrize(
    ("target", "stages", "fits"), [("cuda:80", 5, 3), ("cuda:90", 5, 3), ("hip:gfx942", 3, 2)]
)
def test_buffers_that_do_not_fit(target, stages, fits):
    report = explain(product_of_size, signature=f"{POINTERS}, 128, {stages}", target=target)
    (loop,) = report.loops
    assert (loop.stages, loop.limit) == (stages, "shared-memory")
    assert {load.limit for load in loop.loads} == {"shared-memory"}
    assert all(load.method for load in loop.loads)
    first = report.findings[0]
    assert f"a block of {target} has" in first.message
    assert first.edit == f"num_stages={fits} fits"
    assert "out of shared memory" in text(report, width=120)
    # The advice is right: one stage more does not fit.
    for number in (fits, fits + 1):
        (loop,) = loops_of(product_of_size, target, f"{POINTERS}, 128, {number}")
        assert (loop.limit == "shared-memory") is (number > fits)


def test_no_number_of_stages_fits():
    signature = f"{POINTERS}, 256, 2"
    report = explain(product_of_size, signature=signature, target="hip:gfx942", num_warps=8)
    assert [loop.limit for loop in report.loops] == ["shared-memory"]
    assert report.findings[0].message.endswith("use smaller blocks: no number of stages fits")
    # The operands of one iteration do not fit, without a pipelined load.
    report = explain(
        product_of_size, signature=f"{POINTERS}, 256, 1", target="hip:gfx942", num_warps=8
    )
    assert [loop.stages for loop in report.loops] == [1]
    assert report.findings[0].message.endswith("use smaller blocks: no number of stages fits")


def test_each_number_of_stages_is_compiled_once(monkeypatch):
    calls: list[object] = []
    compile_kernel = weft.compile

    def count(kernel, **options):
        calls.append(kernel)
        return compile_kernel(kernel, **options)

    monkeypatch.setattr("weft.kernel.compile.compile", count)
    # The compile that is explained calls the function that its module imported.
    assert recorded_passes.compile is compile_kernel
    report = explain(product_of_size, signature=f"{POINTERS}, 128, 1", target="hip:gfx942")
    assert {load.more_stages for loop in report.loops for load in loop.loads} == {2}
    assert len(calls) == 1  # two stages for both loads


def test_stages_that_do_not_fit_are_not_recommended():
    floats = "*fp32:16, *fp32:16, *fp32:16, i32:16"
    (loop,) = loops_of(product_of_size, "hip:gfx942", f"{floats}, 128, 1")
    load = load_of(loop, "%x")
    assert (load.method, load.limit) == ("", "shared-memory")
    assert "with num_stages=2 the kernel would need 131072 bytes" in load.why
    assert "use smaller blocks" in load.why
