"""Hooks, and settings from the environment."""

from __future__ import annotations

import pytest

from weft import knobs
from weft.errors import WeftError
from weft.knobs import HookChain


def test_hooks_are_called_in_order_or_in_reverse():
    for last_first, expected in ((False, ["a1", "b1"]), (True, ["b1", "a1"])):
        hooks, calls = HookChain(last_first), []
        a, b = (lambda n, to=calls, name=name: to.append(f"{name}{n}") for name in "ab")
        hooks.add(a)
        hooks.add(b)
        hooks.add(a)
        hooks(1)
        assert calls == expected
        hooks.remove(a)
        hooks.remove(a)
        assert hooks
        hooks.remove(b)
        assert not hooks


def test_assigning_a_hook_replaces_the_chain():
    chain = knobs.runtime.launch_enter_hook
    try:
        knobs.runtime.launch_enter_hook = print
        assert knobs.runtime.launch_enter_hook is chain
        assert chain.calls == [print]
        knobs.runtime.launch_enter_hook = chain
        assert chain.calls == [print]
    finally:
        knobs.runtime.launch_enter_hook = None
    assert chain.calls == []


@pytest.mark.parametrize("name", ["WEFT_PRINT_AUTOTUNING", "TRITON_PRINT_AUTOTUNING"])
def test_flag_is_read_from_either_environment_variable(monkeypatch, name):
    assert knobs.autotuning.print is False
    for text, value in (("1", True), ("TRUE", True), ("on", True), ("0", False), ("", False)):
        monkeypatch.setenv(name, text)
        assert knobs.autotuning.print is value
    monkeypatch.setenv(name, "maybe")
    with pytest.raises(WeftError, match="invalid value of environment variable") as caught:
        assert knobs.autotuning.print
    assert f"{name}=maybe" in str(caught.value)
    assert "accepted: 1, 0, true" in str(caught.value)


def test_assigned_value_has_precedence(monkeypatch):
    monkeypatch.setenv("WEFT_CACHE_AUTOTUNING", "0")
    knobs.autotuning.cache = True
    try:
        assert knobs.autotuning.cache is True
    finally:
        knobs.autotuning.cache = None
    assert knobs.autotuning.cache is False


def test_setting_an_unknown_knob_is_an_error():
    with pytest.raises(WeftError, match="unknown knob interpreted"):
        knobs.runtime.interpreted = True  # pyright: ignore
    with pytest.raises(WeftError, match="did you mean print"):
        knobs.autotuning.prints = True  # pyright: ignore
