"""One call that starts a kernel: cuLaunchKernelEx on memory that is laid out beforehand.

    bytes 0 … 55     CUlaunchConfig: grid, block, shared memory, stream, launch attributes
    bytes 64 …       the arguments, each aligned as its type wants
    then             the addresses of the arguments, the launch attributes

`struct` fills in the configuration and the arguments in one go, and ctypes passes four addresses:
that is a third of what cuLaunchKernel with its eleven arguments takes. Each thread has such memory
of its own, since the call gives up Python's lock; the driver copies it before it returns.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from weft.launch.argument_packing import Write, fitting

__all__ = ["LaunchSettings", "Place", "Starter", "launch_function", "starter"]

Starter = Callable[..., None]
"""Takes the grid's x, y and z, the stream, and the arguments."""
Place = tuple[int, Write | None]
"""A value that a launch is given, by its number, and what becomes of it; None: one argument."""

_ALIGNMENT = 64
_CONFIG = "7I4xPPI4x8x"
_ATTRIBUTE_BYTES = 72  # CUlaunchAttribute: an id in 8 bytes, and 64 for its value
# CUlaunchAttributeID of cuda.h.
_COOPERATIVE, _CLUSTER, _CLUSTER_SCHEDULING, _PROGRAMMATIC = 2, 4, 5, 6
_SPREAD = 1  # CU_CLUSTER_SCHEDULING_POLICY_SPREAD
# What a thread without a context, or with that of another GPU, is told.
_WRONG_CONTEXT = (201, 400, 709)


@dataclass(frozen=True, slots=True)
class LaunchSettings:
    """How a kernel is launched, whatever its arguments.

    threads: of a block.  shared_bytes: dynamic shared memory.  num_ctas: blocks of a cluster.
    cooperative: all blocks at once.  dependent: it may start before the launch ahead of it ends.
    """

    threads: int
    shared_bytes: int
    num_ctas: int = 1
    cooperative: bool = False
    dependent: bool = False

    def attributes(self) -> list[bytes]:
        """Return the launch attributes, as the driver reads them."""
        found: list[tuple[int, tuple[int, ...]]] = []
        if self.cooperative:
            found.append((_COOPERATIVE, (1,)))
        if self.dependent:
            found.append((_PROGRAMMATIC, (1,)))
        if self.num_ctas > 1:
            found.append((_CLUSTER, (self.num_ctas, 1, 1)))
            found.append((_CLUSTER_SCHEDULING, (_SPREAD,)))
        return [
            struct.pack(f"I4x{len(value)}i", number, *value).ljust(_ATTRIBUTE_BYTES, b"\0")
            for number, value in found
        ]


class _Memory:
    """What one thread passes to the driver for one kernel.

    view: its bytes.  config, parameters: their addresses, as the call takes them.
    attributes: the address of the launch attributes, 0 for none.
    """

    __slots__ = ("attributes", "config", "kept", "parameters", "view")

    def __init__(self, layout: struct.Struct, offsets: Sequence[int], attributes: bytes) -> None:
        pointers = -(-layout.size // 8) * 8
        end = pointers + 8 * max(1, len(offsets))
        self.kept = ctypes.create_string_buffer(end + len(attributes) + _ALIGNMENT)
        start = -ctypes.addressof(self.kept) % _ALIGNMENT
        base = ctypes.addressof(self.kept) + start
        self.view = memoryview(self.kept).cast("B")[start:]
        self.view[end : end + len(attributes)] = attributes
        for n, offset in enumerate(offsets):
            struct.pack_into("P", self.view, pointers + 8 * n, base + offset)
        self.config = ctypes.c_void_p(base)
        self.parameters = ctypes.c_void_p(base + pointers)
        self.attributes = base + end if attributes else 0


# What a launch does, for arguments {given} of which {packed} are passed on. It is written out for
# each kernel, since a call within it, or a loop over the arguments, would take as long as the rest.
_SOURCE = """
def launch(x, y, z, stream, {given}):
    try:
        view, where, config, parameters, _ = local.ready
    except AttributeError:
        view, where, config, parameters, _ = prepare()
    try:
        pack(view, 0, {grid}, {threads}, 1, 1, {shared}, stream, where, {count}, {packed})
    except OverflowError:
        fitted = fit(({packed}))
        pack(view, 0, {grid}, {threads}, 1, 1, {shared}, stream, where, {count}, *fitted)
    code = call(config, kernel, parameters, None)
    if code:
        refused(code, config, parameters)
"""


def starter(
    handle: int,
    settings: LaunchSettings,
    formats: Sequence[str],
    refused: Callable[[int], None],
    enter_context: Callable[[], None],
    places: Sequence[Place] | None = None,
    count: int = 0,
) -> Starter:
    """Return what starts a kernel: a function of the grid, the stream and the arguments.

    Args: handle: of the kernel.  formats: of its arguments, as `struct` writes them.
          refused: raises the error for a code of the driver.
          enter_context: makes the GPU's context the calling thread's.
          places: which of the `count` values that a launch is given become arguments; None: all.
    """
    layout = struct.Struct(_CONFIG + "".join(formats))
    offsets = [
        struct.calcsize(_CONFIG + "".join(formats[:n]) + f"0{formats[n][-1]}")
        for n in range(len(formats))
    ]
    attributes = settings.attributes()
    local, kernel = threading.local(), ctypes.c_void_p(handle)
    call = launch_function()

    def prepare() -> tuple[Any, ...]:
        memory = _Memory(layout, offsets, b"".join(attributes))
        local.ready = (memory.view, memory.attributes, memory.config, memory.parameters, memory)
        return local.ready

    def again(code: int, config: Any, parameters: Any) -> None:
        if code in _WRONG_CONTEXT:
            enter_context()
            code = call(config, kernel, parameters, None)
        if code:
            refused(code)

    taken = [(n, None) for n in range(len(formats))] if places is None else places
    scope: dict[str, Any] = {
        "local": local,
        "prepare": prepare,
        "pack": layout.pack_into,
        "fit": functools.partial(fitting, formats),
        "call": call,
        "kernel": kernel,
        "refused": again,
        **{f"write{n}": write for n, write in taken if write is not None},
    }
    source = _SOURCE.format(
        given="".join(f"v{n}, " for n in range(len(formats) if places is None else count)),
        packed="".join(f"v{n}, " if write is None else f"*write{n}(v{n}), " for n, write in taken),
        grid="x, y, z" if settings.num_ctas == 1 else f"x * {settings.num_ctas}, y, z",
        threads=settings.threads,
        shared=settings.shared_bytes,
        count=len(attributes),
    )
    exec(source, scope)
    return scope["launch"]


@cache
def launch_function() -> Any:
    """Return cuLaunchKernelEx of the loaded driver."""
    function = ctypes.CDLL("libcuda.so.1").cuLaunchKernelEx
    function.restype = ctypes.c_int
    return function
