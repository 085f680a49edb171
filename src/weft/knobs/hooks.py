"""Chains of functions that are called around launches, loads and compilations."""

from __future__ import annotations

from collections.abc import Callable

from weft.knobs.compile_settings import CompileSettings

__all__ = ["HookChain", "code_hook", "hook_chain"]


class HookChain:
    """A chain of functions that are called in order.

    Attributes:
        calls: The functions.
        reversed: Whether to call them in reverse order.
    """

    __slots__ = ("calls", "reversed")

    def __init__(self, reversed: bool = False) -> None:
        self.calls: list[Callable[..., object]] = []
        self.reversed = reversed

    def add(self, func: Callable[..., object]) -> None:
        """Add a hook, unless the chain has it."""
        if func not in self.calls:
            self.calls.append(func)

    def remove(self, func: Callable[..., object]) -> None:
        """Remove a hook, if the chain has it."""
        if func in self.calls:
            self.calls.remove(func)

    def __call__(self, *args: object, **kwargs: object) -> None:
        """Call all hooks."""
        for hook in self.calls[::-1] if self.reversed else tuple(self.calls):
            hook(*args, **kwargs)

    def __bool__(self) -> bool:
        return bool(self.calls)


class hook_chain:
    """A descriptor for a chain of hooks: assigning a function replaces all, None removes all."""

    def __init__(self, reversed: bool = False) -> None:
        self.chain = HookChain(reversed)

    def __get__(self, owner: object, kind: type | None = None) -> HookChain:
        return self.chain

    def __set__(self, owner: object, hook: Callable[..., object] | None) -> None:
        if hook is not self.chain:
            self.chain.calls[:] = [] if hook is None else [hook]


class code_hook:
    """A descriptor for a hook that changes the compiled code: kernels are compiled again.

    Attributes:
        names: Environment variables: none.
    """

    names = ()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, owner: object, kind: type | None = None) -> Callable[..., object] | None:
        return None if owner is None else owner.__dict__.get(self.name)

    def __set__(self, owner: object, hook: Callable[..., object] | None) -> None:
        CompileSettings.number = 0
        owner.__dict__[self.name] = hook
