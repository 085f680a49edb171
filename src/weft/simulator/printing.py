"""Printing from kernels, and device assertions.

vprintf(@text.0, %buffer)        a line per thread, its values from the struct in the buffer
__assertfail(@text.1, …)         the run ends with the message
__ockl_printf_begin(0), …        AMD's message, assembled piece by piece
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Operand
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []

_CONVERSION = re.compile(r"%%|%(\d*)(ll)?([uixpf])")


def _format(text: str, values: Sequence[np.ndarray], thread: int) -> str:
    """Fill the values of a thread into a C format."""
    arrays = iter(values)

    def convert(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        array = next(arrays)
        value = array[thread if array.shape[0] > 1 else 0]
        width, _, conversion = match.groups()
        if conversion == "f":
            return f"{value:f}"
        number = int(value)
        if conversion != "i":
            number &= (1 << 8 * value.dtype.itemsize) - 1
        if conversion == "p":
            return f"{number:#x}"
        return f"{number:{width}{'x' if conversion == 'x' else 'd'}}"

    return _CONVERSION.sub(convert, text)


def _print(block: Block, text: str, values: Sequence[np.ndarray]) -> None:
    for thread in np.flatnonzero(block.active):
        block.launch.output.append(_format(text, values, int(thread)))


@intrinsic("vprintf")
def _vprintf(call: Call) -> Step:
    text, buffer = call.arguments
    assert isinstance(text, str)
    assert isinstance(buffer, str)

    def step(block: Block) -> None:
        _print(block, block.launch.strings[text], block.get_members(buffer))
        block.set(call.result, np.zeros(1, np.int32))

    return step


@intrinsic("__ockl_(printf_begin|fprintf_stderr_begin)")
def _begin_message(call: Call) -> Step:
    """Compile the start of a message; its number is the result."""

    def step(block: Block) -> None:
        block.messages.append([])
        block.set(call.result, np.full(1, len(block.messages) - 1))

    return step


@intrinsic("__ockl_printf_append_string_n")
def _append_string(call: Call) -> Step:
    message, text, size, is_last = call.arguments
    assert isinstance(text, str)

    def step(block: Block) -> None:
        string = block.launch.strings[text]
        assert len(string.encode()) + 1 == int(block.get(size)[0]), "wrong length of a string"
        _append(block, call.result, message, [string], is_last=bool(block.get(is_last)[0]))

    return step


@intrinsic("__ockl_printf_append_args")
def _append_arguments(call: Call) -> Step:
    message, count, *words, is_last = call.arguments

    def step(block: Block) -> None:
        values = [block.get(word) for word in words[: int(block.get(count)[0])]]
        _append(block, call.result, message, values, is_last=bool(block.get(is_last)[0]))

    return step


def _append(
    block: Block,
    result: str,
    message: Operand,
    pieces: Sequence[str | np.ndarray],
    *,
    is_last: bool,
) -> None:
    """Append to a message, and print it for each thread if it is complete."""
    number = int(block.per_thread(message)[block.active][0])
    block.messages[number] += pieces
    block.set(result, np.full(1, number))
    if not is_last:
        return
    text, *words = block.messages[number]
    assert isinstance(text, str)
    conversions = [match for match in _CONVERSION.finditer(text) if match[3]]
    values = [
        _from_word(word, match[3], is_long=bool(match[2]))
        for word, match in zip(cast("list[np.ndarray]", words), conversions, strict=True)
    ]
    _print(block, text, values)


def _from_word(word: np.ndarray, conversion: str, *, is_long: bool) -> np.ndarray:
    """Convert a 64-bit word to the type of a conversion."""
    if conversion == "f":
        return np.ascontiguousarray(word).view(np.float64)
    return word if is_long or conversion == "p" else word.astype(np.int32)


@intrinsic("__assertfail")
def _assert_fail(call: Call) -> Step:
    message, file, line, *_ = call.arguments
    assert isinstance(message, str)
    assert isinstance(file, str)

    def step(block: Block) -> None:
        strings = block.launch.strings
        location = f"{strings[file]}:{int(block.get(line)[0])}"
        raise CodegenError(
            f"{location}: device assertion failed: {strings[message]}",
            found=f"thread {int(np.flatnonzero(block.active)[0])} of the block {block.program}",
        )

    return step


@intrinsic(r"llvm\.trap")
def _trap(call: Call) -> Step:
    def step(block: Block) -> None:
        thread = int(np.flatnonzero(block.active)[0])
        last_line = "".join(f": {line.strip()}" for line in block.launch.output[-1:])
        raise CodegenError(
            f"the kernel executes a trap{last_line}",
            found=f"thread {thread} of the block {block.program}",
        )

    return step
