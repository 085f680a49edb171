"""Edits of compile options, of facts about arguments, and of block sizes.

num_warps=8                       an option
BLOCK=2048                        a block size: the value of a constexpr parameter
n divisible by 16                 an argument: `i32:16` in the signature, `n % 16 == 0` at launch
stride == 1                       an argument: `i32:1` in the signature
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

from msgspec import structs

from weft.compiler.signature import Signature
from weft.compiler.signature_types import CONSTEXPR, DIVISIBILITY, Path
from weft.compiler.type_names import is_integer
from weft.explain.advice.block_sizes import Share, block_sizes
from weft.explain.advice.model import ITERATION_SHARE, Edit
from weft.explain.advice.workbench import Variant

__all__ = [
    "block_size_edits",
    "divisibility_edits",
    "equal_to_one_edits",
    "option_edit",
    "with_constant",
    "with_divisible_arguments",
]

_FACTORS = (Fraction(2), Fraction(1, 2), Fraction(4), Fraction(1, 4))
_SMALLEST_BLOCK, _LARGEST_BLOCK = 16, 8192
_DIVISOR = 16


def option_edit(name: str, value: object) -> Edit:
    """Set a compile option."""

    def apply(variant: Variant) -> Variant:
        return replace(variant, options={**variant.options, name: value})

    return Edit("option", f"{name}={value}", apply)


def block_size_edits(source: str, variant: Variant) -> Iterator[Edit]:
    """Yield the powers of two near the sizes of blocks, the nearest first.

    Args:
        source: The text of the kernel.
        variant: The kernel as it is.
    """
    signature = variant.signature
    if signature is None:
        return
    names = (signature.names[path[0]] for path, _ in signature.constants)
    shares = block_sizes(source, frozenset(names))
    values = {signature.names[path[0]]: (path, value) for path, value in signature.constants}
    for factor in _FACTORS:
        for name, share in shares.items():
            path, value = values.get(name, ((), None))
            if not isinstance(value, int) or value & (value - 1) or len(path) != 1:
                continue
            size = int(value * factor)
            if _SMALLEST_BLOCK <= size <= _LARGEST_BLOCK:
                scale = factor if share is Share.PROGRAM else ITERATION_SHARE
                apply = partial(_with_block_size, path=path, size=size)
                yield Edit("block size", f"{name}={size}", apply, scale)


def _with_block_size(variant: Variant, path: Path, size: int) -> Variant:
    assert variant.signature is not None
    return replace(variant, signature=with_constant(variant.signature, path, size))


def with_constant(signature: Signature, path: Path, value: object) -> Signature:
    """Make an argument a constant, or give a constant another value."""
    constants = {**dict(signature.constants), path: value}
    types = list(signature.types)
    types[path[0]] = CONSTEXPR
    attributes = tuple(each for each in signature.attributes if each[0] != path)
    return structs.replace(
        signature,
        types=tuple(types),
        constants=tuple(sorted(constants.items())),
        attributes=attributes,
    )


def with_divisible_arguments(
    signature: Signature, paths: Iterable[Path], divisor: int = _DIVISOR
) -> Signature:
    """Promise that arguments are divisible."""
    attributes = {path: dict(pairs) for path, pairs in signature.attributes}
    for path in paths:
        attributes[path] = {**attributes.get(path, {}), DIVISIBILITY: divisor}
    pairs = ((path, tuple(each.items())) for path, each in sorted(attributes.items()))
    return structs.replace(signature, attributes=tuple(pairs))


def divisibility_edits(variant: Variant) -> Iterator[Edit]:
    """Yield promises that arguments are divisible by 16: each of them, then all."""
    signature = variant.signature
    if signature is None:
        return
    divisible = {path for path, pairs in signature.attributes if DIVISIBILITY in dict(pairs)}
    others = {path: kind for path, kind in _arguments(signature) if path not in divisible}
    for path, kind in others.items():
        yield _divisibility(signature, {path: kind})
    if len(others) > 1:
        yield _divisibility(signature, others)


def equal_to_one_edits(variant: Variant) -> Iterator[Edit]:
    """Yield the promise that an argument is 1, as the stride of a contiguous dimension is."""
    signature = variant.signature
    if signature is None:
        return
    for path, kind in _arguments(signature):
        if not kind.startswith("*"):
            yield _equal_to_one(signature, path, kind)


def _arguments(signature: Signature) -> Iterator[tuple[Path, str]]:
    """Yield the pointers and integers among the arguments."""
    for path, kind in signature.runtime_arguments():
        if len(path) == 1 and (kind.startswith("*") or _is_index(kind)):
            yield path, kind


def _is_index(kind: str) -> bool:
    return is_integer(kind) and kind not in ("i1", "u1")


def _divisibility(signature: Signature, arguments: Mapping[Path, str]) -> Edit:
    """Promise that arguments are divisible by 16."""

    def apply(variant: Variant) -> Variant:
        assert variant.signature is not None
        changed = with_divisible_arguments(variant.signature, arguments)
        return replace(variant, signature=changed)

    names = [
        f"{signature.names[path[0]]} (`{kind}:16`)" for path, kind in sorted(arguments.items())
    ]
    return Edit("argument", f"divisible by 16: {', '.join(names)}", apply)


def _equal_to_one(signature: Signature, path: Path, kind: str) -> Edit:
    def apply(variant: Variant) -> Variant:
        assert variant.signature is not None
        return replace(variant, signature=with_constant(variant.signature, path, 1))

    name = signature.names[path[0]]
    return Edit("argument", f"equal to 1: {name} (`{kind}:1`)", apply)
