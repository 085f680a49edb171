"""The buffers that a value may refer to."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.analysis.memory_listings import listing
from tests.analysis.shared_memory_programs import HEAD, memory, paths, programs
from weft.analysis.buffer_aliases import buffer_aliases
from weft.ir import tt, ttg, ttng
from weft.ir.text import parse_module

KIND = memory(128)


def names(body: str) -> dict[str, set[str]]:
    """Compute for each named value of a function the names of its buffers."""
    text = f"{HEAD}%a = ttg.local_alloc : () -> {KIND}\n%b = ttg.local_alloc : () -> {KIND}\n"
    module = parse_module(f"{text}{body}\ntt.return\n}}\n}}\n")
    (function,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    return {
        value.name_hint or "": {buffer.name_hint or "" for buffer in buffers}
        for value, buffers in buffer_aliases(function).items()
    }


@pytest.mark.parametrize(("passed", "expected"), [("%a, %b", {"a", "b"}), ("%a, %a", {"a"})])
def test_a_branch_passes_a_buffer(passed, expected):
    first, second = passed.split(", ")
    result = names(
        f"""cf.cond_br %c, ^end({first} : {KIND}), ^end({second} : {KIND})
        ^end(%p: {KIND}):"""
    )
    assert result["p"] == expected


def test_a_selection_is_either_buffer():
    assert names(f"%p = arith.select %c, %a, %b : {KIND}")["p"] == {"a", "b"}


def test_views_refer_to_the_buffer_that_they_view():
    """Wherever the index comes from; a loaded tensor refers to none."""
    two = KIND.replace("128x", "2x128x")
    result = names(
        f"""%t = ttg.local_alloc : () -> {two}
        %v = ttg.memdesc_index %t[%n] : {two} -> {KIND}
        %s = ttg.memdesc_subslice %v[0] : {KIND} -> {KIND.replace("<128", "<64")[:-1]}, 128>
        %x = ttg.local_load %v : {KIND} -> tensor<128xf32, #r>"""
    )
    assert (result["v"], result["s"]) == ({"t"}, {"t"})
    assert "x" not in result
    assert "n" not in result


def test_loops_carry_buffers():
    result = names(
        f"""%r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %a)
            -> ({KIND}, {KIND}) : i32 {{
          %d = ttg.local_alloc : () -> {KIND}
          scf.yield %q, %d : {KIND}, {KIND}
        }}
        %w = scf.while (%u = %b) : ({KIND}) -> {KIND} {{
          scf.condition(%c) %u : {KIND}
        }} do {{
        ^bb0(%v: {KIND}):
          scf.yield %v : {KIND}
        }}
        %e = scf.if %c -> ({KIND}) {{
          scf.yield %a : {KIND}
        }} else {{
          scf.yield %w : {KIND}
        }}"""
    )
    assert (result["p"], result["q"]) == ({"a", "d"}, {"a", "d"})
    assert (result["u"], result["v"], result["w"], result["e"]) == ({"b"}, {"b"}, {"b"}, {"a", "b"})


def test_partitions_and_other_memories():
    program = listing(
        """
        specialize a d
          load a
        partition a d
          load a9
        end_specialize a d
    """
    )
    shared = buffer_aliases(program.function)
    assert shared[program.operation("load a9").operands[0]] == {program.buffer("a")}
    tensor = buffer_aliases(program.function, ttng.TMEMAllocOp)
    d = program.buffer("d")
    assert all(buffers == {d} for buffers in tensor.values())
    assert len(tensor) == 2  # the result and the argument of the partition
    assert buffer_aliases(program.function, ttg.LocalAllocOp) == shared


@given(programs)
def test_a_value_refers_to_one_of_its_buffers_on_every_path(function):
    aliases = buffer_aliases(function)
    for path in paths(function):
        for op, referred in path:
            values = [v for v in (*op.operands, *op.results) if isinstance(v.type, ttg.MemDescType)]
            for value, buffer in zip(values, referred, strict=True):
                assert buffer in aliases[value]
