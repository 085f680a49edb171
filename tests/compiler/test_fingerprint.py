"""A kernel's digest depends on its source, its callees and its globals."""

from __future__ import annotations

import types

import weft
import weft.language as tl
from weft.compiler.fingerprint import CapturedGlobals, fingerprint

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


def test_globals_of_a_callee_count(monkeypatch):
    captured = CapturedGlobals(caller)
    before = captured.key, fingerprint(caller)
    assert before == (captured.key, fingerprint(caller))
    monkeypatch.setitem(globals(), "WIDTH", tl.constexpr(16))
    assert captured.key != before[0]
    assert fingerprint(caller) != before[1]


def test_another_callee_counts(monkeypatch):
    captured = CapturedGlobals(caller)
    before = captured.key, fingerprint(caller)
    monkeypatch.setitem(globals(), "callee", other)
    assert captured.key != before[0]
    assert fingerprint(caller) != before[1]


def test_fingerprints_of_kernels_differ():
    assert len({fingerprint(kernel) for kernel in (caller, callee, other)}) == 3


@weft.jit
def recursive(x):
    recursive(x)


def test_recursive_kernel():
    assert CapturedGlobals(recursive).key


@weft.jit
def read_module(x):
    tl.store(x, settings.WIDTH)  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


def test_constants_of_a_module_count(monkeypatch):
    settings = types.ModuleType("settings")
    settings.WIDTH = tl.constexpr(1)  # pyright: ignore
    monkeypatch.setitem(globals(), "settings", settings)
    captured = CapturedGlobals(read_module)
    before = fingerprint(read_module), captured.key
    settings.WIDTH = tl.constexpr(2)  # pyright: ignore
    assert fingerprint(read_module) != before[0]
    assert captured.key != before[1]


def test_a_deleted_global_changes_the_key(monkeypatch):
    captured = CapturedGlobals(caller)
    before = captured.key
    monkeypatch.delitem(globals(), "callee")
    assert captured.key != before
