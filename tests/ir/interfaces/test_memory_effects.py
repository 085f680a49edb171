"""What operations do to memory, as Triton's CSE and dead code elimination see them."""

from __future__ import annotations

import pytest

from tests.ir.dialect_files import MODULES
from tests.ir.gpu import ARGUMENTS, BUFFER, FIXED, TENSOR, module
from weft.ir.interfaces import Effect, get_effects, is_memory_effect_free, is_trivially_dead
from weft.ir.rewriting import walk
from weft.ir.text import parse_module


@pytest.mark.parametrize(
    ("body", "expected", "dead"),
    [
        (f"%x = ttg.local_alloc %t : ({TENSOR}) -> {FIXED}", Effect.NONE, True),
        (
            f"%x = ttg.local_alloc %t {{allocation.offset = 0 : i32}} : ({TENSOR}) -> {FIXED}",
            Effect.ALLOC | Effect.WRITE,
            True,
        ),
        (f"%x = ttg.local_alloc : () -> {BUFFER}", Effect.ALLOC, True),
        (
            f"%x = ttg.local_alloc %t : ({TENSOR}) -> {BUFFER}",
            Effect.ALLOC | Effect.WRITE,
            True,
        ),
        (f"ttg.local_dealloc %b : {BUFFER}", Effect.FREE, False),
        (f"%x = ttg.local_load %b : {BUFFER} -> {TENSOR}", Effect.READ, True),
        (f"ttg.local_store %t, %b : {TENSOR} -> {BUFFER}", Effect.WRITE, False),
        ("ttng.fence_async_shared {bCluster = false}", Effect.UNKNOWN, False),
        ("rocdl.sched.barrier 0", Effect.UNKNOWN, False),
        ("%x = ttg.warp_id", Effect.NONE, True),
    ],
)
def test_effect(body: str, expected: Effect, dead: bool) -> None:
    entry = parse_module(module(body)).body.block.first_op
    assert entry is not None
    op = entry.regions[0].block.first_op
    assert op is not None
    assert get_effects(op) == expected
    assert is_trivially_dead(op) is dead


def test_a_product_is_pure_where_its_operands_cannot_change() -> None:
    acc = "tensor<64x64xf32, #mma>"
    text = "%x = ttng.warp_group_dot %v, %v, %c : {0} * {0} -> " + acc
    for buffer, pure in ((FIXED, True), (BUFFER, False)):
        parsed = parse_module(module(text.format(buffer), f"{ARGUMENTS}, %v: {buffer}, %c: {acc}"))
        (op,) = [op for op in walk(parsed) if op.name == "ttng.warp_group_dot"]
        assert is_memory_effect_free(op) is pure
        assert is_trivially_dead(op)


KEPT = {  # as Triton's canonicalize keeps them, unused
    "ttg.async_commit_group",
    "ttg.async_copy_global_to_local",
    "ttg.async_wait",
    "ttng.tmem_store",
    "ttng.tc_gen5_mma",
    "ttng.tc_gen5_mma_scaled",
    "ttng.warp_group_dot_wait",
    "amdg.async_copy_local_to_global",
    "amdg.async_tdm_copy_global_to_local",
    "amdg.async_tdm_gather",
    "amdg.async_tdm_intrinsic_wait",
    "amdg.async_tdm_scatter",
    "amdg.async_tdm_wait",
    "amdg.async_wait",
    "amdg.arrive_barrier",
    "amdg.buffer_atomic_cas",
    "amdg.buffer_atomic_rmw",
    "amdg.buffer_load_to_local",
    "amdg.masked_load",
    "amdg.tdm_prefetch",
    "nvws.aref.buffer",
    "nvws.aref.get.enter",
    "nvws.aref.put.enter",
    "nvws.create_token",
    "rocdl.readfirstlane",
}


def test_operations_with_results_that_stay_when_unused() -> None:
    stays: set[str] = set()
    for name, text in MODULES.items():
        if name.split("-")[0] not in ("ttg", "ttng", "amdg", "nvws", "rocdl"):
            continue
        for op in walk(parse_module(text)):
            # Uses by the operations after it do not count here.
            for result in op.results:
                for use in list(result.uses):
                    use.operation.drop_all_references()
            if op.results and not op.regions and not is_trivially_dead(op):
                stays.add(op.name)
    assert {name for name in stays if not name.startswith(("scf.", "tt."))} == KEPT
