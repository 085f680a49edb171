"""Describe the public names of a package by introspection: modules, classes, functions, values.

python -m tests.oracle.api.surface            of the wheel of Triton
python -m tests.oracle.api.surface --weft     of what `import triton` finds under `as_triton`

Both print one JSON object; they run in separate processes, since only one package can be
called `triton` in a process. With `--weft` the paths to describe are read from standard input,
because weft imports modules and names on first access.
"""

from __future__ import annotations

import ast
import enum
import functools
import importlib
import inspect
import json
import pkgutil
import sys
import textwrap
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

ROOT = "triton"
# Parameters by which Triton's front end hands itself to its builtins. Users never pass them.
_INTERNAL_PARAMETERS = {"_semantic", "_generator", "_builder"}
# Private names that packages import nevertheless.
_PRIVATE_NAMES = {
    "triton.language.core._aggregate",
    "triton.language.core._unwrap_if_constexpr",
    "triton.language.core._unwrap_shape",
    "triton.language.core._shape_check_impl",
    "triton.runtime._allocation",
    "triton.runtime._async_compile",
    "triton._utils",
    "triton._internal_testing",
    "triton._filecheck",
}

Parameter = tuple[str, str, str]
"""Name, kind and default of a parameter; "" without a default."""
Entry = dict[str, Any]
"""Of one name: "kind", and "parameters" of what can be called."""


def describe(obj: object, name: str, owner: object) -> Entry:
    """Describe the object that a path names."""
    if isinstance(obj, ModuleType):
        return {"kind": "module"}
    if isinstance(obj, type):
        return {"kind": "class", "parameters": parameters(obj.__init__, is_method=True, cls=obj)}
    if isinstance(inspect.getattr_static(owner, name, None), property | functools.cached_property):
        return {"kind": "attribute"}
    is_method = isinstance(owner, type)
    if callable(obj) and (call := parameters(obj, is_method=is_method, owner=owner, name=name)):
        return {"kind": "method" if is_method else "function", "parameters": call}
    if callable(obj):
        return {"kind": "method" if is_method else "function", "parameters": []}
    return {"kind": "attribute"}


def parameters(
    obj: Any, *, is_method: bool, cls: Any = None, owner: Any = None, name: str = ""
) -> list[Parameter] | None:
    """List the parameters of a function, without `self`; None if they are unknown."""
    if cls is not None and issubclass(cls, enum.Enum | BaseException) and not _of_package(obj):
        return []
    function = obj if cls is None else cls
    while not inspect.isfunction(function) and not isinstance(function, type):
        inner = getattr(function, "fn", None) or getattr(function, "__wrapped__", None)
        if inner is None:
            break
        function = inner
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return None
    listed = [each for each in signature.parameters.values()]
    static = inspect.getattr_static(owner, name, None) if is_method and owner else None
    is_bound = isinstance(static, staticmethod | classmethod)
    has_self = cls is None and is_method and not is_bound
    if (
        has_self
        and listed
        and listed[0].kind in (listed[0].POSITIONAL_ONLY, listed[0].POSITIONAL_OR_KEYWORD)
    ):
        listed = listed[1:]
    return [
        (each.name, each.kind.name, default_text(each))
        for each in listed
        if each.name not in _INTERNAL_PARAMETERS
    ]


def default_text(parameter: inspect.Parameter) -> str:
    """Format the default of a parameter, the same for both packages."""
    value = parameter.default
    if value is parameter.empty:
        return ""
    value = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    if isinstance(value, enum.Enum) or type(value).__name__ == "PROPAGATE_NAN":
        return value.name
    if value in (False, True, 0):
        return str(int(value))
    if inspect.isfunction(value) or isinstance(value, type):
        return value.__name__
    if type(value).__name__ == "dtype":
        return str(value)
    return f"<{type(value).__name__}>" if " at 0x" in repr(value) else repr(value)


def _of_package(obj: object) -> bool:
    module = getattr(obj, "__module__", None) or ""
    return module.partition(".")[0] in (ROOT, "weft")


