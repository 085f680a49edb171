"""setmaxnreg: whole warps, and numbers that a thread can have."""

from __future__ import annotations

import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

LINE = '  call void asm sideeffect "setmaxnreg.dec.sync.aligned.u32 COUNT;", ""() convergent\n'


@pytest.mark.parametrize("count", [24, 168, 256])
def test_numbers_of_registers(count):
    run_text(LINE.replace("COUNT", str(count)) + "  ret void", [])


@pytest.mark.parametrize("count", [16, 100, 264])
def test_numbers_that_no_thread_has(count):
    with pytest.raises(CodegenError, match="from 24 to 256 registers, in eights"):
        run_text(LINE.replace("COUNT", str(count)) + "  ret void", [])


def test_half_a_warp():
    body = f"""
  %low = icmp ult i32 %i, 16
  br i1 %low, label %then, label %done
then:
{LINE.replace("COUNT", "24")}  br label %done
done:
  ret void"""
    with pytest.raises(CodegenError, match="setmaxnreg while some lanes of the warp"):
        run_text(body, [])
