"""Ask Triton thousands of questions in forked processes.

Triton aborts the process on an illegal layout. A forked child writes one answer after the other; if
it aborts, that question has the answer "ended", and another child continues with the next one.
"""

from __future__ import annotations

import faulthandler
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tests.layouts import oracle
from weft.layouts import (
    AmdRotatingSharedEncoding,
    Encoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)

__all__ = ["ENDED", "answers", "bases"]

Question = TypeVar("Question")
ENDED = "ended"


def answers(questions: Sequence[Question], ask: Callable[[Question], Any]) -> list[Any]:
    """Compute `ask` of each question, as JSON represents it.

    Returns:
        The answers: ENDED where the process aborted, "error: …" where Python raised.
    """
    oracle.builder()
    results: list[Any] = []
    while len(results) < len(questions):
        results += _ask_in_child(questions[len(results) :], ask)
        if len(results) < len(questions):
            results.append(ENDED)
    return results


def _ask_in_child(questions: Sequence[Question], ask: Callable[[Question], Any]) -> list[Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        faulthandler.disable()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(writing, "w") as stream:
            for question in questions:
                stream.write(_answer(question, ask) + "\n")
                stream.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        lines = stream.read().split("\n")
    os.waitpid(child, 0)
    return [json.loads(line) for line in lines if line]


def _answer(question: Question, ask: Callable[[Question], Any]) -> str:
    try:
        return json.dumps(ask(question))
    except Exception as error:  # the child must go on
        return json.dumps(f"error: {type(error).__name__}: {error}")


def bases(question: tuple[Encoding, tuple[int, ...]]) -> dict[str, list[list[int]]]:
    """Return the basis vectors that Triton gives an encoding on a shape."""
    encoding, shape = question
    if isinstance(encoding, AmdRotatingSharedEncoding):
        return _reshaped(encoding, shape)
    if isinstance(encoding, PaddedSharedEncoding):
        value = oracle.value_with(encoding, shape, shared=True)
        layout = oracle.builder().get_gluon_layout_from_memdesc(value)
        return {
            "offset": [list(v) for v in layout.offset_bases],
            "block": [list(v) for v in layout.cga_layout],
        }
    if encoding.family == "distributed":
        return oracle.linear(encoding, shape)
    return oracle.gluon_bases(_gluon(encoding, shape), shape)


def _gluon(encoding: Encoding, shape: tuple[int, ...]) -> Any:
    """Return Gluon's object of an encoding of shared or tensor memory."""
    from triton.experimental.gluon.language import _layouts
    from triton.experimental.gluon.language.nvidia import blackwell

    if isinstance(encoding, NvmmaSharedEncoding):
        return _layouts.NVMMASharedLayout(
            encoding.swizzling_byte_width,
            encoding.element_bit_width,
            encoding.rank,
            encoding.transposed,
            encoding.fp4_padded,
            cga_layout=[list(v) for v in encoding.cga_layout],
        )
    if isinstance(encoding, TensorMemoryEncoding):
        return blackwell.TensorMemoryLayout(
            (encoding.block_m, encoding.block_n),
            encoding.col_stride,
            (encoding.cta_split_m, encoding.cta_split_n),
            encoding.two_ctas,
        )
    if isinstance(encoding, TensorMemoryScalesEncoding):
        return blackwell.TensorMemoryScalesLayout((encoding.cta_split_m, encoding.cta_split_n))
    value = oracle.value_with(encoding, shape, shared=True)
    return oracle.builder().get_gluon_layout_from_memdesc(value)


def _reshaped(encoding: Encoding, shape: tuple[int, ...]) -> dict[str, list[list[int]]]:
    """Compute the bases through a reshape, whose result Triton represents by its bases."""
    value = oracle.value_with(encoding, shape, shared=True)
    reshaped = oracle.builder().create_memdesc_reshape(value, [1, *shape])
    layout = oracle.builder().get_gluon_layout_from_memdesc(reshaped)
    return {
        "offset": [list(v)[1:] for v in layout.offset_bases],
        "block": [list(v)[1:] for v in layout.block_bases],
    }
