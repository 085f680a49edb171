# ruff: noqa: F841 - kernels that bind names for the binding's sake
"""Literals, f-strings, comprehensions."""

from __future__ import annotations

import weft.language as tl
from weft.language.kernel_function import kernel_function


@kernel_function
def spells(p, n, N: tl.constexpr):
    tl.static_print(f"{N:>3} {N!r} {n.dtype} {'x'}")
    tl.static_print("n is", n, sep="|")


def test_f_strings_of_constants(operations, capsys):
    operations(spells, N=4)
    assert capsys.readouterr().out == "  4 4 int32 x\nn is|int32[]\n"


@kernel_function
def prints_types(p, n, N: tl.constexpr):
    rows = tl.arange(0, N)
    tile = rows[:, None] + rows[None, :]
    tl.static_print(tile, p, (rows, n, "a"), rows.shape, (1, (N, None)), sep="|")


def test_static_print_of_blocks_and_tuples(operations, capsys):
    operations(prints_types, N=4)
    parts = (
        "int32[constexpr[4], constexpr[4]]",
        "pointer<int32>[]",
        "['int32[constexpr[4]]', 'int32[]', 'a']",
        "['4']",
        """['1', "['4', 'None']"]""",
    )
    assert capsys.readouterr().out == "|".join(parts) + "\n"


@kernel_function
def spreads(p, n, m):
    t = (n, m)
    u = (*t, 3)
    tl.static_assert(len(u) == 3)
    tl.store(p, u[1])


def test_tuple_unpacking(operations):
    assert operations(spreads) == ["tt.func", "tt.store", "tt.return"]


@kernel_function
def run_time_f_string(p, n):
    tl.static_print(f"{n + 1}")


@kernel_function
def bad_format(p):
    tl.static_print(f"{'a':d}")


@kernel_function
def complex_literal(p):
    tl.store(p, 3j)


@kernel_function
def comprehends_with_if(p, n):
    t = [k for k in (n, n) if k]


@kernel_function
def comprehends_pairs(p, n):
    t = [a for a, b in ((n, n),)]


@kernel_function
def makes_dict(p, n):
    t = {"a": n}


@kernel_function
def makes_lambda(p, n):
    f = lambda x: x + 1  # noqa: E731


def test_unsupported_literals(refused):
    error = refused(run_time_f_string)
    assert "cannot evaluate f-string containing non-constexpr" in error
    assert "tl.device_print" in error
    assert "cannot format value: Unknown format code 'd' for object" in refused(bad_format)
    assert "unsupported literal of type complex" in refused(complex_literal)
    assert "a condition in a comprehension is not supported" in refused(comprehends_with_if)
    assert "the target of a comprehension must be one name" in refused(comprehends_pairs)
    assert "use a tuple, or separate names" in refused(makes_dict)
    assert "define it at module level with @weft.jit" in refused(makes_lambda)
