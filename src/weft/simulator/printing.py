"""What kernels print, and how they end when a requirement does not hold.

vprintf(@text.0, %buffer)        a line per thread, its values from the struct stored in the buffer
__assertfail(@text.1, …)         the run ends with the message
__ockl_printf_begin(0), …        AMD's message, added to piece by piece until its last
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Operand, Step
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []

_CONVERSION = re.compile(r"%%|%(\d*)(ll)?([uixpf])")


def _filled(text: str, values: list[np.ndarray], thread: int) -> str:
    """Return a format of C's with the values of a thread."""
    rest = iter(values)

    def shown(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
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


@intrinsic("__ockl_(printf_begin|fprintf_stderr_begin)")
def _begin(call: Call) -> Step:
    """Give a message a number."""

    def step(block: Block) -> None:
        block.messages.append([])
        block.set(call.result, np.full(1, len(block.messages) - 1))

    return step


@intrinsic("__ockl_printf_append_string_n")
def _append_text(call: Call) -> Step:
    message, text, size, last = call.arguments
    assert isinstance(text, str)

    def step(block: Block) -> None:
        said = block.texts[text]
        assert len(said.encode()) + 1 == int(block.get(size)[0]), "text ends elsewhere"
        _add(block, call.result, message, [said], bool(block.get(last)[0]))

    return step


@intrinsic("__ockl_printf_append_args")
def _append_arguments(call: Call) -> Step:
    message, number, *words, last = call.arguments

    def step(block: Block) -> None:
        some = [block.get(word) for word in words[: int(block.get(number)[0])]]
        _add(block, call.result, message, some, bool(block.get(last)[0]))

    return step


def _add(
    block: Block, result: str, message: Operand, pieces: Sequence[str | np.ndarray], last: bool
) -> None:
    """Add to a message; print what it says, thread by thread, if that was the last."""
    number = int(np.broadcast_to(block.get(message), block.threads)[block.mask][0])
    block.messages[number] += pieces
    block.set(result, np.full(1, number))
    if not last:
        return
    text, *words = block.messages[number]
    assert isinstance(text, str)
    kinds = [found for found in _CONVERSION.finditer(text) if found[3]]
    values = [
        _from_word(word, kind[3], long=bool(kind[2]))
        for word, kind in zip(cast("list[np.ndarray]", words), kinds, strict=True)
    ]
    for thread in np.flatnonzero(block.mask):
        block.printed.append(_filled(text, values, int(thread)))


def _from_word(word: np.ndarray, kind: str, *, long: bool) -> np.ndarray:
    """Return what a conversion takes from 64 bits."""
    if kind == "f":
        return np.ascontiguousarray(word).view(np.float64)
    return word if long or kind == "p" else word.astype(np.int32)


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
        told = "".join(f": {line.strip()}" for line in block.printed[-1:])
        raise CodegenError(
            f"the kernel ends itself{told}", found=f"thread {thread} of the block {block.place}"
        )

    return step
