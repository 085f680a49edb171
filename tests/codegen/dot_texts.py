"""TTGIR of one dot with given layouts: c = a b + c on row-major arrays.

dot_text("gfx942", mfma(3, (16, 16, 16)), ("f16", "f16", "f32"), (32, 16, 32), k_width=4)
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Tensor", "blocked_layout", "dot_text", "mfma", "module_text", "scaled_dot_text", "wmma"]


def mfma(
    version: int,
    shape: tuple[int, ...],
    *,
    transposed: bool = True,
    warps: str = "2, 1",
    bits: int = 32,
) -> str:
    """Return an MFMA layout."""
    sides = ", ".join(map(str, shape))
    width = f", elementBitWidth = {bits}" if bits != 32 else ""
    return (
        f"#ttg.amd_mfma<{{version = {version}, warpsPerCTA = [{warps}], instrShape = [{sides}], "
        f"isTransposed = {str(transposed).lower()}{width}}}>"
    )


def wmma(
    version: int, shape: tuple[int, ...], *, transposed: bool = True, warp: str = "[1, 0]"
) -> str:
    """Return a WMMA layout."""
    sides = ", ".join(map(str, shape))
    return (
        f"#ttg.amd_wmma<{{version = {version}, isTranspose = {str(transposed).lower()}, "
        f"ctaLayout = {{warp = [{warp}]}}, instrShape = [{sides}]}}>"
    )


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of a name, in an array argument of the same name."""

    name: str
    shape: tuple[int, ...]
    element: str
    layout: str

    def of(self, element: str) -> str:
        """Return its type with other elements."""
        return f"tensor<{'x'.join(map(str, self.shape))}x{element}, {self.layout}>"

    @property
    def type(self) -> str:
        """Return its type."""
        return self.of(self.element)

    def pointers(self) -> list[str]:
        """Write the pointers to its elements, %<name>q."""
        lines, total = [], ""
        stride = 1
        for dim in reversed(range(len(self.shape))):
            lines += self._index(dim, stride)
            here = f"%{self.name}w{dim}"
            if total:
                lines.append(f"%{self.name}t{dim} = arith.addi {total}, {here} : {self.of('i32')}")
                here = f"%{self.name}t{dim}"
            total = here
            stride *= self.shape[dim]
        pointer = f"!tt.ptr<{self.element}>"
        return [
            *lines,
            f"%{self.name}p = tt.splat %{self.name} : {pointer} -> {self.of(pointer)}",
            f"%{self.name}q = tt.addptr %{self.name}p, {total} : {self.of(pointer)}, "
            f"{self.of('i32')}",
        ]

    def _index(self, dim: int, stride: int) -> list[str]:
        """Write what an index along a dimension adds to the offset, %<name>w<dim>."""
        others = [each for each in reversed(range(len(self.shape))) if each != dim]
        layouts = [self.layout]
        for other in others:
            layouts.append(f"#ttg.slice<{{dim = {other}, parent = {layouts[-1]}}}>")
        size, name = self.shape[dim], f"%{self.name}{dim}"
        sizes = [size]
        type_ = f"tensor<{size}xi32, {layouts[-1]}>"
        lines = [f"{name}e0 = tt.make_range {{start = 0 : i32, end = {size} : i32}} : {type_}"]
        for n, other in enumerate(reversed(others)):
            sizes.insert(other, 1)
            wider = f"tensor<{'x'.join(map(str, sizes))}xi32, {layouts[-2 - n]}>"
            lines.append(
                f"{name}e{n + 1} = tt.expand_dims {name}e{n} {{axis = {other} : i32}} : "
                f"{type_} -> {wider}"
            )
            type_ = wider
        last = f"{name}e{len(others)}"
        return [
            *lines,
            f"{name}s = arith.constant dense<{stride}> : {type_}",
            f"{name}m = arith.muli {last}, {name}s : {type_}",
            f"%{self.name}w{dim} = tt.broadcast {name}m : {type_} -> {self.of('i32')}",
        ]

    def load(self, layout: str = "") -> list[str]:
        """Write its load, %<name>v, and %<name>x in another layout."""
        pointer = self.of(f"!tt.ptr<{self.element}>")
        lines = [*self.pointers(), f"%{self.name}v = tt.load %{self.name}q : {pointer}"]
        if layout:
            other = Tensor(self.name, self.shape, self.element, layout).type
            lines.append(
                f"%{self.name}x = ttg.convert_layout %{self.name}v : {self.type} -> {other}"
            )
        return lines


