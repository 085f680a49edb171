"""What a block of threads holds while it runs: a row of every value per thread, and who is where.

A value is an array whose first axis is the threads (or has size 1, for a constant). An
instruction runs for the threads of a mask; the others keep what they had.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.llvm_ir.types import Type, dtype_of
from weft.simulator.matrix.pending_registers import InFlight, Product
from weft.simulator.matrix.tensor_memory_state import Tensor
from weft.simulator.memory.memory import Memory
from weft.simulator.synchronization.barrier_state import Expected, Mbarrier

__all__ = ["Block", "Landing", "NotYet", "Operand", "ReadEarly", "Step", "constant"]

_GROUP = 128  # threads that multiply together by wgmma

Landing: TypeAlias = Callable[[np.ndarray], np.ndarray]
"""What lands a copy for the threads of a mask, and returns the bytes of shared memory it wrote."""


class NotYet(Exception):
    """What threads wait for has not come; nothing was done, and they may try again."""


class ReadEarly(Exception):
    """Registers are read that products may still be writing; nothing was done."""


@dataclass(slots=True)
class Block:
    """A block of threads: its place in the grid, its memories, and the values of its threads.

    chip: LLVM's name of the processor, where the kernel tells it.
    mask: which threads run at the moment.  before: the label each thread last came from.
    dispatch_packet: where AMD's kernels find the sizes of the launch.
    under_way: copies of AMD's that each warp has issued, in order, by counter and warp.
    copies: asynchronous copies that have yet to land, by warp, group by group; the last one is
    open.
    products: each product of a warp group with the bytes that it reads, group by group; the last
    one is open.  flying: values that products still write.
    leaving: the same of the copy engine, by thread.  mbarriers: barriers of arrivals, by address.
    expected: what is to arrive at barriers of AMD's, by address.  resting: threads that let
    others go on.  gone: those that have returned.  idle: how often some rested since something
    happened.
    tensor: tensor memory, once it is used.
    texts: the module's constants that are text.  printed: lines, of all blocks.
    messages: of AMD's, what each is put together of so far: a format, and words of 64 bits.
    unseen: descriptors in global memory that the copy engine has not been shown.
    cluster: the blocks that run beside it, itself among them, by their numbers.  rank: its own.
    ended: whether all of its threads have.
    """

    threads: int
    lanes: int
    place: tuple[int, int, int]
    grid: tuple[int, int, int]
    memory: Memory
    shared: Memory
    mask: np.ndarray
    before: np.ndarray
    dispatch_packet: int
    values: dict[str, np.ndarray | tuple[np.ndarray, ...]] = field(default_factory=dict)
    chip: str = ""
    under_way: dict[tuple[str, int], list[Callable[[], None]]] = field(default_factory=dict)
    copies: dict[int, list[list[Landing]]] = field(default_factory=dict)
    leaving: dict[int, list[list[Callable[[], None]]]] = field(default_factory=dict)
    products: dict[int, list[list[tuple[Product, list[np.ndarray]]]]] = field(default_factory=dict)
    flying: InFlight = field(default_factory=InFlight)
    mbarriers: dict[int, Mbarrier] = field(default_factory=dict)
    unseen: set[int] = field(default_factory=set)
    texts: Mapping[str, str] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    messages: list[list[str | np.ndarray]] = field(default_factory=list)
    tensor: Tensor | None = None
    cluster: Sequence[Block] = ()
    rank: int = 0
    ended: bool = False
    expected: dict[int, Expected] = field(default_factory=dict)
    resting: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    gone: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    idle: int = 0

    def __post_init__(self) -> None:
        self.resting = np.zeros(self.threads, bool)
        self.gone = np.zeros(self.threads, bool)

    @property
    def warps(self) -> int:
        """How many warps have a thread in the mask."""
        return int(self.mask.reshape(-1, min(self.lanes, self.threads)).any(axis=1).sum())

    def get(self, operand: Operand) -> np.ndarray:
        """Return an operand's value for every thread, or for all at once.

        Raises: ReadEarly: a product that nobody has waited for writes it.
        """
        if isinstance(operand, str) and self.flying:
            if self.flying.is_read_early(operand, self.groups()):
                raise ReadEarly(operand)
        return self.held(operand)

    def held(self, operand: Operand) -> np.ndarray:
        """Return an operand's value to move it, even one that products still write."""
        if not isinstance(operand, str):
            return operand
        found = self.values[operand]
        assert isinstance(found, np.ndarray), f"{operand} is a struct"
        return found

    def members(self, name: str) -> tuple[np.ndarray, ...]:
        """Return a struct's members."""
        found = self.values[name]
        assert isinstance(found, tuple), f"{name} is no struct"
        return found

    def groups(self) -> set[int]:
        """Return the numbers of the warp groups with a thread in the mask."""
        return set((np.flatnonzero(self.mask) // _GROUP).tolist())

    def awaited(self, operand: Operand) -> tuple[Product, ...]:
        """Return the products that still write an operand."""
        return self.flying.awaited(operand) if isinstance(operand, str) else ()

    def carry(self, target: str, *sources: Operand) -> None:
        """Note that a value was moved from others: it waits for the products that they wait for."""
        if self.flying:
            waits = [product for one in sources for product in self.awaited(one)]
            self.flying.define(target, self.groups(), waits)

    def set(self, name: str, value: np.ndarray) -> None:
        """Define a value for the threads of the mask."""
        if self.flying:
            self.flying.define(name, self.groups())
        if self.mask.all():
            self.values[name] = value
            return
        kept = self.values.get(name)
        whole = np.broadcast_to(value, (self.threads, *value.shape[1:]))
        if kept is None:
            self.values[name] = whole.copy()
            return
        mask = self.mask.reshape(-1, *[1] * (value.ndim - 1))
        self.values[name] = np.where(mask, whole, kept)

    def set_members(self, name: str, members: tuple[np.ndarray, ...]) -> None:
        """Define a struct for the threads of the mask."""
        if self.flying:
            groups = self.groups()
            for member in range(len(members)):
                self.flying.define(f"{name}#{member}", groups)
        kept = self.values.get(name)
        if kept is None or self.mask.all():
            self.values[name] = members
            return
        self.values[name] = tuple(
            np.where(self.mask, np.broadcast_to(new, self.threads), old)
            for new, old in zip(members, kept, strict=True)
        )


Operand: TypeAlias = "str | np.ndarray"
Step: TypeAlias = Callable[[Block], None]


def constant(text: str, type_: Type) -> Operand:
    """Return an operand: the name of a value, or a literal as an array for all threads.

    Raises: CodegenError: neither.
    """
    if text.startswith(("%", "@text.", "@group.")):
        return text
    if text == "@shared":
        return np.zeros(1, np.int64)
    shape = (1, type_.count) if type_.count else (1,)
    if text in ("poison", "undef", "zeroinitializer", "null"):
        return np.zeros(shape, dtype_of(type_))
    if text.startswith("<") and type_.count:
        members = [part.strip().rpartition(" ")[2] for part in text[1:-1].split(",")]
        row = [_number(member, type_) for member in members]
        return np.array([row], dtype_of(type_))
    try:
        return np.full(shape, _number(text, type_), dtype_of(type_))
    except ValueError:
        raise CodegenError("not an operand that the simulator reads", found=text) from None


def _number(text: str, type_: Type) -> object:
    if type_.name == "i1":
        return {"true": True, "false": False, "1": True, "0": False, "-1": True}[text]
    if not type_.is_float:
        bits = type_.bits_each
        number = int(text) & ((1 << bits) - 1)
        return number - (1 << bits) if number >> (bits - 1) else number
    if text.startswith("0xH"):
        return np.uint16(int(text[3:], 16)).view(np.float16)
    if text.startswith("0xR"):
        return np.uint16(int(text[3:], 16)).view(ml_dtypes.bfloat16)
    if text.startswith("0x"):
        return struct.unpack("<d", struct.pack("<Q", int(text[2:], 16)))[0]
    return float(text)
