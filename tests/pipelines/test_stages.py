"""Which passes run for which chip; a changed order shows up here."""

from __future__ import annotations

import pytest
from msgspec import structs

from weft.compiler.options import CompileOptions
from weft.errors import UnknownTargetError
from weft.passes.amd.accelerate_matmul import AccelerateMatmul
from weft.passes.amd.schedule_loops import ScheduleLoops
from weft.passes.common.licm import Licm
from weft.passes.loops.assign_latencies import AssignLatencies
from weft.passes.loops.pipeline import Pipeline
from weft.passes.nvidia.optimize_dot_operands import OptimizeDotOperands
from weft.passes.ttgir.f32_dot_tc import F32DotTc
from weft.passes.ttir.convert_triton_to_tritongpu import ConvertTritonToTritongpu
from weft.pipelines import stages, ttir
from weft.targets import target

COMMON = ["triton-combine", "triton-reorder-broadcast", "cse"]
REWRITES = ["inline", "triton-rewrite-tensor-pointer"]
WITHOUT_DESCRIPTORS = [*REWRITES, "triton-rewrite-tensor-descriptor-to-pointer", "canonicalize"]
WITH_DESCRIPTORS = [*REWRITES, "canonicalize"]
END = ["symbol-dce", "triton-loop-unroll"]

EXPECTED = {
    "hip:gfx942": [*WITHOUT_DESCRIPTORS, *COMMON, "triton-licm", *END],
    "hip:gfx1250": [*WITH_DESCRIPTORS, *COMMON, "triton-licm", *END],
    "cuda:80": [*WITHOUT_DESCRIPTORS, *COMMON, *END],
    "cuda:90": [*WITH_DESCRIPTORS, *COMMON, *END],
}
NAMES = ["ttir", "convert", "layout", "loops", "final"]


def passes_of(chip, stage, **options):
    actual = {each.name: each for each in stages(target(chip), CompileOptions(**options))}
    return actual[stage].passes


@pytest.mark.parametrize("name", EXPECTED)
def test_ttir(name):
    actual = stages(target(name), CompileOptions())
    assert [stage.name for stage in actual] == NAMES
    assert [stage.ir for stage in actual] == ["ttir", *["ttgir"] * 4]
    assert [one.name for one in actual[0].passes] == EXPECTED[name]
    assert [one.name for one in actual[1].passes] == ["convert-triton-to-tritongpu"]


LAYOUT = {
    "hip:gfx942": [
        "tritongpu-coalesce",
        "tritongpu-F32DotTC",
        "tritongpu-remove-layout-conversions",
        "tritongpu-optimize-thread-locality",
        "tritonamdgpu-accelerate-matmul",
        "tritongpu-remove-layout-conversions",
        "tritonamdgpu-optimize-epilogue",
        "tritonamdgpu-optimize-dot-operands",
        "tritonamdgpu-hoist-layout-conversions",
        "tritonamdgpu-sink-layout-conversions",
    ],
    "cuda:90": [
        "tritongpu-coalesce",
        "tritongpu-F32DotTC",
        "triton-nvidia-gpu-plan-cta",
        "tritongpu-remove-layout-conversions",
        "tritongpu-optimize-thread-locality",
        "tritongpu-accelerate-matmul",
        "tritongpu-remove-layout-conversions",
        "tritongpu-optimize-dot-operands",
        "triton-nvidia-optimize-descriptor-encoding",
        "triton-loop-aware-cse",
    ],
}


@pytest.mark.parametrize("name", LAYOUT)
def test_layout(name):
    assert [one.name for one in passes_of(name, "layout")] == LAYOUT[name]


@pytest.mark.parametrize(
    ("name", "turns", "descriptors"),
    [
        ("hip:gfx942", True, False),
        ("hip:gfx950", False, False),
        ("cuda:80", False, False),
        ("cuda:90", False, True),
    ],
)
def test_conditions_of_the_last_stage(name, turns, descriptors):
    names = [one.name for one in passes_of(name, "final")]
    assert ("tritonamdgpu-in-thread-transpose" in names) == turns
    assert ("triton-nvidia-tma-lowering" in names) == descriptors


def test_options_reach_the_choice_of_instructions():
    gfx942 = passes_of("hip:gfx942", "layout", kpack=2, matrix_instr_nonkdim=16)[4]
    assert isinstance(gfx942, AccelerateMatmul)
    assert (gfx942.kPack, gfx942.matrix_instruction_size) == (2, 16)
    gfx950 = passes_of("hip:gfx950", "layout", kpack=2)[4]
    assert isinstance(gfx950, AccelerateMatmul)
    assert gfx950.kPack == 1, "its instructions read as much of K without kPack"