def blocked_layout(rank: int, lanes: int, warps: int) -> str:
    """Return a blocked layout of one element per thread."""
    ones = ", ".join("1" * rank)
    lead = ["1"] * (rank - 2)
    threads = ", ".join([*lead, str(lanes // 16), "16"])
    over = ", ".join([*lead, str(warps), "1"])
    order = ", ".join(str(dim) for dim in reversed(range(rank)))
    return (
        f"#ttg.blocked<{{sizePerThread = [{ones}], threadsPerWarp = [{threads}], "
        f"warpsPerCTA = [{over}], order = [{order}]}}>"
    )


def module_text(
    chip: str, layouts: dict[str, str], warps: int, arguments: list[Tensor], body: list[str]
) -> str:
    """Return a module with one kernel, @dot.  layouts: by the names of their aliases."""
    lanes = 64 if chip.startswith("gfx9") else 32
    source = ", ".join(
        f"%{each.name}: !tt.ptr<{each.element}> {{tt.divisibility = 16 : i32}}"
        for each in arguments
    )
    return "\n".join(
        [
            *(f"#{name} = {text}" for name, text in layouts.items()),
            f'module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, '
            f'ttg.target = "hip:{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{',
            f"tt.func public @dot({source}) {{",
            *body,
            "tt.return",
            "}",
            "}",
        ]
    )


def dot_text(
    chip: str,
    encoding: str,
    elements: tuple[str, str, str],
    sizes: tuple[int, int, int],
    *,
    k_width: int,
    warps: int = 2,
    precision: str = "",
    batch: int = 0,
) -> str:
    """Return a kernel of pointers a, b, c with c = a b + c.

    Args: elements: types of a, b and c.  sizes: m, n, k.  k_width: of the operands' layouts.
    """
    m, n, k = sizes
    lead = (batch,) if batch else ()
    shapes = ((*lead, m, k), (*lead, k, n), (*lead, m, n))
    a, b, c = (
        Tensor(name, shape, element, layout)
        for name, shape, element, layout in zip(
            "abc", shapes, elements, ("#blocked", "#blocked", "#mma"), strict=True
        )
    )
    operands = [
        f"#ttg.dot_op<{{opIdx = {n}, parent = #mma, kWidth = {k_width}}}>" for n in range(2)
    ]
    types = [
        Tensor("", each.shape, each.element, layout).type
        for each, layout in zip((a, b), operands, strict=True)
    ]
    precision_text = f", inputPrecision = {precision}" if precision else ""
    body = [
        *a.load(operands[0]),
        *b.load(operands[1]),
        *c.load(),
        f"%r = tt.dot %ax, %bx, %cv{precision_text} : {types[0]} * {types[1]} -> {c.type}",
        f"tt.store %cq, %r : {c.of(f'!tt.ptr<{c.element}>')}",
    ]
    lanes = 64 if chip.startswith("gfx9") else 32
    layouts = {"blocked": blocked_layout(len(lead) + 2, lanes, warps), "mma": encoding}
    return module_text(chip, layouts, warps, [a, b, c], body)


def scaled_dot_text(
    chip: str,
    encoding: str,
    formats: tuple[str, str],
    sizes: tuple[int, int, int],
    scales: tuple[str, str],
    *,
    parents: tuple[str, str] = ("#mma", "#mma"),
) -> str:
    """Return a kernel of pointers a, b, c, s, t with c = (a, scaled by s) (b, by t) + c, two warps.

    Args: formats: "e4m3", "e5m2" or "e2m1".  scales: layouts of s [m, k / 32] and t [n, k / 32],
          "" for none.  parents: of the operands' layouts.
    """
    m, n, k = sizes
    kinds = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "e2m1": "i8"}
    depths = [k // 2 if each == "e2m1" else k for each in formats]
    a = Tensor("a", (m, depths[0]), kinds[formats[0]], "#blocked")
    b = Tensor("b", (depths[1], n), kinds[formats[1]], "#blocked")
    c = Tensor("c", (m, n), "f32", "#mma")
    s, t = (
        Tensor(name, (rows, k // 32), "i8", layout)
        for name, rows, layout in zip("st", (m, n), scales, strict=True)
    )
    operands = [
        f"#ttg.dot_op<{{opIdx = {n}, parent = {parents[n]}, kWidth = 16}}>" for n in range(2)
    ]
    types = [
        Tensor("", each.shape, each.element, layout).type
        for each, layout in zip((a, b), operands, strict=True)
    ]
    said = [f" scale %{each.name}v" if each.layout else "" for each in (s, t)]
    typed = [f", {each.type}" if each.layout else "" for each in (s, t)]
    body = [
        *a.load(operands[0]),
        *b.load(operands[1]),
        *c.load(),
        *(line for each in (s, t) if each.layout for line in each.load()),
        f"%r = tt.dot_scaled %ax{said[0]}, %bx{said[1]}, %cv lhs = {formats[0]} rhs = {formats[1]} "
        f"{{fastMath = false}} : {types[0]}{typed[0]} * {types[1]}{typed[1]} -> {c.type}",
        f"tt.store %cq, %r : {c.of('!tt.ptr<f32>')}",
    ]
    lanes = 64 if chip.startswith("gfx9") else 32
    layouts = {"blocked": blocked_layout(2, lanes, 2), "mma": encoding}
    return module_text(chip, layouts, 2, [a, b, c, s, t], body)
