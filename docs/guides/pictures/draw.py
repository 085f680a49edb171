"""Draw the pictures of the guide on linear layouts: python docs/guides/pictures/draw.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.layouts import (
    BlockedEncoding,
    LinearLayout,
    SwizzledSharedEncoding,
    conversion,
    default_blocked,
    parse,
)
from weft.layouts.drawing import conversion_picture, picture, svg
from weft.targets import target

FOLDER = Path(__file__).parent
OPERAND = (
    "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
    "warpsPerCTA = [1, 1], instrShape = [16, 8]}>, kWidth = 2}>"
)


def pictures() -> Iterator[tuple[str, str]]:
    """Yield (file name, text of the picture)."""
    swizzle = LinearLayout.from_bases(
        {"thread": [[1, 1], [2, 2]], "warp": [[0, 1], [0, 2]]}, ["row", "column"]
    )
    yield "swizzle.svg", svg(picture(swizzle, "L(thread, warp) = (thread, warp ^ thread)"), "warp")
    blocked = default_blocked((8, 16), 2, 32, size_per_thread=(1, 2), order=(1, 0))
    title = "2 elements, 4x8 lanes, 2 warps; 8x16"
    yield "blocked.svg", svg(picture(blocked.linear((8, 16)), title), "lane")
    for name, encoding in (
        ("plain", SwizzledSharedEncoding(1, 1, 1, (1, 0))),
        ("swizzled", SwizzledSharedEncoding(2, 1, 8, (1, 0))),
    ):
        title = f"{name}: vec = {encoding.vec}, maxPhase = {encoding.max_phase}; 8x16 f64, by bank"
        drawing = picture(encoding.linear((8, 16)), title, bits=64)
        yield f"{name}.svg", svg(drawing, "bank")
    rows = BlockedEncoding((1, 2), (8, 4), (1, 1), (1, 0)).linear((8, 8))
    columns = BlockedEncoding((2, 1), (4, 8), (1, 1), (0, 1)).linear((8, 8))
    plan = conversion(rows, columns, 32, target("cuda:90").shared_memory)
    drawing = conversion_picture(plan, "rows of two into columns of two, 8x8 f32")
    yield "rounds.svg", svg(drawing, "round")
    drawing = picture(parse(OPERAND).linear((16, 16)), "the left operand of mma.m16n8k16, f16")
    yield "operand.svg", svg(drawing, "register")


if __name__ == "__main__":
    for name, text in pictures():
        (FOLDER / name).write_text(text)
