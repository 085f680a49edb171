"""A kernel's digest follows its source, what it calls, and its constants."""

from __future__ import annotations

import weft
import weft.language as tl
from weft.runtime.fingerprint import captured, fingerprint

WIDTH: tl.constexpr = tl.constexpr(8)


@weft.jit
def callee(x):
    return x + WIDTH


@weft.jit
def caller(x):
    callee(x)


@weft.jit
def other(x):
    pass


def test_a_global_of_a_callee_counts(monkeypatch):
    before = captured(caller), fingerprint(caller)
    assert before == (captured(caller), fingerprint(caller))
    monkeypatch.setitem(globals(), "WIDTH", tl.constexpr(16))
    assert captured(caller) != before[0]
    assert fingerprint(caller) != before[1]


def test_another_callee_counts(monkeypatch):
    before = captured(caller), fingerprint(caller)
    monkeypatch.setitem(globals(), "callee", other)
    assert captured(caller) != before[0]
    assert fingerprint(caller) != before[1]


def test_kernels_differ():
    assert len({fingerprint(kernel) for kernel in (caller, callee, other)}) == 3


@weft.jit
def recursive(x):
    recursive(x)


def test_recursion_ends():
    assert captured(recursive)
