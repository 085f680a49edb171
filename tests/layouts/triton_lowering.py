"""Count the instructions and the scratch memory of a conversion that Triton's wheel lowers.

A function holds the conversion only. Triton lowers it to the LLVM dialect, in which accesses to
shared memory and exchanges between lanes are counted by name.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from tests.layouts.oracle import readable
from weft.layouts import Encoding
from weft.targets import Target

__all__ = ["BITS", "Lowered", "lower", "to_llvm_dialect"]

_FUNCTION = """
#src = {source}
#dst = {target}
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32,
    ttg.target = "{name}", "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func private @convert(%x: tensor<{shape}x{element}, #src>)
      -> tensor<{shape}x{element}, #dst> {{
    %y = ttg.convert_layout %x : tensor<{shape}x{element}, #src> -> tensor<{shape}x{element}, #dst>
    tt.return %y : tensor<{shape}x{element}, #dst>
  }}
}}
"""


@dataclass(frozen=True)
class Lowered:
    """A conversion that Triton has lowered.

    Attributes:
        instructions: The number of instructions of a thread, by name.
        scratch: The bytes of shared memory.
        text: The module in the LLVM dialect.
    """

    instructions: Counter[str]
    scratch: int
    text: str

    def count(self, *names: str) -> int:
        """Count the instructions whose names begin with one of these."""
        return sum(n for key, n in self.instructions.items() if key.startswith(names))

    @property
    def kind(self) -> str:
        """The kind of plan that weft has for such a conversion."""
        if self.count("store", "stmatrix", "load", "ldmatrix"):
            return "shared"
        return "shuffle" if self.count("shuffle", "dpp", "lane swap") else "registers"


@cache
def _context() -> Any:
    pytest.importorskip("triton")
    from triton._C.libtriton import amd, ir, nvidia

    context = ir.context()
    for load_dialects in (ir.load_dialects, amd.load_dialects, nvidia.load_dialects):
        load_dialects(context)
    return context


def lower(
    source: Encoding, target: Encoding, shape: tuple[int, ...], element: str, chip: Target
) -> Lowered:
    """Lower a conversion with Triton's passes of a chip."""
    linear = source.linear(shape)
    text = _FUNCTION.format(
        source=readable(source),
        target=readable(target),
        warps=linear.in_size("warp"),
        lanes=chip.threads_per_warp,
        name=chip.name,
        shape="x".join(map(str, shape)),
        element=element,
    )
    return _count(to_llvm_dialect(text, chip))


def to_llvm_dialect(text: str, chip: Target) -> str:
    """Run Triton's allocation of shared memory and its lowering to LLVM on a module."""
    pytest.importorskip("triton")
    from triton._C.libtriton import amd, ir, nvidia

    with tempfile.NamedTemporaryFile("w", suffix=".mlir", delete=False) as file:
        file.write(text)
    try:
        module = ir.parse_mlir_module(file.name, _context())
    finally:
        os.unlink(file.name)
    module.context = _context()
    passes = ir.pass_manager(_context())
    passes.enable_debug()
    if chip.backend == "cuda":
        nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(passes, chip.arch, 84)
        nvidia.passes.ttgpuir.add_to_llvmir(passes, chip.arch, 84)
    else:
        amd.passes.ttgpuir.add_allocate_shared_memory(passes)
        amd.passes.ttgpuir.add_to_llvmir(passes, chip.arch, False)
    passes.run(module, "lowering")
    return module.str_nodebug()


BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i1": 1, "i8": 8, "i16": 16, "i32": 32}
BITS |= {"i64": 64, "f8": 8}
_VALUE = r"(?:vector<(?P<n>\d+)x(?P<v>\w+)>|(?P<s>\w+))"
_PATTERNS = (
    (re.compile(r'"@?\S* ?(st|ld)\.shared(?:\.v(\d))?\.b(\d+)'), "asm"),
    (re.compile(rf"llvm\.store .* : {_VALUE}, !llvm\.ptr<3>"), "store"),
    (re.compile(rf"llvm\.load .* : !llvm\.ptr<3> -> {_VALUE}"), "load"),
    (re.compile(r"nvvm\.(ldmatrix|stmatrix) .*mma_layout<(row|col)>(?:, num = (\d))?"), "matrix"),
    (re.compile(r"nvvm\.shfl\.sync|rocdl\.ds_(?:bpermute|swizzle)|rocdl\.permlanex16"), "shuffle"),
    (re.compile(r"rocdl\.update\.dpp"), "dpp"),
    (re.compile(r"permlane(16|32)\.?_?swap"), "lane swap"),
    (re.compile(r"nvvm\.barrier|rocdl\.barrier|rocdl\.s\.barrier|gpu\.barrier"), "barrier"),
    (re.compile(r"llvm\.select "), "select"),
)


def _count(text: str) -> Lowered:
    counts: Counter[str] = Counter()
    for line in text.splitlines():
        for pattern, name in _PATTERNS:
            match = pattern.search(line)
            if match:
                counts[_name(name, match, line)] += 1
                break
    scratch = re.search(r"ttg\.shared = (\d+)", text)
    return Lowered(counts, int(scratch.group(1)) if scratch else 0, text)


def _name(name: str, match: re.Match[str], line: str) -> str:
    if name == "asm":
        return f"{'store' if match[1] == 'st' else 'load'} b{int(match[2] or 1) * int(match[3])}"
    if name in ("store", "load"):
        return f"{name} b{int(match['n'] or 1) * BITS[match['v'] or match['s']]}"
    if name == "matrix":
        trans = ".trans" if match[2] == "col" else ""
        number = match[3] or str(line.partition("{")[0].count("%") - 1)
        return f"{match[1]}{trans} x{number}"
    return name
