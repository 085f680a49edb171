"""The counterparts of Triton's objects in weft.

A kernel written for Triton refers to objects of `triton.language`. They are recognized by the names
of their module and class, without importing Triton:

    triton.language.math.exp            →  weft.language.math.exp
    triton.language.core.float32        →  weft.language.float32
    triton.language.core.constexpr(3)   →  constexpr(3)
    triton.cdiv                         →  a ConstexprFunction
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from weft.language.compound_types import block_type, pointer_type
from weft.language.constexpr import ConstexprFunction, constexpr
from weft.language.dtypes import dtype
from weft.language.propagate_nan import PropagateNan
from weft.language.unknown_names import unknown_name

_TRITON_LANGUAGE = "triton.language"
_WEFT_LANGUAGE = "weft.language"
# Modules of triton.language whose public names are also names of `tl`.
_FLATTENED = ("core", "standard", "random", "semantic")


def is_from_triton(obj: object) -> bool:
    """Check whether `obj` is a module of Triton, or of a class or function defined in one."""
    name = obj.__name__ if isinstance(obj, ModuleType) else _defining_module(obj)
    return name == "triton" or name.startswith("triton.")


def resolve(obj: object) -> Any:
    """Find weft's counterpart of an object of Triton.

    Args:
        obj: A module, function, type or value.

    Returns:
        The counterpart; None if `obj` is not Triton's or has none.

    Raises:
        UnknownNameError: `obj` is a function of triton.language that weft does not declare.
    """
    if not is_from_triton(obj):
        return None
    if isinstance(obj, ModuleType):
        return _weft_module(obj.__name__)
    if isinstance(obj, type) and obj.__name__ == "PROPAGATE_NAN":
        return PropagateNan
    cls = type(obj)
    if _defining_module(cls).startswith("triton"):
        return _convert_instance(obj, cls.__name__)
    return _lookup(_defining_module(obj), getattr(obj, "__name__", ""))


def triton_counterpart(module: ModuleType) -> ModuleType | None:
    """Find the module of Triton that a module of weft replaces; None if it is not imported."""
    name = module.__name__
    if name != _WEFT_LANGUAGE and not name.startswith(f"{_WEFT_LANGUAGE}."):
        return None
    return sys.modules.get(_TRITON_LANGUAGE + name.removeprefix(_WEFT_LANGUAGE))


def _defining_module(obj: object) -> str:
    """Return the module that defines a class or function, or the class of another object."""
    class_module = type(obj).__module__
    if class_module == "triton" or class_module.startswith("triton."):
        return class_module
    module = getattr(obj, "__module__", None)
    return module if isinstance(module, str) else ""


def _weft_module(triton_name: str) -> ModuleType | None:
    if triton_name == "triton":
        return importlib.import_module(f"{_WEFT_LANGUAGE}.triton_module")
    if triton_name != _TRITON_LANGUAGE and not triton_name.startswith(f"{_TRITON_LANGUAGE}."):
        return None
    parts = [part for part in triton_name.split(".")[2:] if part not in ("core", "standard")]
    return importlib.import_module(".".join([_WEFT_LANGUAGE, *parts]))


def _convert_instance(obj: Any, class_name: str) -> Any:
    """Convert an instance of a class of Triton; None if weft has no such class."""
    if class_name == "constexpr":
        value = obj.value
        return constexpr(resolve(value) if is_from_triton(value) else value)
    if class_name == "dtype":
        return dtype(obj.name)
    if class_name == "pointer_type":
        return pointer_type(resolve(obj.element_ty), obj.address_space, obj.const)
    if class_name == "block_type":
        return block_type(resolve(obj.element_ty), [int(extent) for extent in obj.shape])
    if class_name == "PROPAGATE_NAN":
        return PropagateNan(int(obj))
    function = getattr(obj, "fn", None)
    return None if function is None else _convert_function(function, class_name)


def _convert_function(function: Any, class_name: str) -> Any:
    """Find the counterpart of a JITFunction or ConstexprFunction from its Python function.

    A private function of Triton's library (`_log2`), which packages import all the same, has no
    counterpart: the front end compiles its source, as for a user's function.
    """
    module = getattr(function, "__module__", "")
    if module in ("triton", _TRITON_LANGUAGE) or module.startswith(f"{_TRITON_LANGUAGE}."):
        name = function.__name__
        if not name.startswith("_") or _find(module, name) is not None:
            return _lookup(module, name)
    return ConstexprFunction(function) if class_name == "ConstexprFunction" else None


def _lookup(module: str, name: str) -> Any:
    if module == "triton" or not module.startswith(_TRITON_LANGUAGE):
        host_names = importlib.import_module(f"{_WEFT_LANGUAGE}.triton_module")
        return getattr(host_names, name, None)
    counterpart = _find(module, name)
    if counterpart is None:
        parts = _path(module)
        weft_module = importlib.import_module(".".join([_WEFT_LANGUAGE, *parts]))
        raise unknown_name(".".join(["tl", *parts]), name, dir(weft_module))
    return counterpart


def _find(module: str, name: str) -> Any:
    """Find the counterpart of a name in weft's module or in `tl`; None if there is none."""
    weft_module = importlib.import_module(".".join([_WEFT_LANGUAGE, *_path(module)]))
    value = getattr(weft_module, name, None)
    return getattr(importlib.import_module(_WEFT_LANGUAGE), name, None) if value is None else value


def _path(module: str) -> list[str]:
    return [part for part in module.split(".")[2:] if part not in _FLATTENED]
