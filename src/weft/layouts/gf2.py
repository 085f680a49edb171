"""Linear algebra over GF(2) on matrices whose rows are Python ints.

Bit k of a row is its entry in column k. A layout with n input bits is n such rows (its basis
vectors), so addition is `^`, and the rank of [0b011, 0b110, 0b101] is 2 since the third row is the
sum of the others. Everything that a layout needs of linear algebra is here: rank, reduced row
echelon form, and the solution of a system with the free variables at zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["echelon", "pivots", "rank", "solve", "transpose"]


def rank(rows: Iterable[int]) -> int:
    """Return how many of `rows` are independent."""
    basis: dict[int, int] = {}
    left = set(rows)
    left.discard(0)
    if not any([row & (row - 1) for row in left]):  # unit vectors, as most layouts have
        return len(left)
    for row in left:
        while row:
            top = row.bit_length()
            other = basis.get(top)
            if other is None:
                basis[top] = row
                break
            row ^= other
    return len(basis)


def transpose(rows: Sequence[int], columns: int) -> list[int]:
    """Return the transpose of a matrix of `columns` columns, as `columns` ints."""
    out = [0] * columns
    for i, row in enumerate(rows):
        bit = 1 << i
        while row:
            low = row & -row
            out[low.bit_length() - 1] |= bit
            row ^= low
    return out


def echelon(rows: Iterable[int], columns: int) -> list[tuple[int, int]]:
    """Return the reduced row echelon form over the lowest `columns` columns.

    Columns are eliminated from bit 0 upwards; bits above `columns` ride along, which makes
    `rows` an augmented matrix.
    Returns: (pivot column, row) pairs in order of the column, then (-1, row) for each row that
    has nothing left in the first `columns` columns and is not zero.
    """
    mask = (1 << columns) - 1
    done: list[tuple[int, int]] = []
    rest = list(rows)
    for column in range(columns):
        bit = 1 << column
        at = next((i for i, row in enumerate(rest) if row & bit), None)
        if at is None:
            continue
        pivot = rest.pop(at)
        rest = [row ^ pivot if row & bit else row for row in rest]
        done = [(c, row ^ pivot if row & bit else row) for c, row in done]
        done.append((column, pivot))
    return done + [(-1, row) for row in rest if row & ~mask]


def pivots(rows: Sequence[int], columns: int) -> list[int]:
    """Return the pivot columns of the matrix, lowest first."""
    return [column for column, _ in echelon(rows, columns) if column >= 0]


def solve(basis: Sequence[int], targets: Sequence[int], bits: int) -> list[int] | None:
    """Return for each target the combination of `basis` that sums to it, or None.

    Args: basis: vectors of `bits` bits.  targets: vectors of `bits` bits.
    Returns: one int per target, bit i of which says whether basis[i] takes part; a vector of
    the basis that depends on earlier ones takes part in none. None where a target is not in the
    span.
    """
    reduced: dict[int, tuple[int, int]] = {}
    for i, vector in enumerate(basis):
        choice = 1 << i
        while vector:
            found = reduced.get(vector.bit_length())
            if found is None:
                reduced[vector.bit_length()] = (vector, choice)
                break
            vector ^= found[0]
            choice ^= found[1]
    answer = []
    for vector in targets:
        choice = 0
        while vector:
            found = reduced.get(vector.bit_length())
            if found is None:
                return None
            vector ^= found[0]
            choice ^= found[1]
        answer.append(choice)
    return answer
