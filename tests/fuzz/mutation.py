"""Text mutations. Each edit is data, so that hypothesis can shrink and print a failing one.

spoil("%0 = arith.addi %x, %y : i32", [Edit("swap", 2, 5)])
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

TOKEN = re.compile(r"\s+|//[^\n]*|\"[^\"\n]*\"|[%#!^@]?[\w$.-]+|->|.", re.DOTALL)
LONGEST = 20_000

_SINGLE = r"""
( ) { } [ ] < > , : = -> :: ? * + - | / " \ {-# #-} %0 %arg0 %0#1 %c0:2 ^bb0 ^bb1 @f #loc
#blocked #blocked1 #shared #smem #mma !tt.ptr<f32> tensor<8xf32> tensor<8x4x!tt.ptr<i8>>
i1 i32 i64 f16 bf16 f32 f8E4M3FN index none vector<2xf32> memref<2xf32> tuple<i32>
0 -1 1.5 1e400 -0.0 0x7FC00000 0xFFFFFFFFFFFFFFFFFF true false unit dense<0> dense<[1,2]>
loc(unknown) loc(#loc1) loc(callsite( loc(fused[ attributes to step iter_args else do
array<i32:1> array<i32> strided<[1]> affine_map<(d0)->(d0)> dense_resource<x> !tt.tensordesc<
arith.constant arith.addi tt.load tt.store tt.splat tt.reduce tt.func tt.return tt.dot
ttg.convert_layout ttg.local_alloc scf.for scf.if scf.yield cf.br cf.cond_br #ttg.shared_memory
"tt.reduce" "builtin.module" "arith.addi" "\FF" "\" //
"""
WORDS = (
    *_SINGLE.split(),
    "\n",
    "\x00",
    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
    "#ttg.slice<{dim = 0, parent = #blocked}>",
    "#ttg.dot_op<{opIdx = 0, parent = #mma}>",
    "#ttg.linear<{register = [], lane = [[1]], warp = [], block = []}>",
    "!ttg.memdesc<8xf32, #shared, #smem>",
    "#blocked = #blocked",
    "#loc = loc(#loc)",
)
STRANGE = ("é", "😀", "\u200b", "\u2028", "\ufeff", "٣", "\x0b", "\x85", "ſ", "²", "\ud800")
OPENERS = (
    "(", "[", "{", "<", "tensor<", "!tt.ptr<", "dense<[", "loc(callsite(", "loc(fused[",
    "loc(\"a\"(", "module {\n", "array<", "#ttg.slice<{dim = 0, parent = ", "{a = ", "[[",
    "scf.if %0 {\n", '"tt.reduce"(%0) ({\n', "() -> ", "tuple<", "vector<",
)  # fmt: skip
KINDS = (
    "delete", "insert", "swap", "replace", "repeat", "cut", "strange", "number", "nest", "splice",
    "letter",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: where, and two numbers whose meaning the kind gives."""

    kind: str
    at: int
    with_: int = 0


def spoil(text: str, edits: Sequence[Edit], others: Sequence[str] = ()) -> str:
    """Return a text after edits, never longer than LONGEST. Args: others: texts to splice in."""
    for edit in edits:
        tokens = TOKEN.findall(text)
        if tokens:
            at = edit.at % len(tokens)
            text = "".join(_apply(tokens, edit.kind, at, edit.with_, others))[:LONGEST]
    return text


def _apply(tokens: list[str], kind: str, at: int, n: int, others: Sequence[str]) -> list[str]:
    before, token, after = tokens[:at], tokens[at], tokens[at + 1 :]
    if kind == "delete":
        return before + after[n % 8 :]
    if kind == "insert":
        return [*before, token, " ", WORDS[n % len(WORDS)], " ", *after]
    if kind == "swap":
        other = n % len(tokens)
        swapped = list(tokens)
        swapped[at], swapped[other] = swapped[other], swapped[at]
        return swapped
    if kind == "replace":
        known = n % (len(WORDS) + len(tokens))
        return [*before, WORDS[known] if known < len(WORDS) else tokens[known - len(WORDS)], *after]
    if kind == "repeat":
        return [*before, *tokens[at : at + 1 + n % 30] * 2, *after[n % 30 :]]
    if kind == "cut":
        return [*before, token[: n % (len(token) + 1)]]
    if kind == "strange":
        place = n % (len(token) + 1)
        return [*before, token[:place] + STRANGE[n % len(STRANGE)] + token[place:], *after]
    if kind == "number":
        return [*before, "9" * (1 + n % 5000) + ("", ".0", "e9", "x4xf32")[n % 4], *after]
    if kind == "nest":
        return [*before, OPENERS[n % len(OPENERS)] * (1 + n % 1500), token, *after]
    if kind == "splice" and others:
        piece = TOKEN.findall(others[n % len(others)])
        return [*before, *piece[n % len(piece) :][: n % 60], *after]
    place = n % (len(token) + 1)
    return [*before, token[:place] + chr(32 + n % 95) + token[place + 1 :], *after]


def random_edits(random: Random) -> list[Edit]:
    """Return one to four edits, few more often than many."""
    count = random.choice((1, 1, 1, 2, 2, 3, 4))
    return [
        Edit(random.choice(KINDS), random.randrange(1 << 16), random.randrange(1 << 16))
        for _ in range(count)
    ]
