"""Launches: errors in the kernel's head and in the arguments."""

from __future__ import annotations

import pytest

from weft.errors import CodegenError, LaunchError
from weft.simulator import run


def test_a_module_without_a_kernel():
    with pytest.raises(CodegenError, match="no kernel in the LLVM IR"):
        run('target triple = "x"\n', grid=(1,), arguments=[], warp_size=32)


def test_a_kernel_without_a_block_size():
    with pytest.raises(
        CodegenError, match="the kernel has no attribute for its block size"
    ) as caught:
        run(
            "define ptx_kernel void @k() {\nentry:\n  ret void\n}\n",
            grid=(1,),
            arguments=[],
            warp_size=32,
        )
    assert "nvvm.reqntid" in str(caught.value)


def test_wrong_number_of_arguments():
    text = 'define ptx_kernel void @k(i32 %n) "nvvm.reqntid"="32" {\nentry:\n  ret void\n}\n'
    with pytest.raises(LaunchError, match="k takes 1 arguments"):
        run(text, grid=(1,), arguments=[1, 2], warp_size=32)


def test_a_malformed_head():
    with pytest.raises(CodegenError, match="no kernel in the LLVM IR"):
        run("define void @k( {\n}\n", grid=(1,), arguments=[], warp_size=32)
