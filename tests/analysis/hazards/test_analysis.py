"""Barriers and fences: by example, and on every path through random programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import assume, given

from tests.analysis.memory_listings import listing, memory_of, separate_allocation
from tests.analysis.shared_memory_programs import (
    HEAD,
    MAX_PATHS,
    Path,
    allocated,
    is_store,
    memory,
    paths,
    plain_programs,
    programs,
)
from weft.analysis.allocation import Allocation, ByteRange, allocate
from weft.analysis.hazards import Barriers, barriers
from weft.ir import tt
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import walk
from weft.ir.text import parse_module


def check(text: str, *, scratch: tuple[str, ...] = ("math.exp",), warps: int = 4) -> None:
    """Compare the barriers and fences of a listing with its marks."""
    program = listing(text, warps=warps)
    allocation = separate_allocation(program.function, scratch)
    result = barriers(program.function, allocation, memory_of(program.function))
    assert program.marked(result.before, result.fences) == program.expected()


def test_read_after_write_write_after_read_write_after_write():
    check("""
        store a
        | load a
        load a
        | store a
        | store a
        store c
        | load a
        load c
    """)


def test_buffers_that_share_bytes():
    program = listing("store a\nload c\nstore c")
    separate = separate_allocation(program.function)
    a, c = program.buffer("a"), program.buffer("c")
    overlapping = Allocation(
        {a: ByteRange(0, 1024), c: ByteRange(1023, 1024)}, {}, 2047, separate.aliases, {}
    )
    result = barriers(program.function, overlapping)
    assert program.marked(result.before, ()) == ["store a", "| load c", "| store c"]
    adjacent = Allocation(
        {a: ByteRange(0, 1024), c: ByteRange(1024, 1024)}, {}, 2048, separate.aliases, {}
    )
    result = barriers(program.function, adjacent)
    assert result == Barriers(frozenset([program.operation("store c")]))


def test_barriers_of_the_kernel_count():
    check("""
        store a
        barrier
        load a
        barrier
        store a
    """)


def test_loops_and_conditionals():
    check("""
        for {
          | store a
          | load a
        }
        | store a
        if {
          | load a
        else
          store c
        }
        | load c
        store a
    """)


def test_while_loops():
    check("""
        store a
        while
          | load a
        do
          | store a
        end_while
        store c
    """)


def test_scratch_memory_includes_a_barrier():
    """It is written, and read after a barrier that orders what came before."""
    check("""
        store a
        exp
        load a
        exp
        store a
    """)
    program = listing("exp\nexp\nstore a\nexp")
    same = separate_allocation(program.function)
    fence = program.operations[3]
    assert fence is not None
    shared = dict.fromkeys(same.scratch, ByteRange(8192, 512)) | {fence: ByteRange(9216, 512)}
    allocation = Allocation(same.buffers, shared, same.size, same.aliases, {})
    result = barriers(program.function, allocation)
    assert program.marked(result.before, ()) == ["exp", "| exp", "store a", "exp"]


def test_accesses_of_a_callee_are_pending_after_the_call():
    check(
        """
        store a
        call
        | load a
        load c
    """,
        scratch=("tt.call",),
    )
    program = listing("call\ncall\nstore a")
    same = separate_allocation(program.function, ("tt.call",))
    frame = dict.fromkeys(same.scratch, ByteRange(8192, 512))
    allocation = Allocation(same.buffers, frame, same.size, same.aliases, {})
    result = barriers(program.function, allocation)
    assert program.marked(result.before, ()) == ["call", "| call", "store a"]


def test_the_first_warp_alone_needs_no_barrier():
    check("""
        init m
        init m
        expect m
        | wait m
        | inval m
        inval m
    """)
    check("""
        wait m
        | expect m
        inval m
        | wait m
    """)


def test_an_mbarrier_arrival_is_an_access_by_all_threads():
    check("""
        arrive m
        load a
        | arrive m
        arrive m
        store a
        | arrive m
        init m
        | arrive m
        barrier
        arrive m
    """)


def test_a_tma_store_reads_until_its_wait():
    check("""
        store a
        | tma_store a
        store c
        tma_wait 0
        | store a
    """)
    # The TMA reads on beyond a barrier, and no barrier can order a write before the wait.
    check("""
        store a
        | tma_store a
        barrier
        tma_wait 0
        | store a
    """)


def test_a_wait_for_some_stores_leaves_the_others_pending():
    """Which of them are done is not known: all count as read, and as being read."""
    check("""
        tma_store a
        tma_store c
        tma_wait 1
        | store a
        tma_wait 0
        | store c
    """)
    check("""
        wgmma a b
        wgmma_wait 1
        | store a
        wgmma_wait 0
        | store b
    """)


def test_a_wait_is_for_one_unit():
    check("""
        wgmma a b
        tma_wait 0
        store a
        wgmma_wait 0
        | store b
    """)
    check("""
        tma_store a
        wgmma_wait 0
        store a
    """)


def test_a_synchronous_dot_reads_as_threads_do():
    check("""
        wgmma_sync a b
        | store a
        store c
    """)


def test_a_tma_load_over_bytes_that_threads_wrote_is_fenced():
    check("""
        store a
        |+ tma_load a m
        tma_load a m
        wait m
        load a
    """)
    check("""
        store a
        | load a
        |+ tma_load a m
    """)
    check("""
        store a
        fence
        | tma_load a m
    """)
    check("""
        load a
        | tma_load a m
    """)


def test_descriptors_are_written_by_the_first_warp():
    check(
        """
        tensormap
        acquire
        load c
        | tma_load a m
        tma_load a m
    """,
        scratch=("ttng.tensormap_create",),
    )
    program = listing("tensormap\ntensormap\nexp")
    same = separate_allocation(program.function, ("ttng.tensormap_create", "math.exp"))
    one = dict.fromkeys(same.scratch, ByteRange(0, 512))
    result = barriers(program.function, Allocation(same.buffers, one, same.size, same.aliases, {}))
    assert program.marked(result.before, ()) == ["tensormap", "tensormap", "| exp"]


def test_copies_of_other_threads_need_a_barrier():
    check("""
        cp a
        cp_wait
        | load a
        load a
    """)
    check("""
        cp a
        cp_wait
        | store c
        | load c
    """)


def test_tensor_cores_read_copies_after_a_fence():
    check("""
        cp a
        cp_wait
        |+ wgmma a b
        wgmma_wait 0
    """)
    check("""
        cp a
        cp_wait
        + barrier
        wgmma a b
    """)
    check("""
        cp a
        cp_wait
        fence
        | wgmma a b
    """)
    check("""
        cp c
        cp_wait
        | wgmma a b
    """)
    # The fence of the IR is enough, though there is a barrier before it.
    check("""
        cp a
        cp_wait
        | store c
        fence
        wgmma a b
    """)
    # The barrier is before a later operation, and the dot in the next iteration.
    check("""
        for {
          wgmma_sync a b
          | cp a
          cp_wait
          |+ store c
        }
    """)


def test_copies_that_arrive_on_an_mbarrier():
    check("""
        cp a
        cp_arrive m
        barrier
        wait m
        + mma a b d
    """)
    check("""
        cp a
        cp_arrive m
        barrier
        wait m2
        mma a b d
    """)
    check("""
        cp a
        cp_arrive m
        wait m
        |+ arrive m2
        mma a b d
    """)


def test_partitions_are_analysed_separately():
    check("""
        store a
        specialize a c m
          load a
          | store a
        partition a c m
          store a9
          | load a9
        end_specialize a c m
        store a
        | load a
    """)


def test_partitions_with_units_start_after_a_fence():
    check("""
        store a
        + specialize a m
          load a
        partition a m
          tma_load a9 m9
        end_specialize a m
    """)
    check("""
        store c
        specialize a m
          load a
        partition a m
          tma_load a9 m9
        end_specialize a m
    """)
    check("""
        cp a
        cp_wait
        + specialize a b d
          mma a b d
        partition a b d
          mma a9 b9 d9
        end_specialize a b d
    """)


def test_a_store_pending_in_a_partition_is_pending_after_it():
    check("""
        specialize a m
          load a
        partition a m
          tma_store a9
        end_specialize a m
        tma_wait 0
        | store a
    """)


def test_tensor_memory():
    check("""
        tmem_store d rows
        | mma a b d
        commit m
        wait m
        tmem_load d rows
        tmem_store d rows
        | mma a b d
        mma a b d
        tmem_store d2 rows
        mma a b d
    """)


def test_tensor_memory_of_more_warps_than_reach_all_rows():
    check(
        """
        tmem_store d rows8
        tmem_load d rows8
        | tmem_load d columns8
        tmem_load d columns8
        | tmem_store d rows8
    """,
        warps=8,
    )
    check(
        """
        tmem_store d rows
        tmem_load d rows
        tmem_store d rows
    """
    )


def test_a_write_on_one_path():
    """Only one side stores, so what follows needs a barrier; the side with a barrier does not."""
    check("""
        if {
          store a
        else
          load c
        }
        | load a
        load c
    """)


KIND = memory(128)
STORE = f"ttg.local_store %x128, {{}} : tensor<128xf32, #r> -> {KIND}"
LOAD = f"%l{{}} = ttg.local_load {{}} : {KIND} -> tensor<128xf32, #r>"


def names_behind_barriers(body: str, heads: str = "") -> list[str]:
    """List the operations that a barrier is before; results by their names.

    Args:
        body: The function after the allocation of %a.
        heads: Aliases of layouts besides those of HEAD.
    """
    module = parse_module(f"{heads}{HEAD}%a = ttg.local_alloc : () -> {KIND}\n{body}\n}}\n}}\n")
    (function,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    allocation = allocate(function, lambda value: 4096, lambda op: 0)
    before = barriers(function, allocation).before
    ops = [op for op in walk(function) if op in before]
    return [op.results[0].name_hint or op.name if op.results else op.name for op in ops]


def test_a_cycle_of_blocks_has_its_own_last_iteration_before_it():
    assert names_behind_barriers(
        f"""cf.br ^loop
        ^loop: {STORE.format("%a")}
        {LOAD.format(0, "%a")}
        cf.cond_br %c, ^loop, ^end
        ^end: tt.return"""
    ) == ["ttg.local_store", "l0"]


def test_blocks_join_at_their_successor():
    assert names_behind_barriers(
        f"""cf.cond_br %c, ^left, ^right
        ^left: {STORE.format("%a")}
        cf.br ^end
        ^right: cf.br ^end
        ^end: {LOAD.format(0, "%a")}
        tt.return"""
    ) == ["l0"]


@pytest.mark.parametrize(
    ("left", "right", "between", "after", "first"),
    [
        ("%a", "%b", "", "", True),  # one barrier for both
        ("%a", "%a", "", "", False),  # neither reads what was stored
        ("%a", "%b", STORE.format("%d"), "", False),  # a store in between could not move
        ("%a", "%b", "ttg.barrier local", "", False),
        ("%a", "%b", "", "%p", False),  # a read after the early barrier would need another one
        ("%a", "%b", "", "%q", True),  # that needs another one anyway
        ("%b", "%a", "", "", True),
    ],
)
def test_one_barrier_precedes_both_operands_of_a_dot(left, right, between, after, first):
    """%p was stored before a barrier, %q just now; %l and %r are the operands."""
    square, tile = memory(1024).replace("1024", "32x32"), "tensor<32x32xf32, #{}>"
    square = square.replace("#s,", "#t,")
    again = after and f"ttg.local_store %x, {after} : {tile.format('w')} -> {square}"
    body = f"""%p = ttg.local_alloc : () -> {square}
        %q = ttg.local_alloc : () -> {square}
        %x = arith.constant dense<0.0> : {tile.format("w")}
        %d = ttg.local_alloc : () -> {KIND}
        ttg.local_store %x, %p : {tile.format("w")} -> {square}
        ttg.barrier local
        ttg.local_store %x, %q : {tile.format("w")} -> {square}
        %l = ttg.local_load {left.replace("a", "p").replace("b", "q")} : {square}
          -> {tile.format("l")}
        {between}
        %y = arith.negf %x : {tile.format("w")}
        %r = ttg.local_load {right.replace("a", "p").replace("b", "q")} : {square}
          -> {tile.format("rr")}
        {again}
        %z = tt.dot %l, %r, %y : {tile.format("l")} * {tile.format("rr")} -> {tile.format("w")}
        tt.return"""
    heads = """