@pytest.mark.parametrize("name", ["cuda:70", "cuda:75"])
def test_chips_before_ampere_have_no_tf32_and_no_pipelined_loops(name):
    assert passes_of(name, "loops") == (Licm(),)
    assert F32DotTc(emu_tf32=False) in passes_of(name, "layout")
    for stage in ("layout", "final"):
        (operands,) = (
            each for each in passes_of(name, stage) if isinstance(each, OptimizeDotOperands)
        )
        assert not operands.hoist_layout_conversion


@pytest.mark.parametrize("name", ["cuda:80", "cuda:90", "cuda:100"])
def test_num_stages_reaches_the_pipeliner(name):
    loops = passes_of(name, "loops", num_stages=4)
    assert AssignLatencies(num_stages=4) in loops
    assert Pipeline(num_stages=4) in loops


def test_loops_are_scheduled_before_they_are_pipelined():
    assert [one.name for one in passes_of("cuda:90", "loops")] == [
        "tritongpu-fuse-nested-loops",
        "canonicalize",
        "triton-licm",
        "canonicalize",
        "tritongpu-combine-tensor-select-and-if",
        "nvgpu-warp-specialization",
        "tritongpu-assign-latencies",
        "tritongpu-schedule-loops",
        "tritongpu-pipeline",
    ]


def test_amd_copies_are_coalesced_after_loops_are_pipelined():
    names = [one.name for one in passes_of("hip:gfx942", "loops", use_async_copy=True)]
    assert names == [
        *("tritongpu-fuse-nested-loops", "canonicalize", "triton-licm", "canonicalize"),
        *("tritonamdgpu-schedule-loops", "tritonamdgpu-pipeline"),
        *("tritonamdgpu-coalesce-async-copy", "tritonamdgpu-convert-tensor-ops", "canonicalize"),
    ]
    names.remove("tritonamdgpu-coalesce-async-copy")
    assert names == [one.name for one in passes_of("hip:gfx942", "loops")]


def test_num_stages_reaches_the_pipeliner_of_amd():
    assert ScheduleLoops(num_stages=3) in passes_of("hip:gfx942", "loops", num_stages=3)


def test_the_embedded_device_stops_at_ttir():
    (only,) = stages(target("cpu"), CompileOptions())
    assert (only.name, only.passes, only.ir) == ("ttir", ttir.PASSES, "ttir")


def test_the_launch_reaches_the_conversion():
    (convert,) = passes_of("hip:gfx942", "convert", num_warps=8)
    assert isinstance(convert, ConvertTritonToTritongpu)
    assert (convert.target, convert.num_warps, convert.threads_per_warp, convert.num_ctas) == (
        "hip:gfx942",
        8,
        64,
        1,
    )


def test_a_back_end_without_pipeline():
    chip = structs.replace(target("cpu"), backend="vulkan")
    with pytest.raises(UnknownTargetError, match="no pipeline for back end vulkan") as caught:
        stages(chip, CompileOptions())
    assert "accepted: cpu, cuda, hip" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "options", "chosen"),
    [
        ("hip:gfx942", {}, True),
        ("hip:gfx942", {"num_stages": 1}, False),
        ("hip:gfx942", {"use_block_pingpong": False}, False),
        ("hip:gfx950", {}, False),
        ("hip:gfx950", {"use_async_copy": True}, True),
        ("hip:gfx950", {"use_block_pingpong": True}, True),
        ("hip:gfx1201", {"use_async_copy": True}, False),
    ],
)
def test_ping_pong_scheduling(name, options, chosen):
    names = [one.name for one in passes_of(name, "final", **options)]
    assert ("tritonamdgpu-block-pingpong" in names) is chosen


def test_options_of_the_last_stage_for_amd():
    final = passes_of("hip:gfx950", "final", use_in_thread_transpose=True, use_buffer_atomics=False)
    names = [one.name for one in final]
    assert "tritonamdgpu-in-thread-transpose" in names
    buffer_ops = final[names.index("tritonamdgpu-convert-buffer-ops")]
    assert buffer_ops.allow_buffer_atomics is False  # pyright: ignore[reportAttributeAccessIssue]
    names = [one.name for one in passes_of("hip:gfx942", "final", use_buffer_ops=False)]
    assert "tritonamdgpu-convert-buffer-ops" not in names
    assert "tritonamdgpu-canonicalize-pointers" not in names
