"""A kernel's digest depends on its source, its callees and its globals."""

from __future__ import annotations

import types

import pytest

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


DTYPE = tl.float32
SHAPE = (2, 4)


def doubled(n):
    return max(m * FACTOR for m in (n,))


FACTOR = 2


@tl.constexpr_function
def width():
    return doubled(8)


@weft.jit
def read_host_values(x):
    tl.store(x, tl.full((width(),), SHAPE[0], DTYPE))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DTYPE", tl.float16),
        ("SHAPE", (2, 8)),
        ("FACTOR", 4),
        ("width", tl.constexpr_function(lambda: 8)),
        ("doubled", lambda n: n + n),
    ],
)
def test_what_host_functions_read_counts(monkeypatch, name, value):
    captured = CapturedGlobals(read_host_values)
    before = captured.key, fingerprint(read_host_values)
    assert before == (captured.key, fingerprint(read_host_values))
    monkeypatch.setitem(globals(), name, value)
    assert captured.key != before[0]
    assert fingerprint(read_host_values) != before[1]


def test_source_of_a_constexpr_function_counts(monkeypatch):
    before = fingerprint(read_host_values)
    monkeypatch.setattr(width, "src", width.src)
    assert fingerprint(read_host_values) == before
    width._unsafe_update_src(width.src.replace("8", "16"))
    assert fingerprint(read_host_values) != before


def of_source(tmp_path, source: str):
    """Define `kernel` in a file."""
    path = tmp_path / "module.py"
    path.write_text(source)
    namespace: dict = {"tl": tl, "weft": weft, "__name__": "module"}
    exec(compile(source, str(path), "exec"), namespace)
    return namespace["kernel"]


CALL = """
@weft.jit
def callee(x, n: tl.constexpr = N):
    return x + n

@weft.jit
def kernel(x):
    tl.store(x, callee(1))
"""


def test_default_arguments_of_callees_count(tmp_path):
    digests = {fingerprint(of_source(tmp_path, f"N = tl.constexpr({n})" + CALL)) for n in (1, 1, 2)}
    assert len(digests) == 2


def test_noinline_of_a_callee_counts(tmp_path):
    source = CALL.replace(" = N", "")
    noinline = source.replace("@weft.jit\ndef callee", "@weft.jit(noinline=True)\ndef callee")
    assert fingerprint(of_source(tmp_path, source)) != fingerprint(of_source(tmp_path, noinline))


def test_line_numbers_count_where_they_are_asked_for(tmp_path):
    source = CALL.replace(" = N", "")
    before, after = (of_source(tmp_path, text) for text in (source, "\n" + source))
    # Both functions have another line; the kernel alone would not be enough.
    assert fingerprint(before) == fingerprint(after)
    assert fingerprint(before, positions=True) != fingerprint(after, positions=True)
    assert before.cache_key != after.cache_key


def test_the_same_source_again_is_no_change(monkeypatch):
    before = fingerprint(caller)
    monkeypatch.setitem(callee.__dict__, "source", callee.source)
    callee._unsafe_update_src(callee.src)
    assert fingerprint(caller) == before
    callee._unsafe_update_src(callee.src.replace("+", "-"))
    assert fingerprint(caller) != before


def test_keys_of_functions_that_are_arguments(monkeypatch):
    captured = CapturedGlobals(other)
    changes = []
    captured.on_change.append(lambda: changes.append(True))
    before = captured.keys_of([caller]), captured.key
    captured.keys_of([recursive])
    assert (captured.keys_of([caller]), captured.key) == before
    assert not changes
    monkeypatch.setitem(globals(), "WIDTH", tl.constexpr(16))
    assert not captured.unchanged
    assert captured.keys_of([caller]) != before[0]
    assert captured.key == before[1]
    assert changes


def test_expired_globals_are_read_again():
    captured = CapturedGlobals(caller)
    assert captured.key
    assert captured.unchanged
    CapturedGlobals.expire_all()
    assert not captured.unchanged
