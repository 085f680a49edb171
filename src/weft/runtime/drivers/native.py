"""Launches that were seen before, made by machine code: see launch.ll for what it does.

    native = Native(state of a kernel's launches)
    native.add(plan)                # one for each form of launch that was made in full
    native.function(grid, x, y, n)  # what kernel[grid] calls

The code is compiled once per process, in a thread of its own while the first kernels are launched
in Python; whoever waits for it is told (`when_ready`). It reads objects of CPython as its stable
ABI lays them out: other Pythons, and those without a global lock, launch in Python.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from weft import knobs

__all__ = ["MOST_ARGUMENTS", "Native", "Plan", "Value", "when_ready"]

MOST_ARGUMENTS, MOST_WORDS = 64, 256
_MOST_PLANS = 16
_ENTRY = "weft_launch"
_FAST_WITH_KEYWORDS = 0x0080 | 0x0002  # METH_FASTCALL | METH_KEYWORDS
_API = (
    "PyList_Size", "PyTuple_Size", "PyTuple_GetItem", "PyLong_AsVoidPtr", "PyLong_AsLong",
    "PyLong_AsLongLongAndOverflow", "PyLong_AsUnsignedLongLong", "PyFloat_AsDouble",
    "PyObject_GetAttr", "PyObject_VectorcallMethod", "PyObject_Vectorcall",
    "PyObject_RichCompareBool", "PyBytes_AsStringAndSize", "PyDict_GetItem", "PyDict_Copy",
    "PyDict_SetItem", "PyCallable_Check", "PyErr_Occurred", "PyErr_Clear", "PyEval_SaveThread",
    "PyEval_RestoreThread", "Py_IncRef", "Py_DecRef",
)  # fmt: skip
CONSTANT, TENSOR, INTEGER, SINGLE, DOUBLE, FLAG, ASKED, TUPLE = range(8)


@dataclass(frozen=True, slots=True)
class Value:
    """One argument of a launch: what another launch must give in its place.

    Args: name: of the parameter or option.  kind: CONSTANT …  slot: the word in which its
          arguments begin.  what: the constant, a tensor's element type, the values of a tuple's
          items, or the function that gives the bytes of any other argument, None where it does not
          fit.
          flag: of a constant, whether an equal int is the same; of a number or address, whether it
          is a multiple of 16, 2 if that does not matter.  low, high: bounds of a number; how many
          bytes the function gives, or items the tuple has.
    """

    name: str
    kind: int
    slot: int = 0
    what: object = None
    flag: int = 0
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A form of launch.

    Args: positional: how many arguments have no name.  names: of those that have.
          values: of all, in the order of a call.  device, handle, program: the GPU, the kernel's
          handle there, and what a launch returns.  threads, shared, clusters, attributes: how the
          kernel is launched.  captured: (dictionary, name, value) of what it takes from outside.
          named: all arguments and options by name, for a grid that asks.
          words: in which each of the kernel's arguments begins.  first: the bytes of all, for those
          that a call does not give.
    """

    positional: int
    names: tuple[str, ...]
    values: tuple[Value, ...]
    device: int
    handle: int
    program: object
    threads: int
    shared: int
    clusters: int
    attributes: bytes
    captured: tuple[tuple[dict[str, Any], str, object], ...]
    named: dict[str, Any]
    words: tuple[int, ...]
    first: bytes


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_made = ctypes.pythonapi.PyCFunction_NewEx
_made.restype = ctypes.py_object
_made.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]


