"""Explicit accesses to shared memory."""

from __future__ import annotations

from tests.explain.modules import module_of, required
from weft.explain.labels import Labels
from weft.explain.shared_memory import find_shared_accesses
from weft.targets import target

MEMORY = target("cuda:90").shared_memory
BODY = """
    %m = ttg.local_alloc %a : (tensor<64x64xf32, #row>) -> !ttg.memdesc<64x64xf32, #swizzled, #smem>
    %e = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #swizzled, #smem, mutable>
    scf.for %j = %n to %n step %n  : i32 {
      %v = ttg.local_load %m : !ttg.memdesc<64x64xf32, #swizzled, #smem> -> tensor<64x64xf32, #column> loc("k.py":7:0)
    }
    ttg.local_store %a, %e : tensor<64x64xf32, #row> -> !ttg.memdesc<64x64xf32, #swizzled, #smem, mutable>"""  # noqa: E501


def test_accesses():
    module = module_of(BODY, "%a: tensor<64x64xf32, #row>, %n: i32")
    alloc, load, store = find_shared_accesses(module, Labels(module), MEMORY)
    assert [access.op for access in (alloc, load, store)] == [
        "ttg.local_alloc",
        "ttg.local_load",
        "ttg.local_store",
    ]
    assert [access.kind for access in (alloc, load, store)] == ["write", "read", "write"]
    assert (alloc.bits, alloc.accesses, alloc.wavefronts, alloc.conflicts) == (128, 32, 128, 0)
    # A lane reads single elements of a column: 16 lanes read 16 rows of one bank.
    assert (load.bits, load.accesses) == (32, 128)
    assert load.wavefronts == load.accesses + load.conflicts
    assert load.conflicts == 128 * 15
    assert (load.loop_depth, required(load.location).line) == (1, 7)
    assert (load.layout, load.memory, load.type) == ("#blocked1", "#shared", "64x64xf32")
    assert alloc.layout == "#blocked"


def test_without_shared_memory():
    module = module_of(BODY, "%a: tensor<64x64xf32, #row>, %n: i32")
    assert list(find_shared_accesses(module, Labels(module), None)) == []
