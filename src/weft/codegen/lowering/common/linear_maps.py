"""Apply a GF(2)-linear map to an index in few instructions.

By hand, a swizzle that shifts bits 0 to 5 up by 3, and adds bits 3 to 5 unshifted,

    bases 8, 16, 32, 64 + 8, 128 + 16, 256 + 32

is (n << 3) ^ (n & 56): bits that are shifted by the same distance form one term. Alternatively it
is (n & 7) * 8 ^ (n >> 3 & 7) * 72: a run of bits whose images double forms one term. The cheaper
form is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from weft.codegen.llvm.writer import Writer

__all__ = ["Term", "xor_all", "diagonals", "terms_of", "doubling_runs", "apply_bases"]


@lru_cache(maxsize=4096)
def doubling_runs(bases: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """List the runs of bits whose images double: (first bit, bits, image of the first).

    Images of a run are disjoint: for 3 and 6, 3 xor 6 is 5, but 3 * 3 is 9.
    """
    runs: list[tuple[int, int, int]] = []
    images_of_run = 0  # all bits of the last run's images
    for bit, image in enumerate(bases):
        if not image:
            continue
        if runs:
            first, count, start = runs[-1]
            doubles = first + count == bit and image == start << count
            if doubles and not image & images_of_run:
                runs[-1] = (first, count + 1, start)
                images_of_run |= image
                continue
        runs.append((bit, 1, image))
        images_of_run = image
    return tuple(runs)


def xor_all(writer: Writer, parts: Iterable[tuple[str, int]]) -> tuple[str, int]:
    """Compute the xor of values, and the bits that it may have set.

    Args:
        writer: Where to write.
        parts: (value, bits that may be set) each; disjoint values are joined by `or disjoint`.
    """
    total, mask = "0", 0
    for value, bits in parts:
        if total == "0":
            total, mask = value, bits
        elif value != "0":
            verb = "xor" if mask & bits else "or disjoint"
            total, mask = writer.value(f"{verb} i32 {total}, {value}"), mask | bits
    return total, mask


@lru_cache(maxsize=4096)
def diagonals(bases: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Group bits by the distance to their images: (distance upwards, mask of bits).

    A bit whose image has several bits is in several groups: of a swizzle's images 8 + 64, 16 + 128
    and 32 + 256 of bits 3 to 5, bits 3 to 5 have distances 0 and 3.
    """
    masks: dict[int, int] = {}
    for bit, image in enumerate(bases):
        for target in range(image.bit_length()):
            if image >> target & 1:
                masks[target - bit] = masks.get(target - bit, 0) | 1 << bit
    return tuple(sorted(masks.items()))


class Term(Struct, frozen=True):
    """Some bits of a number: shifted by a distance and masked, or shifted down and multiplied.

    Attributes:
        bits: Mask of the bits.
        distance: Shift upwards; for a product, from bit 0 on.
        product: Multiplier, 0 for terms that are only shifted.
    """

    bits: int
    distance: int
    product: int = 0

    @property
    def reach(self) -> int:
        """Compute the bits that the term may have set."""
        if self.product:
            return _bits_of_product(self.bits >> _lowest(self.bits), self.product)
        return self.bits << self.distance if self.distance > 0 else self.bits >> -self.distance

    def masked(self, whole: int) -> bool:
        """Check whether other bits of the number must be masked.

        Args:
            whole: Every bit that the number may have set.
        """
        if self.distance < 0:
            return self.bits >> -self.distance != whole >> -self.distance
        return self.bits != whole

    def cost(self, whole: int, before: int, *, joined: bool) -> int:
        """Count the instructions that compute the term and add it to others.

        Chips have instructions that shift or mask a value and or it with another.

        Args:
            whole: All bits that the number may have set.
            before: The bits that the other terms may have set.
            joined: Whether there are other terms.
        """
        masked = self.masked(whole)
        if self.product:
            low = bool(self.bits & 1)
            return (not low or masked) + (self.product > 1) + joined
        beside = joined and not before & self.reach and (masked or self.distance > 0)
        return (self.distance != 0) + masked + joined - beside

    def write(self, writer: Writer, source: str, whole: int) -> tuple[str, int]:
        """Write the term of a number; return it and the bits that it may have set."""
        value, distance, mask = source, self.distance, self.bits
        if distance > 0:
            value = writer.value(f"shl nuw nsw i32 {value}, {distance}")
            mask <<= distance
        elif distance:
            value = writer.value(f"lshr i32 {value}, {-distance}")
            mask >>= -distance
        if self.masked(whole):
            value = writer.value(f"and i32 {value}, {mask}")
        if self.product > 1:
            value = writer.value(f"mul i32 {value}, {self.product}")
        return value, self.reach


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


@lru_cache(maxsize=4096)
def terms_of(bases: tuple[int, ...], whole: int) -> tuple[Term, ...]:
    """Choose the cheapest terms whose xor is the image of a number.

    Either bits with the same shift form one term, or runs of bits whose images double. For a
    swizzle's images 8 + 64, 16 + 128 and 32 + 256 of bits 3 to 5: (n & 56) ^ (n << 3 & 448), or (n
    >> 3 & 7) * 72.

    Args:
        bases: Image of each bit.
        whole: All bits that the number may have set.
    """
    shifted = tuple(Term(bits, distance) for distance, bits in diagonals(bases))
    by_run = []
    for first, count, image in doubling_runs(bases):
        bits = ((1 << count) - 1) << first
        single = not image & (image - 1)
        by_run.append(
            Term(bits, image.bit_length() - 1 - first) if single else Term(bits, -first, image)
        )
    return min(shifted, tuple(by_run), key=lambda terms: _cost(terms, whole))


def _cost(terms: Sequence[Term], whole: int) -> int:
    """Count the instructions of all terms."""
    total, before = 0, 0
    for number, piece in enumerate(terms):
        total += piece.cost(whole, before, joined=number > 0)
        before |= piece.reach
    return total


def apply_bases(
    writer: Writer, source: str, size_log2: int, bases: Sequence[int]
) -> tuple[str, int]:
    """Compute the xor of the images of a value's bits, and the bits that it may have set.

    Args:
        writer: Where to write.
        source: An i32 of at most `size_log2` bits.
        size_log2: Bits of the source.
        bases: Image of each bit.
    """
    whole = (1 << size_log2) - 1
    terms = terms_of(tuple(bases), whole)
    return xor_all(writer, [term.write(writer, source, whole) for term in terms])


def _bits_of_product(mask: int, image: int) -> int:
    """Compute the bits that a product may have set."""
    return (1 << (mask * image).bit_length()) - 1
