"""The content of a report page, as data that the page's scripts read.

A page has one view per compile: two targets, two versions, or weft and a dump of Triton's. Each
line of a text names the line of the kernel that it comes from, by its index in `View.places`; -1 if
it is unknown. A click on one line lights all lines with the same index.
"""

from __future__ import annotations

from msgspec import Struct

__all__ = [
    "BankMap",
    "Buffer",
    "DecisionNote",
    "GlobalAccess",
    "LayoutPicture",
    "Page",
    "PassStep",
    "Place",
    "SharedMemory",
    "SourceFile",
    "Text",
    "View",
]


class Place(Struct, frozen=True):
    """A line of source code.

    Attributes:
        file: The path of the file.
        line: The number of the line, from 1.
    """

    file: str
    line: int


class SourceFile(Struct, frozen=True):
    """The functions of a kernel in one file.

    Attributes:
        file: The path of the file.
        first: The number of the first line.
        lines: The lines.
    """

    file: str
    first: int
    lines: tuple[str, ...]


class Text(Struct, frozen=True):
    """IR or assembly, line by line.

    Attributes:
        name: "ttir", "ttgir", "llir", "ptx", "sass" or "amdgcn"; the name of a pass in a step.
        lines: The lines.
        places: For each line the index of its place, -1 if it is unknown.
    """

    name: str
    lines: tuple[str, ...]
    places: tuple[int, ...]


class DecisionNote(Struct, frozen=True):
    """A decision that a pass recorded.

    Attributes:
        place: The index of the place, -1 if it is unknown.
        op: The name of the operation.
        choice: The choice.
        reason: The rule that decided.
        candidates: The (choice, score) pairs of all candidates.
        facts: The (name, value) pairs that the rule used.
        costs: The (side, cost) pairs of the comparison, if there was one.
    """

    place: int
    op: str
    choice: str
    reason: str
    candidates: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    costs: tuple[tuple[str, int], ...]


class PassStep(Struct, frozen=True):
    """The IR after one pass.

    Attributes:
        name: The name of the pass, "source" for the IR before all passes.
        changed: Whether the pass changed the IR.
        text: The IR after the pass; None if it did not change.
        decisions: What the pass decided.
    """

    name: str
    changed: bool
    text: Text | None
    decisions: tuple[DecisionNote, ...]


class LayoutPicture(Struct, frozen=True):
    """A layout of a tensor of one shape, as a linear layout.

    Attributes:
        name: The alias in the IR: "#blocked".
        encoding: The text of the layout.
        shape: The shape of the tensor.
        element_bits: The bits of an element.
        bases: For each in-dimension (register, lane, warp, block, or offset) its bases, each the
            coordinates in the tensor.
        values: The names of the values with this layout and shape.
    """

    name: str
    encoding: str
    shape: tuple[int, ...]
    element_bits: int
    bases: dict[str, tuple[tuple[int, ...], ...]]
    values: tuple[str, ...]


class GlobalAccess(Struct, frozen=True):
    """The first instruction of an access to global memory, for a picture of its sectors.

    Attributes:
        layout: The index of the layout of the addresses in `View.layouts`.
        strides: The elements between neighbours along each dimension, as far as they are known.
        vector_bits: The bits that a lane accesses.
        element_bits: The bits of an element.
    """

    layout: int
    strides: tuple[int, ...]
    vector_bits: int
    element_bits: int


class BankMap(Struct, frozen=True):
    """One access of a warp to shared memory.

    Attributes:
        banks: The number of banks.
        bank_bytes: The bytes of a bank's word.
        bits: The bits that a lane accesses.
        addresses: The byte address of each lane in the first instruction of the first warp.
        phases: The lanes that are served together.
    """

    banks: int
    bank_bytes: int
    bits: int
    addresses: tuple[int, ...]
    phases: tuple[tuple[int, ...], ...]


class Buffer(Struct, frozen=True):
    """A range of shared memory while it is live.

    Attributes:
        name: The value, or the operation that needs scratch memory.
        place: The index of the place, -1 if it is unknown.
        start: The offset of the first byte.
        size: The number of bytes.
        first: The number of the first operation that needs it.
        last: The number of the last operation that needs it.
    """

    name: str
    place: int
    start: int
    size: int
    first: int
    last: int


class SharedMemory(Struct, frozen=True):
    """The shared memory of a kernel over its operations.

    Attributes:
        size: The bytes of the kernel.
        limit: The bytes that a block of the target may have.
        operations: The number of operations.
        buffers: The buffers.
        barriers: The numbers of the operations that are barriers.
        loops: The (first, last) operations of the loops.
        op_places: For each operation the index of its place.
    """

    size: int
    limit: int
    operations: int
    buffers: tuple[Buffer, ...]
    barriers: tuple[int, ...]
    loops: tuple[tuple[int, int], ...]
    op_places: tuple[int, ...]


class View(Struct, frozen=True):
    """One compile of a kernel.

    Attributes:
        label: What it is: "cuda:90", or the name of a file.
        kernel: The name of the kernel.
        target: The target.
        options: The compile options that were given.
        places: The lines of source code that texts refer to.
        sources: The source code, if it can be read.
        texts: The IR of each stage and the machine code.
        steps: The IR after each pass; empty if weft did not run the passes.
        report: The report of `weft explain` as an object.
        layouts: The layouts to draw.
        global_accesses: For each entry of the report's "memory" its picture, if it has one.
        bank_maps: For each entry of the report's "shared" its picture, if it has one.
        shared_memory: The shared memory over time; None if the kernel cannot be lowered.
        notes: What could not be shown, and why.
        optimum_layouts: The layouts that the report's "optimum" names, to draw.
    """

    label: str
    kernel: str
    target: str
    options: dict[str, str]
    places: tuple[Place, ...]
    sources: tuple[SourceFile, ...]
    texts: tuple[Text, ...]
    steps: tuple[PassStep, ...]
    report: dict[str, object]
    layouts: tuple[LayoutPicture, ...]
    global_accesses: tuple[GlobalAccess | None, ...]
    bank_maps: tuple[BankMap | None, ...]
    shared_memory: SharedMemory | None
    notes: tuple[str, ...]
    optimum_layouts: tuple[LayoutPicture, ...] = ()


class Page(Struct, frozen=True):
    """The content of a report page.

    Attributes:
        title: The title.
        weft: The version of weft.
        views: The compiles.
        differences: The comparison of the first two views, row by row; empty with one view.
        place_pairs: The places of the first view and those of the second view that match.
    """

    title: str
    weft: str
    views: tuple[View, ...]
    differences: tuple[dict[str, object], ...] = ()
    place_pairs: tuple[tuple[int, int], ...] = ()
