"""Settings as descriptors: an assigned value, else an environment variable, else a default.

    class autotuning_knobs(base_knobs):
        print: env_bool = env_bool("TRITON_PRINT_AUTOTUNING", weft="WEFT_PRINT_AUTOTUNING")

Class names and arguments are those of `triton.knobs`. The variable of weft has precedence over
Triton's. An assigned value is written to Triton's variable, so that child processes see it; None,
or an `Env`, takes the assignment back. A setting that weft does not use warns where it is changed;
one that would change the code is refused at the next compilation (weft/knobs/unsupported.py).
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from typing_extensions import override

from weft.errors import WeftError, warn_ignored
from weft.knobs.compile_settings import CompileSettings

if TYPE_CHECKING:
    from weft.knobs.nvidia_tool import NvidiaTool

__all__ = [
    "Env",
    "env_base",
    "env_bool",
    "env_class",
    "env_int",
    "env_nvidia_tool",
    "env_opt_bool",
    "env_opt_str",
    "env_str",
    "env_str_callable_default",
    "is_off",
    "is_on",
    "setenv",
    "toenv",
]

_OFF = ("", "0", "false", "off", "no", "n")
_ON = ("1", "true", "on", "yes", "y")

Value = TypeVar("Value")


class Env:
    """The value that makes a setting read the environment again."""


def setenv(key: str, value: str | None) -> None:
    """Set or delete an environment variable, unless `propagate_env` is off."""
    if not sys.modules["weft.knobs"].propagate_env:
        return
    if value is not None:
        os.environ[key] = value
    else:
        os.environ.pop(key, None)


def toenv(val: object) -> tuple[str | None] | None:
    """Convert a value to the text of an environment variable; None if it has none."""
    if val is None:
        return (None,)
    if isinstance(val, bool):
        return ("1" if val else "0",)
    return (str(val),) if isinstance(val, str | int) else None


def is_on(text: str) -> bool:
    """Check whether the text of a flag means yes; other texts mean no."""
    return text.strip().lower() in _ON


def is_off(text: str) -> bool:
    """Check whether the text of a flag means no."""
    return text.strip().lower() in _OFF


class env_base(Generic[Value]):
    """A setting.

    Args:
        key: Triton's environment variable.
        weft: weft's environment variable, which has precedence.
        ignored: Why the setting has no effect in weft, if it has none.
        refused: What to do instead, if compilation refuses all values but the default.
    """

    name: str

    def __init__(self, key: str, *, weft: str = "", ignored: str = "", refused: str = "") -> None:
        self.key = key
        self.names = (weft, key) if weft else (key,)
        self.ignored, self.refused = ignored, refused

    def __set_name__(self, objclass: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, obj: None, objclass: type | None = None) -> env_base[Value]: ...
    @overload
    def __get__(self, obj: object, objclass: type | None = None) -> Value: ...
    def __get__(self, obj: object, objclass: type | None = None) -> env_base[Value] | Value:
        if obj is None:
            return self
        if self.name in obj.__dict__:
            return self.transform(obj.__dict__[self.name])
        return self.get()

    def __set__(self, obj: object, value: object) -> None:
        CompileSettings.number = 0
        if value is None or isinstance(value, Env):
            obj.__dict__.pop(self.name, None)
        else:
            obj.__dict__[self.name] = value
            if self.ignored:
                warn_ignored(f"the knob {self.name} has no effect: {self.ignored}")
        text = None if isinstance(value, Env) else toenv(value)
        if text is not None:
            setenv(self.key, text[0])

    def __delete__(self, obj: object) -> None:
        CompileSettings.number = 0
        obj.__dict__.pop(self.name, None)

    def get(self) -> Value:
        """Read the environment.

        Raises:
            WeftError: A variable has a value that is not accepted.
        """
        for name in self.names:
            text = os.environ.get(name)
            if text is not None:
                try:
                    return self.read(text)
                except ValueError as error:
                    raise WeftError(
                        f"invalid value of environment variable {name}",
                        found=f"{name}={text}",
                        accepted=error.args[0],
                    ) from None
        return self.default_value()

    def read(self, text: str) -> Value:
        """Convert the text of a variable; raise ValueError with a tuple of what is accepted."""
        raise NotImplementedError

    def default_value(self) -> Any:
        """Compute the value without a variable."""
        return None

    def transform(self, val: Any) -> Any:
        """Convert an assigned value."""
        return val


class env_str(env_base[str]):
    """A text."""

    def __init__(
        self, key: str, default: str, *, weft: str = "", ignored: str = "", refused: str = ""
    ) -> None:
        super().__init__(key, weft=weft, ignored=ignored, refused=refused)
        self.default = default

    @override
    def read(self, text: str) -> str:
        return text

    @override
    def default_value(self) -> str:
        return self.default


class env_str_callable_default(env_base[str]):
    """A directory whose default is computed."""

    def __init__(
        self, key: str, default_factory: Callable[[], str], *, weft: str = "", ignored: str = ""
    ) -> None:
        super().__init__(key, weft=weft, ignored=ignored)
        self.default_factory = default_factory

    @override
    def read(self, text: str) -> str:
        if not text.strip():
            raise ValueError(("a directory",))
        return str(Path(text).expanduser().absolute())

    @override
    def default_value(self) -> str:
        return self.default_factory()

    @override
    def transform(self, val: object) -> str:
        return str(val)


class env_bool(env_base[bool]):
    """A flag."""

    def __init__(
        self,
        key: str,
        default: bool = False,
        *,
        weft: str = "",
        ignored: str = "",
        refused: str = "",
    ) -> None:
        super().__init__(key, weft=weft, ignored=ignored, refused=refused)
        self.default = default

    @override
    def read(self, text: str) -> bool:
        return _flag(text)

    @override
    def default_value(self) -> bool:
        return self.default


class env_opt_bool(env_base["bool | None"]):
    """A flag that may be unset."""

    @override
    def read(self, text: str) -> bool:
        return _flag(text)


class env_int(env_base[int]):
    """A number."""

    def __init__(self, key: str, default: int = 0, *, weft: str = "", ignored: str = "") -> None:
        super().__init__(key, weft=weft, ignored=ignored)
        self.default = default

    @override
    def read(self, text: str) -> int:
        try:
            return int(text)
        except ValueError:
            raise ValueError(("an int",)) from None

    @override
    def default_value(self) -> int:
        return self.default


class env_opt_str(env_base["str | None"]):
    """A text that may be unset."""

    @override
    def read(self, text: str) -> str:
        return text


class env_class(env_base["type | None"]):
    """A class, as MODULE:CLASS in the environment."""

    def __init__(self, key: str, type: str, *, weft: str = "", ignored: str = "") -> None:
        super().__init__(key, weft=weft, ignored=ignored)
        self.type = type

    @override
    def read(self, text: str) -> type:
        module, _, name = text.partition(":")
        if not name:
            raise ValueError(("MODULE:CLASS",))
        cls: type = getattr(importlib.import_module(module), name)
        if all(base.__name__ != self.type for base in cls.__mro__):
            raise ValueError((f"a subclass of {self.type}",))
        return cls


class env_nvidia_tool(env_base["NvidiaTool"]):
    """A program of the CUDA toolkit."""

    def __init__(self, binary: str, *, weft: str = "") -> None:
        super().__init__(f"TRITON_{binary.upper().replace('-', '_')}_PATH", weft=weft)
        self.binary = binary
        self.default_path = shutil.which(binary) or binary

    @override
    def read(self, text: str) -> NvidiaTool:
        from weft.knobs.nvidia_tool import NvidiaTool  # as below

        tool = NvidiaTool.from_path(text)
        if tool is None:
            raise ValueError((f"the path of {self.binary}",))
        return tool

    @override
    def default_value(self) -> NvidiaTool:
        from weft.knobs.nvidia_tool import installed_tool  # imports subprocess, which is slow

        return installed_tool(self.binary)

    @override
    def transform(self, path: str) -> NvidiaTool:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            return self.read(path)
        except ValueError as error:
            raise WeftError(
                f"the knob {self.name} is not the path of a program of the CUDA toolkit",
                found=path,
                accepted=error.args[0],
            ) from None


def _flag(text: str) -> bool:
    if text.strip().lower() not in (*_ON, *_OFF):
        raise ValueError(("1", "0", "true", "false", "on", "off"))
    return is_on(text)