class Native:
    """The machine code's side of a kernel's launches.

    Args: code: address of the entry.  name: of the kernel.  fallback: launches in Python.
          torch: the module.  get_device, get_stream: ask for the current GPU, and its stream.
          hooks: lists of functions; while one has any, launches go to the fallback.
          launch: the driver's function.
    """

    def __init__(
        self,
        code: int,
        name: str,
        fallback: Callable[..., Any],
        torch: Any,
        get_device: Callable[[], int],
        get_stream: Callable[[int], int],
        hooks: Sequence[list[Any]],
        launch: Any,
    ) -> None:
        words = ("data_ptr", "dtype", "get_device")
        objects = (
            fallback, *map(sys.intern, words), torch.Tensor, torch.nn.Parameter, get_device,
            get_stream, *hooks, int, float, tuple, dict, True, False,
        )  # fmt: skip
        self._kept: list[object] = [objects, launch]
        self._table = (ctypes.c_void_p * _MOST_PLANS)()
        address = ctypes.cast(launch, ctypes.c_void_p).value or 0
        table = ctypes.addressof(self._table)
        self._state = _words([0, table, *map(id, objects), address])
        method = _Method(name.encode(), code, _FAST_WITH_KEYWORDS, None)
        self._kept.append(method)
        # The function owns all this by way of what it is bound to.
        bound = (ctypes.addressof(self._state), self)
        self.function: Callable[..., Any] = _made(ctypes.addressof(method), bound, None)

    def add(self, plan: Plan) -> None:
        """Recognise launches of one more form; of the sixteenth and further ones Python does."""
        count = self._state[0]
        if count == _MOST_PLANS or len(plan.words) > MOST_ARGUMENTS:
            return
        if len(plan.first) > 8 * MOST_WORDS:
            return
        self._table[count] = self._written(plan)
        self._state[0] = count + 1

    def _written(self, plan: Plan) -> int:
        """Lay a plan out; return its address."""
        attributes = ctypes.create_string_buffer(plan.attributes, max(1, len(plan.attributes)))
        values = self._laid_out(plan.values)
        captured = _words(id(each) for name in plan.captured for each in name)
        first = ctypes.create_string_buffer(plan.first, max(1, len(plan.first)))
        offsets = _words(plan.words)
        names_given, device = (plan.names or None), plan.device
        words = _words(
            [
                plan.positional,
                id(names_given) if names_given else 0,
                len(plan.values),
                device,
                id(device),
                plan.handle,
                id(plan.program),
                plan.threads,
                plan.shared,
                plan.clusters,
                ctypes.addressof(attributes) if plan.attributes else 0,
                len(plan.attributes) // 72,
                len(plan.captured),
                ctypes.addressof(captured),
                id(plan.named),
                len(plan.words),
                ctypes.addressof(first),
                ctypes.addressof(values),
                ctypes.addressof(offsets),
                len(plan.first),
            ]
        )
        self._kept.append((plan, attributes, values, captured, first, names_given, device))
        self._kept += words, offsets
        return ctypes.addressof(words)

    def _laid_out(self, values: Sequence[Value]) -> Any:
        """Return the memory of some values; it lives as long as this does."""
        words: list[int] = []
        for value in values:
            name, what = sys.intern(value.name), id(value.what)
            if value.kind == TUPLE:
                items: Any = value.what
                what = ctypes.addressof(self._laid_out(items))
            self._kept.append(name)
            words += value.kind, value.slot, what, value.flag, value.low, value.high, id(name)
        memory = _words(words)
        self._kept.append(memory)
        return memory


def _words(values: Any) -> Any:
    """Return memory of 8 bytes for each value."""
    given = list(values)
    memory = (ctypes.c_int64 * max(1, len(given)))()
    for n, value in enumerate(given):
        memory[n] = value - (1 << 64) if value >= 1 << 63 else value
    return memory


_waiting: list[Callable[[int], None]] = []
_lock = threading.Lock()
_code: dict[str, Any] = {}


def when_ready(use: Callable[[int], None]) -> None:
    """Call `use` with the address of the entry once it is compiled; never, where it cannot be."""
    if not _is_supported() or not knobs.runtime.native_launch or "lost" in _code:
        return
    with _lock:
        address = _code.get("address")
        if address is None:
            _waiting.append(use)
    if address is None:
        _compiling()
    else:
        use(address)


def _forked() -> None:
    """Give up what another thread was compiling in the process that this one was forked from."""
    global _lock
    _lock = threading.Lock()
    _waiting.clear()
    if "address" not in _code:
        _code["lost"] = True


os.register_at_fork(after_in_child=_forked)


@cache
def _compiling() -> threading.Thread:
    """Start to compile; the interpreter waits for the end of it before it ends itself."""
    thread = threading.Thread(target=_compile, name="weft-launch")
    thread.start()
    return thread


def _compile() -> None:
    from weft.codegen.host import compiled_here

    text = (files("weft.runtime.drivers") / "launch.ll").read_text(encoding="utf-8")
    made = compiled_here(
        text.replace("ROOM", str(MOST_ARGUMENTS)).replace("WORDS", str(MOST_WORDS)), _symbols()
    )
    # Never freed: a kernel may still be launched by what Python runs last.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made.engine))
    with _lock:
        _code["made"], _code["address"] = made, made.address(_ENTRY)
    while _waiting:
        _waiting.pop(0)(_code["address"])


def _symbols() -> Mapping[str, int]:
    return {
        name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
        for name in _API
    }


@cache
def _is_supported() -> bool:
    """Tell whether Python's objects lie in memory as the code reads them."""
    return (
        sys.implementation.name == "cpython"
        and struct.calcsize("P") == 8
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
        and not sysconfig.get_config_var("Py_TRACE_REFS")
        and all(hasattr(ctypes.pythonapi, name) for name in _API)
    )