def instance_attributes(cls: type, inherited: bool = False) -> set[str]:
    """List the public attributes that the methods of a class assign on `self`."""
    names: set[str] = set()
    for base in cls.__mro__ if inherited else (cls,):
        if base.__module__ == "builtins":
            continue
        if is_dataclass(base):
            names |= {each.name for each in fields(base)}
        names |= set(getattr(base, "__annotations__", {}))
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError):
            continue
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
            ):
                names.add(node.attr)
    return {each for each in names if not each.startswith("_")}


def public_modules() -> Iterator[str]:
    """Name the modules of the package that users import."""
    yield ROOT
    package = importlib.import_module(ROOT)
    for each in pkgutil.walk_packages(package.__path__, f"{ROOT}."):
        parts = each.name.split(".")
        private = any(part.startswith("_") for part in parts)
        if not private or each.name in _PRIVATE_NAMES:
            yield each.name


def members(module: ModuleType) -> Iterator[str]:
    """Name what a module offers: what the package defines, and its constants."""
    for name, value in vars(module).items():
        path = f"{module.__name__}.{name}"
        if name.startswith("_") and path not in _PRIVATE_NAMES:
            continue
        if isinstance(value, ModuleType):
            if value.__name__ == path:
                yield name
            continue
        defined_in = (
            getattr(value, "__module__", None)
            if callable(value) or isinstance(value, type)
            else None
        )
        if isinstance(value, typing.TypeVar) or defined_in == "typing":
            continue
        if defined_in is not None and not defined_in.startswith(ROOT):
            if type(value).__module__.startswith(ROOT):
                yield name
            continue
        if defined_in is not None and "_C" in defined_in.split("."):
            continue
        if type(value).__module__.partition(".")[0] in ("typing", "__future__", "types", "re"):
            continue
        yield name


def class_members(cls: type) -> Iterator[str]:
    """Name the public methods and attributes of a class."""
    names: dict[str, None] = {}
    names |= dict.fromkeys(each for each in vars(cls) if not each.startswith("_"))
    names |= dict.fromkeys(sorted(instance_attributes(cls)))
    yield from names


def triton_surface() -> dict[str, Entry]:
    """Describe every public name of the installed package."""
    entries: dict[str, Entry] = {}
    for module_name in public_modules():
        try:
            module = importlib.import_module(module_name)
        except Exception as error:
            entries[module_name] = {"kind": "module", "error": f"{type(error).__name__}: {error}"}
            continue
        entries[module_name] = {"kind": "module"}
        for name in members(module):
            path, value = f"{module_name}.{name}", getattr(module, name)
            entries[path] = describe(value, name, module)
            if isinstance(value, type) and value.__module__ == module_name:
                entries |= dict(_class_entries(path, value))
    return entries


def _class_entries(path: str, cls: type) -> Iterator[tuple[str, Entry]]:
    for member in class_members(cls):
        inner = getattr(cls, member, None)
        is_there = inspect.getattr_static(cls, member, None) is not None
        yield (
            f"{path}.{member}",
            describe(inner, member, cls) if is_there else {"kind": "attribute"},
        )


def weft_surface(paths: list[str]) -> dict[str, Entry | None]:
    """Describe the same paths as weft has them; None for one that is missing."""
    from weft.compat.as_triton import as_triton

    with as_triton():
        return {path: _look_up(path) for path in paths}


def _look_up(path: str) -> Entry | None:
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            obj: Any = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        owner, name = obj, parts[count - 1]
        for index, name in enumerate(parts[count:]):
            owner = obj
            try:
                obj = getattr(obj, name)
            except Exception as error:
                if isinstance(hint := getattr(error, "hint", None), str) and "no " in str(error):
                    return {"kind": "unsupported", "hint": hint}
                is_last = count + index == len(parts) - 1
                if (
                    is_last
                    and isinstance(owner, type)
                    and name in instance_attributes(owner, inherited=True)
                ):
                    return {"kind": "attribute"}
                return None
        return describe(obj, name, owner)
    return None


def main() -> None:
    """Print the description of one of the two packages."""
    if "--weft" in sys.argv:
        surface: object = weft_surface(json.load(sys.stdin))
    else:
        surface = triton_surface()
    json.dump(surface, sys.stdout)


if __name__ == "__main__":
    main()