#w = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1],
                   order = [1, 0]}>
#t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#l = #ttg.dot_op<{opIdx = 0, parent = #w}>
#rr = #ttg.dot_op<{opIdx = 1, parent = #w}>
"""
    loads = [name for name in names_behind_barriers(body, heads) if name in ("l", "r")]
    expected = [] if left == right or "barrier" in between else ["l"] if first else ["r"]
    assert loads == expected


@given(programs)
def test_a_barrier_is_between_any_two_accesses_that_are_a_hazard(function):
    """RAW, WAR and WAW on every path, for every byte."""
    allocation = allocated(function)
    before = barriers(function, allocation).before
    for path in paths(function):
        assert not has_hazard(path, allocation, before)


@given(plain_programs)
def test_no_barrier_is_redundant(function):
    """Without any one of them, a path has a hazard.

    That is so where every value refers to one buffer. A barrier for a buffer that a value might
    refer to, but never does, looks redundant on every path.
    """
    every = paths(function)
    assume(len(every) < MAX_PATHS)  # else the path that needs a barrier may not be among them
    allocation = allocated(function)
    before = barriers(function, allocation).before
    for op in before:
        assert any(has_hazard(path, allocation, before - {op}) for path in every)


def has_hazard(path: Path, allocation: Allocation, before: frozenset[Operation]) -> bool:
    """Check for two accesses to a byte, one of them a write, without a barrier in between."""
    since: list[tuple[str, ByteRange]] = []
    for op, buffers in path:
        if op in before or op.name == "ttg.barrier":
            since = []
        for kind, bytes_ in accesses(op, buffers, allocation):
            if kind == "barrier":
                since = []
                continue
            if any("write" in (kind, other) and _overlap(bytes_, at) for other, at in since):
                return True
            since.append((kind, bytes_))
    return False


def accesses(
    op: Operation, buffers: tuple[SSAValue, ...], allocation: Allocation
) -> Iterator[tuple[str, ByteRange]]:
    """Yield the accesses of an operation; scratch memory is written, then read after a barrier."""
    if op in allocation.scratch:
        yield "write", allocation.scratch[op]
        yield "barrier", allocation.scratch[op]
        yield "read", allocation.scratch[op]
    for buffer in buffers:
        if is_store(op):
            yield "write", allocation.buffers[buffer]
        elif op.name == "ttg.local_load":
            yield "read", allocation.buffers[buffer]


def _overlap(a: ByteRange, b: ByteRange) -> bool:
    return a.start < b.end and b.start < a.end
