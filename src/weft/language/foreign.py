"""Triton's own objects met in a kernel, and what they are here.

A kernel written for Triton mentions `triton.language.load` and its like. They are recognised by
module and name, never by importing Triton:

    triton.language.math.exp        →  weft.language.math.exp
    triton.language.core.float32    →  weft.language.float32
    triton.language.core.constexpr(3) → constexpr(3)
    triton.cdiv                     →  a ConstexprFunction
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from weft.language.compound_types import block_type, pointer_type
from weft.language.constexpr import ConstexprFunction, constexpr
from weft.language.dtypes import dtype
from weft.language.naming import unknown
from weft.language.propagation import PropagateNan

_ROOT = "triton.language"
_HERE = "weft.language"
# modules of triton.language that are only where the names of `tl` are written
_FLATTENED = ("core", "standard", "random", "semantic")


def is_foreign(obj: object) -> bool:
    """Tell whether `obj` is a module of Triton, or of a class or function defined in one."""
    name = obj.__name__ if isinstance(obj, ModuleType) else _module_of(obj)
    return name == "triton" or name.startswith("triton.")


def resolve(obj: object) -> Any:
    """Return what an object of Triton is here, or None for one that has no counterpart.

    Args: obj: a module, function, type or value that Triton defines.
    Raises: UnknownNameError for a function of triton.language that is not declared here.
    """
    if not is_foreign(obj):
        return None
    if isinstance(obj, ModuleType):
        return _module(obj.__name__)
    if isinstance(obj, type) and obj.__name__ == "PROPAGATE_NAN":
        return PropagateNan
    kind = type(obj)
    if _module_of(kind).startswith("triton"):
        return _instance(obj, kind.__name__)
    return _named(_module_of(obj), getattr(obj, "__name__", ""))


def original(module: ModuleType) -> ModuleType | None:
    """Return the module of Triton's that one of ours stands for, None where nobody imported it."""
    name = module.__name__
    if name != _HERE and not name.startswith(f"{_HERE}."):
        return None
    return sys.modules.get(_ROOT + name.removeprefix(_HERE))


def _module_of(obj: object) -> str:
    name = getattr(obj, "__module__", None)
    if isinstance(name, str) and not _is_instance_of_triton(obj):
        return name
    return type(obj).__module__ if _is_instance_of_triton(obj) else ""


def _is_instance_of_triton(obj: object) -> bool:
    module = type(obj).__module__
    return module == "triton" or module.startswith("triton.")


def _module(name: str) -> ModuleType | None:
    if name == "triton":
        return importlib.import_module(f"{_HERE}.host")
    if name != _ROOT and not name.startswith(f"{_ROOT}."):
        return None
    parts = [part for part in name.split(".")[2:] if part not in ("core", "standard")]
    return importlib.import_module(".".join([_HERE, *parts]))


def _instance(obj: Any, kind: str) -> Any:
    if kind == "constexpr":
        inner = obj.value
        return constexpr(resolve(inner) if is_foreign(inner) else inner)
    if kind == "dtype":
        return dtype(obj.name)
    if kind == "pointer_type":
        return pointer_type(resolve(obj.element_ty), obj.address_space, obj.const)
    if kind == "block_type":
        return block_type(resolve(obj.element_ty), [int(extent) for extent in obj.shape])
    if kind == "PROPAGATE_NAN":
        return PropagateNan(int(obj))
    function = getattr(obj, "fn", None)
    if function is not None:
        return _function(obj, function, kind)
    return None


def _function(obj: Any, function: Any, kind: str) -> Any:
    """Return ours for a JITFunction or ConstexprFunction that Triton's own library defines.

    What is private to that library is compiled from its source, as a user's function is: packages
    import `_log2` and its like.
    """
    module = getattr(function, "__module__", "")
    if module in ("triton", _ROOT) or module.startswith(f"{_ROOT}."):
        name = function.__name__
        if not name.startswith("_") or _declared(module, name) is not None:
            return _named(module, name)
    return ConstexprFunction(function) if kind == "ConstexprFunction" else None


def _named(module: str, name: str) -> Any:
    if module == "triton" or not module.startswith(_ROOT):
        host = importlib.import_module(f"{_HERE}.host")
        return getattr(host, name, None)
    found = _declared(module, name)
    if found is None:
        parts = _parts(module)
        place = importlib.import_module(".".join([_HERE, *parts]))
        raise unknown(".".join(["tl", *parts]), name, dir(place))
    return found


def _declared(module: str, name: str) -> Any:
    """Return what a module of triton.language calls by a name here, None for nothing."""
    place = importlib.import_module(".".join([_HERE, *_parts(module)]))
    found = getattr(place, name, None)
    return getattr(importlib.import_module(_HERE), name, None) if found is None else found


def _parts(module: str) -> list[str]:
    return [part for part in module.split(".")[2:] if part not in _FLATTENED]
