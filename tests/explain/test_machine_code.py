"""The counts of plans are those of the machine code: for every example, on every chip.

On NVIDIA they are equal by kind and width at every source position, but for what RULES says. On AMD
LLVM moves accesses between positions, merges them and splits them, so bits are compared there.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.explain.chip_cases import chip_cases
from tests.explain.code_comparison import CodeComparison, compare_code
from weft.explain.machine_code import read_machine_code
from weft.ir import types
from weft.kernel.files import load_cases, load_file


def _opcodes(comparison: CodeComparison, text: str) -> int:
    """Count the instructions whose opcode begins with a text."""
    return sum(each.name.startswith(text) for each in comparison.code.instructions)


def _has(comparison: CodeComparison, op: str) -> bool:
    return any(each.op == op for each in comparison.counts.operations)


def _scalar_load_bits(comparison: CodeComparison) -> int:
    """Count the bits of loads by a scalar pointer."""
    return sum(
        each.bits
        for one in comparison.counts.operations
        if one.op == "tt.load" and not types.is_tensor(one.source.results[0].type)
        for each in one.instructions
    )


# (chips, kind): whether LLVM accounts for planned and actual numbers, and how.
Rule = Callable[[CodeComparison, int, int], bool]
RULES: dict[tuple[str, str], list[tuple[str, Rule]]] = {
    ("cuda", "shared load"): [
        (
            "LLVM removes the partials of a scan whose total is not used",
            lambda comparison, planned, actual: _has(comparison, "tt.scan") and actual < planned,
        ),
    ],
    ("hip", "shared load"): [
        (
            "LLVM removes the partials of a scan whose total is not used",
            lambda comparison, planned, actual: _has(comparison, "tt.scan") and actual < planned,
        ),
        (
            "LLVM loads the halves of a few vectors twice; not explained further",
            lambda comparison, planned, actual: 0 < actual - planned <= planned // 100,
        ),
    ],
    ("hip", "global load"): [
        (
            "a uniform address is loaded by the scalar unit",
            lambda comparison, planned, actual: (
                0 < planned - actual <= _scalar_load_bits(comparison)
            ),
        ),
        (
            "an atomic addition of zero is a load",
            lambda comparison, planned, actual: (
                "global atomic" in comparison.differences() and actual == planned + 64
            ),
        ),
    ],
    ("hip", "global atomic"): [
        (
            "an atomic addition of zero is a load",
            lambda comparison, planned, actual: actual == planned - 1,
        ),
    ],
    ("hip", "shuffle"): [
        (
            "scalar registers are spilled to lanes, or read from a vector register",
            lambda comparison, planned, actual: (
                0 < actual - planned <= _opcodes(comparison, "v_readlane")
            ),
        ),
        (
            "LLVM removes the shuffles of a scan whose result is not used",
            lambda comparison, planned, actual: _has(comparison, "tt.scan") and actual < planned,
        ),
    ],
}


def unexplained(comparison: CodeComparison, chip: str) -> dict[str, tuple[int, int]]:
    """List the differences that no rule accounts for."""
    vendor = chip.partition(":")[0]
    return {
        kind: (planned, actual)
        for kind, (planned, actual) in comparison.differences().items()
        if not any(
            accounts(comparison, planned, actual) for _, accounts in RULES.get((vendor, kind), ())
        )
    }


@pytest.mark.parametrize(("path", "index", "chip"), chip_cases())
def test_machine_code_has_what_the_plans_count(path, index, chip):
    comparison = compare_code(load_cases(load_file(str(path)))[index], chip)
    assert not [one.error for one in comparison.counts.operations if one.error]
    assert unexplained(comparison, chip) == {}
    # Tensor memory is allocated in the prologue, at the position of the first instruction.
    if chip in ("cuda:80", "cuda:90", "cuda:120") and not comparison.differences():
        moved = comparison.planned - comparison.actual
        assert sum(moved.values()) <= 8  # accesses that LLVM moved to their use


PTX = """
.version 8.7
.file	1 "/kernels/add.py"
.file	2 "/weft/language/standard.py"
.visible .entry add()
	.loc	1 34 20
	@%p1 ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];
	ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r5, %r6, %r7, %r8}, [%r9];
	cp.async.cg.shared.global [%r10], [%rd2], 16, !%p2;
	cp.async.commit_group;
	.loc	2 291 36, function_name $L__info_string0, inlined_at 1 34 20
	shfl.sync.bfly.b32 	%r42, %r41, 1, 31, -1;
	bar.sync 	0;
	st.shared.v2.b64 [%r11], {%rd3, %rd4};
	red.global.add.f32 [%rd5], %f1;
"""
AMDGCN = """
	.file	1 "/kernels" "add.py"
	.loc	1 34 20
	buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen
	buffer_load_dwordx4 v4, s[0:3], 0 offen lds
	ds_read2_b64 v[0:3], v4 offset1:8
	ds_read_b64_tr_b16 v[0:1], v2
	v_add_f32_dpp v0, v1, v1 quad_perm:[1,0,3,2] row_mask:0xf
	v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]
	s_barrier
	s_barrier_wait -1
	s_barrier_wait -3                       ; of the cluster
"""


def test_kinds_and_positions_of_ptx():
    code = read_machine_code(PTX)
    assert [(each.kind, each.bits) for each in code.instructions] == [
        ("global load", 128),
        ("matrix load", 128),
        ("async copy", 128),
        ("shuffle", 32),
        ("barrier", 0),
        ("shared store", 128),
        ("global atomic", 32),
    ]
    assert {each.line for each in code.instructions} == {34}
    assert code.instructions[3].position == ("/weft/language/standard.py", 291)


def test_kinds_of_amdgcn():
    code = read_machine_code(AMDGCN)
    assert [(each.kind, each.bits) for each in code.instructions] == [
        ("global load", 128),
        ("async copy", 128),
        ("shared load", 64),
        ("shared load", 64),
        ("matrix load", 64),
        ("shuffle", 32),
        ("mma", 0),
        ("barrier", 0),
        ("barrier", 0),
        ("cluster barrier", 0),
    ]
    assert code.by_line()[34]["shared load", 64] == 2
