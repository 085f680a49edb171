"""A kernel's digest follows its source, what it calls, and its constants."""

from __future__ import annotations

import types

import weft
import weft.language as tl
from weft.compiler.fingerprint import Captured, fingerprint

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
    captured = Captured(caller)
    before = captured.key, fingerprint(caller)
    assert before == (captured.key, fingerprint(caller))
    monkeypatch.setitem(globals(), "WIDTH", tl.constexpr(16))
    assert captured.key != before[0]
    assert fingerprint(caller) != before[1]


def test_another_callee_counts(monkeypatch):
    captured = Captured(caller)
    before = captured.key, fingerprint(caller)
    monkeypatch.setitem(globals(), "callee", other)
    assert captured.key != before[0]
    assert fingerprint(caller) != before[1]


def test_kernels_differ():
    assert len({fingerprint(kernel) for kernel in (caller, callee, other)}) == 3


@weft.jit
def recursive(x):
    recursive(x)


def test_recursion_ends():
    assert Captured(recursive).key


@weft.jit
def of_module(x):
    tl.store(x, own.WIDTH)  # noqa: F821


def test_a_constant_of_a_module_counts(monkeypatch):
    own = types.ModuleType("own")
    own.WIDTH = tl.constexpr(1)  # pyright: ignore
    monkeypatch.setitem(globals(), "own", own)
    captured = Captured(of_module)
    before = fingerprint(of_module), captured.key
    own.WIDTH = tl.constexpr(2)  # pyright: ignore
    assert fingerprint(of_module) != before[0]
    assert captured.key != before[1]


def test_a_global_that_goes_is_seen(monkeypatch):
    captured = Captured(caller)
    before = captured.key
    monkeypatch.delitem(globals(), "callee")
    assert captured.key != before
