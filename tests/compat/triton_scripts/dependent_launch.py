"""Launches that begin before the one ahead has ended, and functions of a device library."""

import sys
from pathlib import Path

import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.language.extra import libdevice

DEVICE = triton.runtime.driver.active.get_active_torch_device()
TARGET = triton.runtime.driver.active.get_current_target()
PDL = TARGET.backend == "cuda" and TARGET.arch >= 90


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr, USE_GDC: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    if USE_GDC:
        tl.extra.cuda.gdc_wait()
    total = tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n)
    if USE_GDC:
        tl.extra.cuda.gdc_launch_dependents()
    tl.store(out + i, total, mask=i < n)


@triton.jit
def arcsine(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, libdevice.asin(tl.load(x + i, mask=i < n)), mask=i < n)


torch.manual_seed(0)
x, y = torch.rand(2, 1000, device=DEVICE)
out = torch.empty_like(x)
for _ in range(3):
    add[(8,)](x, y, out, 1000, BLOCK=128, USE_GDC=PDL, launch_pdl=PDL)
torch.testing.assert_close(out, x + y)
arcsine[(8,)](x, out, 1000, BLOCK=128)
torch.testing.assert_close(out, torch.asin(x))

compiled = triton.compile(
    triton.compiler.ASTSource(
        fn=add,
        signature={"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr",
                   "USE_GDC": "constexpr"},
        constexprs={"BLOCK": 128, "USE_GDC": True},
    ),
    target=GPUTarget("cuda", 90, 32),
    options={"num_warps": 2, "launch_pdl": True},
)  # fmt: skip
assert "griddepcontrol.wait" in compiled.asm["ptx"]
Path(sys.argv[1]).write_text(compiled.asm["ptx"])
bytes_ = triton.reinterpret(torch.zeros(8, dtype=torch.int8, device=DEVICE), tl.float8e4nv)
assert bytes_.data_ptr() % 16 == 0
print("dependent launches are right")
