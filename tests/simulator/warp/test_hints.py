"""setmaxnreg: legal counts, and warps that have diverged."""

from __future__ import annotations

import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

LINE = '  call void asm sideeffect "setmaxnreg.dec.sync.aligned.u32 COUNT;", ""() convergent\n'


@pytest.mark.parametrize("count", [24, 168, 256])
def test_legal_register_counts(count):
    run_text(LINE.replace("COUNT", str(count)) + "  ret void", [])


@pytest.mark.parametrize("count", [16, 100, 264])
def test_illegal_register_counts(count):
    with pytest.raises(CodegenError, match="multiple of 8 in the range 24 to 256"):
        run_text(LINE.replace("COUNT", str(count)) + "  ret void", [])


def test_a_diverged_warp():
    body = f"""
  %low = icmp ult i32 %i, 16
  br i1 %low, label %then, label %done
then:
{LINE.replace("COUNT", "24")}  br label %done
done:
  ret void"""
    with pytest.raises(CodegenError, match="setmaxnreg in a warp that has diverged"):
        run_text(body, [])
