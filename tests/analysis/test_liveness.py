"""Live ranges of buffers, as the lines of a listing from which to which a buffer is needed."""

from __future__ import annotations

import pytest

from tests.analysis.memory_listings import listing
from weft.analysis.buffer_aliases import buffer_aliases
from weft.analysis.liveness import Liveness, LiveRange
from weft.ir import ttg, ttng


def live_lines(text: str, *, tensor: bool = False) -> dict[str, tuple[str, str]]:
    """Compute for each buffer the first and the last statement that it is live at."""
    program = listing(text, alloc=False)
    liveness = Liveness(program.function)
    shared = buffer_aliases(program.function)
    allocation = ttng.TMEMAllocOp if tensor else ttg.LocalAllocOp
    aliases = buffer_aliases(program.function, allocation) if tensor else shared
    ranges = liveness.of_buffers(allocation, aliases, shared)
    lines = {
        liveness.numbers[op]: line
        for op, line in zip(program.operations, program.lines, strict=True)
        if op is not None
    }

    def line_at(number: int) -> str:
        return lines[max(n for n in lines if n <= number)]

    return {
        buffer.name_hint or "": (line_at(live.first), line_at(live.last))
        for buffer, live in ranges.items()
    }


def test_from_the_allocation_to_the_last_use():
    assert live_lines("""
        alloc a
        alloc c
        store a
        load a
        store c
        alloc b
    """) == {
        "a": ("alloc a", "load a"),
        "c": ("alloc c", "store c"),
        "b": ("alloc b", "alloc b"),
    }


def test_a_use_in_a_loop_extends_to_its_end():
    text = """
        alloc a
        for {
          load a
          alloc c
          load c
          alloc b
        }
        exp
    """
    assert live_lines(text) == {
        "a": ("alloc a", "alloc b"),
        "c": ("alloc c", "load c"),
        "b": ("alloc b", "alloc b"),
    }
    conditional = text.replace("for {", "if {")
    assert live_lines(conditional)["a"] == ("alloc a", "load a")


def test_a_use_extends_to_the_end_of_all_enclosing_loops():
    result = live_lines("""
        alloc a
        for {
          alloc c
          for {
            load a
            load c
          }
          fence
        }
        exp
    """)
    assert result == {"a": ("alloc a", "fence"), "c": ("alloc c", "load c")}


def test_a_while_loop_is_a_loop():
    result = live_lines("""
        alloc a
        while
          load a
        do
          fence
        end_while
        exp
    """)
    assert result == {"a": ("alloc a", "fence")}


@pytest.mark.parametrize(
    ("copy", "wait", "other"),
    [
        ("tma_load a m", "wait m", "wait m2"),
        ("tma_store a", "tma_wait 0", "tma_wait 1"),
        ("tma_store a", "tma_wait 0", "wait m"),
    ],
)
def test_a_tma_copy_uses_its_buffer_until_the_wait(copy, wait, other):
    text = f"alloc a\nalloc m\nalloc m2\n{wait}\n{copy}\n{other}\n{wait}\nexp"
    assert live_lines(text)["a"][1] == wait
    # Both waits have the same text: it is the second.
    only_before = text.replace(f"{other}\n{wait}", other)
    assert live_lines(only_before)["a"][1] == "exp"


def test_the_next_iteration_may_wait():
    result = live_lines("""
        alloc a
        alloc m
        for {
          if {
            wait m
          }
          tma_load a m
          fence
        }
        exp
    """)
    assert result["a"][1] == "fence"


def test_another_partition_may_wait():
    result = live_lines("""
        alloc a
        alloc m
        specialize a m
          wait m
        partition a m
          tma_load a9 m9
        end_specialize a m
        exp
    """)
    assert result["a"][1] != "exp"


def test_a_wait_outside_of_the_loop_is_the_next_one():
    result = live_lines("""
        alloc a
        alloc m
        for {
          tma_load a m
        }
        wait m
        exp
    """)
    assert result["a"][1] == "wait m"


def test_an_asynchronous_mma_uses_tensor_memory_until_its_wait():
    text = """
        alloc a
        alloc b
        alloc m
        tmem_alloc d
        mma_async a b d m
        wait m
        exp
    """
    assert live_lines(text, tensor=True) == {"d": ("tmem_alloc d", "wait m")}
    # The operands of a wait are in shared memory, so the wait uses them.
    assert live_lines(text)["a"][1] == "mma_async a b d m"
    synchronous = text.replace("mma_async a b d m", "mma a b d")
    assert live_lines(synchronous, tensor=True)["d"][1] == "mma a b d"


def test_partitions_run_at_the_same_time():
    program = listing(
        """
        alloc a
        alloc m
        specialize a m
          alloc c
        partition a m
          alloc c1
          load c1
          alloc c2
        end_specialize a m
        exp
    """,
        alloc=False,
    )
    liveness = Liveness(program.function)
    aliases = buffer_aliases(program.function)
    ranges = {
        buffer.name_hint: live
        for buffer, live in liveness.of_buffers(ttg.LocalAllocOp, aliases, aliases).items()
    }
    default, first, second, outer = (ranges[name] for name in ("c", "c1", "c2", "a"))
    assert default.last < first.first
    assert default.overlaps(first)
    assert first.overlaps(default)
    assert not first.overlaps(second)
    assert outer.overlaps(default)
    (specialize,) = first.partitions
    assert (first.partitions[specialize], default.partitions[specialize]) == (0, -1)
    assert not outer.partitions
    scratch = liveness.of_operation(program.operation("exp"))
    assert scratch.first == scratch.last == liveness.numbers[program.operation("exp")]
    # A use inside counts to the end of all partitions, since they are beside each other.
    captured = listing(
        "alloc a\nspecialize a\nload a\npartition a\nfence\nend_specialize a", alloc=False
    )
    live = Liveness(captured.function)
    aliases = buffer_aliases(captured.function)
    (range_,) = live.of_buffers(ttg.LocalAllocOp, aliases, aliases).values()
    assert range_.last >= live.numbers[captured.operation("fence")]


@pytest.mark.parametrize(
    ("a", "b", "overlap"),
    [((0, 3), (3, 5), True), ((0, 3), (4, 5), False), ((2, 2), (0, 9), True)],
)
def test_ranges_overlap(a, b, overlap):
    first, second = (LiveRange(*bounds, partitions={}) for bounds in (a, b))
    assert first.overlaps(second) == second.overlaps(first) == overlap
