"""Live ranges of buffers in functions of several blocks."""

from __future__ import annotations

from weft.analysis.block_liveness import BlockLiveness
from weft.analysis.buffer_aliases import buffer_aliases
from weft.ir import tt, ttg
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>"
)
TYPE = "!ttg.memdesc<16xf32, #shared, #ttg.shared_memory, mutable>"
MODULE = """
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
  tt.func @f(%p: i1) {
BODY
  }
}
"""


def live_ranges(body: str) -> dict[str, tuple[int, int]]:
    """Compute the live range of each buffer, as line numbers of the body."""
    lines = []
    for line in body.strip().splitlines():
        verb, _, rest = line.strip().partition(" ")
        if verb == "alloc":
            line = f"%{rest} = ttg.local_alloc : () -> {TYPE}"
        elif verb == "load":
            line = f"ttg.local_load %{rest} : {TYPE} -> tensor<16xf32, {BLOCKED}>"
            line = f"%v{len(lines)} = {line}"
        lines.append(line)
    function = next(
        op
        for op in walk(parse_module(MODULE.replace("BODY", "\n".join(lines))))
        if isinstance(op, tt.FuncOp)
    )
    labels = [number for number, line in enumerate(lines) if not line.strip().startswith("^")]
    ranges = BlockLiveness(function).of_buffers(ttg.LocalAllocOp, buffer_aliases(function))
    return {
        buffer.name_hint or "": (labels[live.first], labels[live.last])
        for buffer, live in ranges.items()
    }


def test_one_block():
    body = """
        alloc a
        load a
        alloc b
        load b
        tt.return
    """
    assert live_ranges(body) == {"a": (0, 1), "b": (2, 3)}


def test_a_loop_of_blocks_uses_its_buffers_throughout():
    body = """
        alloc a
        cf.br ^bb1
        ^bb1:
        cf.cond_br %p, ^bb2, ^bb3
        ^bb2:
        load a
        alloc b
        load b
        cf.br ^bb1
        ^bb3:
        alloc c
        load c
        tt.return
    """
    assert live_ranges(body) == {"a": (0, 8), "b": (6, 7), "c": (10, 11)}


def test_a_use_after_branches():
    body = """
        alloc a
        cf.cond_br %p, ^bb1, ^bb2
        ^bb1:
        alloc b
        load b
        cf.br ^bb2
        ^bb2:
        load a
        tt.return
    """
    assert live_ranges(body) == {"a": (0, 7), "b": (3, 4)}
