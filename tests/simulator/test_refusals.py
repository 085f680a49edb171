"""What the simulator does not know is an error that shows it, never a guess."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError
from weft.simulator import run


@pytest.mark.parametrize(
    ("line", "message", "shown"),
    [
        ("  %a = freeze i32 %i", "the simulator has no freeze", "freeze i32 %i"),
        (
            "  %a = call i32 @llvm.nvvm.nothing(i32 %i)",
            "the simulator has no llvm.nvvm.nothing",
            "llvm.nvvm.nothing",
        ),
        ("  %a = call i32 @some_function(i32 %i)", "has no some_function", "some_function"),
        (
            '  %a = call i32 asm "fns.b32 $0, $1, 0, 1;", "=r,r"(i32 %i)',
            "does not know this assembly",
            "fns.b32",
        ),
        ("  %a = add i32 %i, ten", "not an operand that the simulator reads", "ten"),
        ("  %a = add i33 %i, 1", "the simulator has no i33", "i64"),
        (
            "  %a = atomicrmw nand ptr addrspace(1) %p0, i32 1 monotonic, align 4",
            "the simulator has no atomicrmw nand",
            "xchg",
        ),
        ("  %a = call i32 nonsense", "not a call that the simulator reads", "nonsense"),
        ("  ?", "not an instruction that the simulator reads", "?"),
    ],
)
def test_unknown_lines(line, message, shown):
    with pytest.raises(CodegenError, match=message) as caught:
        run_text(f"{line}\n  ret void", [np.zeros(1, np.int32)])
    assert shown in str(caught.value)


def test_a_text_without_a_kernel():
    with pytest.raises(CodegenError, match="no kernel in the LLVM IR"):
        run('target triple = "x"\n', grid=(1,), arguments=[], warp_size=32)


def test_a_kernel_that_does_not_say_its_threads():
    with pytest.raises(CodegenError, match="the kernel does not say its threads") as caught:
        run(
            "define ptx_kernel void @k() {\nentry:\n  ret void\n}\n",
            grid=(1,),
            arguments=[],
            warp_size=32,
        )
    assert "nvvm.reqntid" in str(caught.value)


SHUFFLE = """
  %low = icmp ult i32 %i, 16
  br i1 %low, label %then, label %done
then:
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  br label %done
done:
  ret void"""


def test_a_shuffle_that_half_a_warp_reaches():
    with pytest.raises(
        CodegenError, match=r"shfl\.sync while some lanes of the warp are elsewhere"
    ):
        run_text(SHUFFLE, [np.zeros(1, np.int32)])


def test_a_shuffle_that_whole_warps_reach():
    run_text(SHUFFLE.replace("%i, 16", "%i, 32"), [np.zeros(1, np.int32)], threads=64)
