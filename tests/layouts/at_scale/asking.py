"""Triton's answers to thousands of questions.

Triton ends its process over what it takes for impossible. So questions are asked in a forked child
that writes one answer after the other; when it ends early, the question it ended over has the
answer "ended", and another child goes on behind it.
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
    """Return for each question what `ask` returns, as JSON keeps it.

    Returns: ENDED where the process ended, "error: …" where Python raised.
    """
    oracle.builder()
    found: list[Any] = []
    while len(found) < len(questions):
        before = len(found)
        found += _one_child(questions[before:], ask)
        if len(found) < len(questions):
            found.append(ENDED)
    return found


def _one_child(questions: Sequence[Question], ask: Callable[[Question], Any]) -> list[Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        faulthandler.disable()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(writing, "w") as stream:
            for question in questions:
                stream.write(_answered(question, ask) + "\n")
                stream.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        lines = stream.read().split("\n")
    os.waitpid(child, 0)
    return [json.loads(line) for line in lines if line]


def _answered(question: Question, ask: Callable[[Question], Any]) -> str:
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
        found = oracle.builder().get_gluon_layout_from_memdesc(value)
        return {
            "offset": [list(v) for v in found.offset_bases],
            "block": [list(v) for v in found.cga_layout],
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
    """Return the bases by way of a reshape, which makes Triton spell a layout out."""
    value = oracle.value_with(encoding, shape, shared=True)
    made = oracle.builder().create_memdesc_reshape(value, [1, *shape])
    found = oracle.builder().get_gluon_layout_from_memdesc(made)
    return {
        "offset": [list(v)[1:] for v in found.offset_bases],
        "block": [list(v)[1:] for v in found.block_bases],
    }
