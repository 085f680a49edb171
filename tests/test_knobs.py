"""Hooks and the environment."""

from __future__ import annotations

import pytest

from weft import knobs
from weft.errors import WeftError
from weft.knobs import Hooks


def test_hooks_are_called_in_their_order_or_against_it():
    for last_first, wanted in ((False, ["a1", "b1"]), (True, ["b1", "a1"])):
        hooks, seen = Hooks(last_first), []
        a, b = (lambda n, to=seen, name=name: to.append(f"{name}{n}") for name in "ab")
        hooks.add(a)
        hooks.add(b)
        hooks.add(a)
        hooks(1)
        assert seen == wanted
        hooks.remove(a)
        hooks.remove(a)
        assert hooks
        hooks.remove(b)
        assert not hooks


def test_a_hook_may_be_assigned_as_in_triton():
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
def test_a_flag_is_the_environment_s_under_either_name(monkeypatch, name):
    assert knobs.autotuning.print is False
    for text, value in (("1", True), ("TRUE", True), ("on", True), ("0", False), ("", False)):
        monkeypatch.setenv(name, text)
        assert knobs.autotuning.print is value
    monkeypatch.setenv(name, "maybe")
    with pytest.raises(WeftError, match="cannot be read") as caught:
        assert knobs.autotuning.print
    assert f"{name}=maybe" in str(caught.value)
    assert "accepted: 1, 0, true" in str(caught.value)


def test_what_is_assigned_goes_first(monkeypatch):
    monkeypatch.setenv("WEFT_CACHE_AUTOTUNING", "0")
    knobs.autotuning.cache = True
    try:
        assert knobs.autotuning.cache is True
    finally:
        knobs.autotuning.cache = None
    assert knobs.autotuning.cache is False


def test_what_is_no_knob_cannot_be_set():
    with pytest.raises(WeftError, match="no knob is called interpret"):
        knobs.runtime.interpret = True  # pyright: ignore
    with pytest.raises(WeftError, match="did you mean print"):
        knobs.autotuning.prints = True  # pyright: ignore
