"""ld.global and st.global with a predicate."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


def test_a_cache_policy_without_a_hint():
    line = 'call i32 asm sideeffect "ld.global.b32 $0, [$2], $3;", "=r,0,l,l"'
    arguments = "i32 0, ptr addrspace(1) %p0, i64 0"
    with pytest.raises(CodegenError, match="cache_hint and a cache policy go together"):
        run_text(f"  %a = {line}({arguments})\n  ret void", [np.zeros(1, np.int32)])
