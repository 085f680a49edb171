"""Memory descriptor types."""

from __future__ import annotations

from weft.ir import ttg, types
from weft.ir.text.printer import print_type
from weft.layouts import parse


def test_memdesc_parameters() -> None:
    shared = parse("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>")
    space = ttg.SharedMemoryAttr()
    part = ttg.MemDescType.of((64, 32), types.f16, shared, space, allocated=(64, 64))
    assert (part.shape, part.allocated, part.is_mutable) == ((64, 32), (64, 64), False)
    assert part.encoding is shared
    assert part is ttg.MemDescType.of((64, 32), types.f16, shared, space, allocated=(64, 64))
    whole = ttg.MemDescType.of((64, 32), types.f16, shared, space, mutable=True)
    assert whole.allocated == (64, 32)
    assert print_type(whole).endswith("#ttg.shared_memory, mutable>")
    assert print_type(part).endswith("#ttg.shared_memory, 64x64>")
    assert ttg.is_memdesc(part)
    assert not ttg.is_memdesc(types.i32)
