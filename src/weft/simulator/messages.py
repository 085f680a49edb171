"""What kernels print, and how they end when a requirement does not hold.

vprintf(@text.0, %buffer)        a line per thread, its values from the struct stored in the buffer
__assertfail(@text.1, …)         the run ends with the message
"""

from __future__ import annotations

import re

import numpy as np

from weft.errors import CodegenError
from weft.simulator.registry import Call, intrinsic
from weft.simulator.state import Block, Step

__all__: list[str] = []

_CONVERSION = re.compile(r"%(\d*)(ll)?([uixpf])")


def _filled(text: str, values: list[np.ndarray], thread: int) -> str:
    """Return a format of C's with the values of a thread."""
    rest = iter(values)

    def shown(found: re.Match[str]) -> str:
        array = next(rest)
        value = array[thread if array.shape[0] > 1 else 0]
        width, _, kind = found.groups()
        if kind == "f":
            return f"{value:f}"
        number = int(value)
        if kind != "i":
            number &= (1 << 8 * value.dtype.itemsize) - 1
        return f"{number:#x}" if kind == "p" else f"{number:{width}{'x' if kind == 'x' else 'd'}}"

    return _CONVERSION.sub(shown, text)


@intrinsic("vprintf")
def _vprintf(call: Call) -> Step:
    text, buffer = call.arguments
    assert isinstance(text, str)
    assert isinstance(buffer, str)

    def step(block: Block) -> None:
        values = list(block.members(buffer))
        for thread in np.flatnonzero(block.mask):
            block.printed.append(_filled(block.texts[text], values, int(thread)))
        block.set(call.result, np.zeros(1, np.int32))

    return step


@intrinsic("__assertfail")
def _assertfail(call: Call) -> Step:
    message, file, line, *_ = call.arguments
    assert isinstance(message, str)
    assert isinstance(file, str)

    def step(block: Block) -> None:
        where = f"{block.texts[file]}:{int(block.get(line)[0])}"
        raise CodegenError(
            f"{where}: device assertion failed: {block.texts[message]}",
            found=f"thread {int(np.flatnonzero(block.mask)[0])} of the block {block.place}",
        )

    return step


@intrinsic(r"llvm\.trap")
def _trap(call: Call) -> Step:
    def step(block: Block) -> None:
        thread = int(np.flatnonzero(block.mask)[0])
        raise CodegenError(
            "the kernel ends itself", found=f"thread {thread} of the block {block.place}"
        )

    return step
