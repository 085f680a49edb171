"""Coordinates of a thread's registers in a tensor.

A layout is linear over GF(2), so a coordinate is the xor of the contributions of register, lane,
warp and CTA. By hand, for 32 lanes of 4 registers each along dim0,

    register bases [1], [2]     lane bases [4], [8], …, [64]     warp bases [128], [256]

the thread's part is (lane << 2) ^ (warp << 7), computed once, and register r adds the constant r.
The bits are disjoint, so xor, or and add are the same, and `or disjoint` states so. Bits that
the layout shifts by the same distance are shifted together. Here the warp's bits continue where the
lane's end, so both are bits of the thread index, and the thread's part is `thread << 2`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from msgspec import Struct, field
from msgspec.structs import replace

from weft.codegen.hardware import Hardware
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.linear_maps import apply_bases, terms_of, xor_all
from weft.layouts import LinearLayout
from weft.lowering_plans.registers import register_offsets

__all__ = ["ThreadIndices", "register_offsets"]


class ThreadIndices(Struct):
    """Coordinates of the thread and of its registers, each computed once in the entry block.

    Attributes:
        entry: Writer of the entry block, whose values dominate all uses.
        ids: Value and number of bits of each in-dimension of a distributed layout.
        thread: Index of the thread, lane and warp together, an i32.
        shared: Address of the function's shared memory.
        sums: (base, constant) of values that are known to be their sum.
        exact: Those of these values whose sum does not overflow, signed or unsigned.
    """

    entry: Writer
    ids: dict[str, tuple[str, int]]
    thread: str
    shared: str
    sums: dict[str, tuple[str, int]] = field(default_factory=dict)
    exact: set[str] = field(default_factory=set)
    _made: dict[tuple[object, ...], str] = field(default_factory=dict)
    _origins: dict[LinearLayout, tuple[tuple[str, int], ...]] = field(default_factory=dict)

    def origin(self, layout: LinearLayout) -> tuple[tuple[str, int], ...]:
        """Compute the coordinates of register 0: (value, bits that may be set) each."""
        result = self._origins.get(layout)
        if result is None:
            result = self._origins[layout] = tuple(
                xor_all(
                    self.entry,
                    self._parts(
                        {
                            name: [image[out] for image in images]
                            for name, images in layout.bases.items()
                            if name != "register"
                        }
                    ),
                )
                for out in range(len(layout.out_dims))
            )
        return result

    def _parts(self, images: Mapping[str, Sequence[int]]) -> list[tuple[str, int]]:
        """Compute the contribution of each coordinate: (value, bits that it may have set).

        A term with bits of both lane and warp is computed from the thread's index at once.

        Args:
            images: Image of each bit of a coordinate, by its name.
        """
        by_name = dict(images)
        lanes, warps = (
            (*by_name.get(name, ()), *[0] * (self.ids[name][1] - len(by_name.get(name, ()))))
            for name in ("lane", "warp")
        )
        low, high = (1 << len(lanes)) - 1, (1 << len(warps)) - 1
        whole = low | high << len(lanes)
        parts = []
        for piece in terms_of((*lanes, *warps), whole):
            if not piece.bits >> len(lanes):
                parts.append(piece.write(self.entry, self.ids["lane"][0], low))
            elif not piece.bits & low:
                within = replace(
                    piece,
                    bits=piece.bits >> len(lanes),
                    distance=piece.distance + len(lanes),
                )
                parts.append(within.write(self.entry, self.ids["warp"][0], high))
            else:
                parts.append(piece.write(self.entry, self.thread, whole))
        for name, bases in by_name.items():
            if name not in ("lane", "warp"):
                parts.append(apply_bases(self.entry, *self.ids[name], bases))
        return parts

    def is_first_thread(self) -> str:
        """Compute whether this is the CTA's first thread, an i1."""
        return self.bits_are_zero({name: (1 << self.ids[name][1]) - 1 for name in ("lane", "warp")})

    def is_first_thread_of_cluster(self) -> str:
        """Compute whether this is the first thread of the cluster's first CTA, an i1."""
        return self.bits_are_zero({name: (1 << bits) - 1 for name, (_, bits) in self.ids.items()})

    def bits_are_zero(self, masks: Mapping[str, int]) -> str:
        """Compute whether the masked bits of the thread's coordinates are all zero, an i1.

        Args:
            masks: Mask of each in-dimension; registers are ignored.

        Returns:
            "" if no bit is masked.
        """
        masked = tuple((name, masks[name]) for name in self.ids if masks.get(name))

        def make() -> str:
            parts = []
            for name, mask in masked:
                value, bits = self.ids[name]
                whole = mask == (1 << bits) - 1
                parts.append(value if whole else self.entry.value(f"and i32 {value}, {mask}"))
            total = parts[0]
            for part in parts[1:]:
                total = self.entry.value(f"or i32 {total}, {part}")
            return self.entry.value(f"icmp eq i32 {total}, 0")

        return self._once(("zero", *masked), make) if masked else ""

    def is_in_first_warps(self, count: int) -> str:
        """Compute whether this is one of the first `count` warps, an i1; "" if all are."""
        warp, bits = self.ids["warp"]
        if count >= 1 << bits:
            return ""
        return self._once(
            ("warps", count), lambda: self.entry.value(f"icmp ult i32 {warp}, {count}")
        )

    def apply_bases(self, name: str, bases: Sequence[int]) -> str:
        """Compute the xor of the images of a coordinate's bits, an i32."""
        return self._once(
            ("apply_bases", name, tuple(bases)),
            lambda: apply_bases(self.entry, *self.ids[name], bases)[0],
        )

    def offset(
        self, lanes: Sequence[int], warps: Sequence[int], blocks: Sequence[int] = ()
    ) -> tuple[str, int]:
        """Compute the xor of the images of the thread's bits, and the bits that it may have set.

        Args:
            lanes: Image of each bit of the lane.
            warps: Image of each bit of the warp.
            blocks: Image of each bit of the CTA rank.
        """

        def make() -> str:
            return xor_all(
                self.entry, self._parts({"lane": lanes, "warp": warps, "block": blocks})
            )[0]

        mask = 0
        for image in (*lanes, *warps, *blocks):
            mask |= image
        return self._once(("offset", tuple(lanes), tuple(warps), tuple(blocks)), make), mask

    def with_bits(self, name: str, mask: int, bits: int) -> str:
        """Replace the masked bits of a coordinate by constants, an i32."""
        value, count = self.ids[name]
        others = ((1 << count) - 1) & ~mask

        def make() -> str:
            if not others:
                return str(bits)
            other_bits = self.entry.value(f"and i32 {value}, {others}") if mask else value
            return self.entry.value(f"or disjoint i32 {other_bits}, {bits}") if bits else other_bits

        return self._once(("replaced", name, mask, bits), make)

    def cta_rank_of(
        self, images: tuple[Sequence[int], Sequence[int], Sequence[int]], constant: int
    ) -> str:
        """Compute the rank of the CTA that holds an element, by xor of this CTA's rank.

        Args:
            images: Image of each bit of lane, warp and CTA rank.
            constant: Constant that is added by xor.
        """

        def make() -> str:
            return xor_all(self.entry, [self.offset(*images), (str(constant), constant)])[0]

        return self._once(("home", *map(tuple, images), constant), make)

    def remote_shared_memory(self, hardware: Hardware, block: str) -> str:
        """Map the start of shared memory to another CTA of the cluster.

        Args:
            hardware: The chip.
            block: Rank of the CTA, a value of the entry block.
        """
        return self._once(
            ("remote", block),
            lambda: hardware.memory.remote_address(self.entry, self.shared, block),
        )

    def any_bit_set(self, name: str, mask: int) -> str:
        """Compute whether any of the masked bits of a coordinate is set, an i1."""

        def make() -> str:
            masked = self.entry.value(f"and i32 {self.ids[name][0]}, {mask}")
            return self.entry.value(f"icmp ne i32 {masked}, 0")

        return self._once(("set", name, mask), make)

    def has_bits(self, name: str, mask: int, bits: int) -> str:
        """Compute whether the masked bits of a coordinate have a given value, an i1."""
        value = self.ids[name][0]

        def make() -> str:
            masked = self.entry.value(f"and i32 {value}, {mask}")
            return self.entry.value(f"icmp eq i32 {masked}, {bits}")

        return self._once(("matches", name, mask, bits), make)

    def have_bits(self, required: Mapping[str, tuple[int, int]]) -> str:
        """Compute whether the masked bits of several coordinates have given values, an i1.

        Args:
            required: (mask, bits) of each in-dimension.

        Returns:
            "" if no bit is masked.
        """
        if not any(bits for _, bits in required.values()):
            return self.bits_are_zero({name: mask for name, (mask, _) in required.items()})
        requested = tuple((name, mask, bits) for name, (mask, bits) in required.items() if mask)

        def make() -> str:
            conditions = [self.has_bits(*one) for one in requested]
            return reduce(lambda a, b: self.entry.value(f"and i1 {a}, {b}"), conditions)

        return self._once(("match", requested), make)

    def adjacent(self, name: str, mask: int, *, backwards: bool) -> str:
        """Decrement or increment the number in the masked bits of a coordinate, with wrap."""
        value, bits = self.ids[name]
        others = ((1 << bits) - 1) & ~mask

        def make() -> str:
            # The carry or borrow crosses the other bits: they are ones for +1, zeros for -1.
            verb, between, step = ("or", others, 1) if backwards else ("and", mask, -1)
            inside = self.entry.value(f"{verb} i32 {value}, {between}")
            number = self.entry.value(f"add i32 {inside}, {step}")
            number = self.entry.value(f"and i32 {number}, {mask}")
            other_bits = self.entry.value(f"and i32 {value}, {others}")
            return self.entry.value(f"or disjoint i32 {number}, {other_bits}")

        return self._once(("neighbour", name, mask, backwards), make)

    def constant_address(self, start: int) -> str:
        """Compute the address of a byte of shared memory."""
        text = f"getelementptr i8, ptr addrspace(3) {self.shared}, i32 {start}"
        return self._once(("address", start), lambda: self.entry.value(text))

    def _once(self, key: tuple[object, ...], make: Callable[[], str]) -> str:
        """Get a value of the entry block, which is written at the first request."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def indices(self, writer: Writer, layout: LinearLayout, dim: int) -> list[str]:
        """Compute each register's coordinate along a dimension, i32 each."""
        start, mask = self.origin(layout)[dim]
        index_of: dict[int, str] = {0: start}
        results = []
        for offset in register_offsets(layout, dim):
            if offset not in index_of:
                verb = "xor" if mask & offset else "or disjoint"
                index_of[offset] = (
                    str(offset) if start == "0" else writer.value(f"{verb} i32 {start}, {offset}")
                )
                if start != "0" and not mask & offset:
                    self.sums[index_of[offset]] = start, offset
                    self.exact.add(index_of[offset])
            results.append(index_of[offset])
        return results
