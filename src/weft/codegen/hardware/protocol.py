"""What codegen asks of a chip."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from weft.codegen.backend.spills import CompileRequest, Spills
from weft.codegen.hardware.memory import Memory
from weft.codegen.llvm.writer import Writer
from weft.targets import Target
from weft.targets.float_conversions import Conversion

__all__ = ["Hardware", "Launch"]


@dataclass(frozen=True, slots=True)
class Launch:
    """How a kernel is launched: warps per block, blocks per cluster, and bounds on registers."""

    num_warps: int
    num_ctas: int = 1
    maxnreg: int | None = None
    waves_per_eu: int = 0


class Hardware(Memory, Protocol):
    """A chip as codegen sees it. Each method writes instructions and returns the result.

    What it does with memory is in memory.py.
    """

    target: Target

    @property
    def triple(self) -> str:
        """LLVM's name of the machine."""
        ...

    @property
    def passes(self) -> tuple[str, ...]:
        """Return LLVM's passes over a module before its code is selected, by llvmlite's names."""
        ...

    def retries(self, text: str, spills: Spills) -> Iterator[CompileRequest]:
        """Yield other ways to compile a module whose registers do not suffice.

        Args: text: of the module.  spills: nothing, if they do.
        """
        ...

    def kernel_header(self, launch: Launch, writer: Writer) -> tuple[str, str]:
        """Return a kernel's calling convention and its attributes, as LLVM IR text.

        Args: writer: with the kernel's body, which says what the kernel reads.
        """
        ...

    @property
    def argument_flags(self) -> str:
        """Return what LLVM IR says of every argument behind its type, with a space in front."""
        ...

    @property
    def describes_by_pointer(self) -> bool:
        """Whether a parameter that is a tensor's descriptor is the tensor's address alone.

        Sizes and strides are then the parameters behind it; else it is 128 bytes that the host has
        encoded.
        """
        ...

    def module_footer(self) -> str:
        """Return what a module ends with: flags that the chip's tools read."""
        ...

    def thread_id(self, writer: Writer) -> str:
        """Return the thread's number in its block, an i32."""
        ...

    def below(self, writer: Writer, value: str, bound: int) -> str:
        """Return an i32 that is known to be smaller than a power of two, in a form that says so."""
        ...

    def same_in_warp(self, writer: Writer, value: str) -> str:
        """Return an i32 that is the same in all lanes of a warp, in a form that says so."""
        ...

    def program_id(self, writer: Writer, axis: int) -> str:
        """Return the program's number along a grid axis, an i32."""
        ...

    def num_programs(self, writer: Writer, axis: int) -> str:
        """Return how many programs there are along a grid axis, an i32."""
        ...

    def barrier(self, writer: Writer, *, everywhere: bool = False) -> None:
        """Wait for every thread of the block, and see what they wrote to shared memory.

        Args: everywhere: whether what they wrote to global memory is to be seen as well.
        """
        ...

    def warp_barrier(self, writer: Writer, *, everywhere: bool = False) -> None:
        """Wait for every thread of the warp, where a block is no more; otherwise as `barrier`."""
        ...

    def meet_groups(self, writer: Writer) -> None:
        """Wait for every thread of the block, whatever group it is of, and see what they wrote."""
        ...

    @property
    def shares_registers(self) -> bool:
        """Whether groups of warps may have more and fewer registers than a block's share."""
        ...

    def of_group(self, number: int, threads: int) -> Hardware:
        """Return the chip as a group of warps sees it, whose barriers are for its threads alone.

        Args: number: of the barrier, that other groups do not use.
        Raises: CodegenError: the chip has no such barriers.
        """
        ...

    def of_cluster(self, blocks: int) -> Hardware:
        """Return the chip as a kernel sees it whose programs are clusters of blocks.

        Raises: CodegenError: clusters cannot be lowered for the chip.
        """
        ...

    def block_number(self, writer: Writer) -> str:
        """Return the block's number in its cluster, an i32."""
        ...

    def cluster_barrier(self, writer: Writer) -> None:
        """Wait for every thread of the cluster, and see what they wrote to shared memory."""
        ...

    def remote_address(self, writer: Writer, address: str, block: str) -> str:
        """Return where a byte of shared memory lies in another block of the cluster.

        Args: address: of the byte in the block's own memory.  block: its number, an i32.
        Returns: a pointer to `remote_space`.
        """
        ...

    @property
    def remote_space(self) -> int:
        """LLVM's number of the memory that all blocks of a cluster reach."""
        ...

    def fence_copies(self, writer: Writer) -> None:
        """Let the copy engine and tensor cores see what this thread wrote to shared memory, or saw.

        Raises: CodegenError: the chip has no such engines.
        """
        ...

    def print(
        self,
        writer: Writer,
        entry: Writer,
        text: str,
        constant: Callable[[str], str],
        arguments: Sequence[tuple[str, str]],
    ) -> None:
        """Print a line.

        Args: entry: writer of the function's first block.  text: a format of printf.
              constant: gives the address of text.  arguments: (type, value) each, of i32, i64 or
              double.
        Raises: CodegenError: the library that the chip prints by is not on this machine.
        """
        ...

    def fail(
        self, writer: Writer, constant: Callable[[str], str], message: str, file: str, line: int
    ) -> None:
        """End the kernel with a message.

        Args: constant: gives the address of text.
        """
        ...

    def shuffle_xor(self, writer: Writer, value: str, mask: int) -> str:
        """Return the i32 of the lane whose number differs in the bits of a mask."""
        ...

    def swap(self, writer: Writer, distance: int, a: str, b: str) -> tuple[str, str]:
        """Swap i32s between lanes a distance apart: those with its bit set in their number give
        their a, and take b, of the others.

        Raises: CodegenError: the chip has no such instruction.
        """
        ...

    def shuffle_index(self, writer: Writer, value: str, lane: str) -> str:
        """Return the i32 of a lane given by number, an i32."""
        ...

    @property
    def takes_from_any_lane(self) -> bool:
        """Return whether a lane takes from any other as fast as from its neighbour."""
        ...

    def is_one_move(self, distance: int) -> bool:
        """Tell whether a shuffle by xor is one instruction, which computes no address."""
        ...

    @property
    def row_lanes(self) -> int:
        """Return how many lanes vector instructions move values among: the warp's, or a row of it.

        From there on, what a row has in common is read into a scalar register.
        """
        ...

    def shuffle_within(self, writer: Writer, value: str, mask: int, bits: int) -> str:
        """Return the i32 of the lane whose number has given bits under a mask, else this lane's."""
        ...

    def agreed(self, writer: Writer, condition: str) -> str:
        """Return whether a condition holds in any lane of the warp, if compilers care to know.

        For conditions that lanes share, though only the kernel knows it: what comes behind a loop
        that ends by such a one is run by all lanes together.
        """
        ...

    def reduce_warp(self, writer: Writer, operation: str, type_: str, value: str) -> str:
        """Return what all lanes of a warp hold, combined by one instruction; "" if there is none.

        Args: operation: of the IR, such as arith.addi.  type_: LLVM's.
        """
        ...

    def approximate(self, writer: Writer, name: str, value: str) -> str:
        """Return exp2, sqrt, rsqrt or the reciprocal of a float by one instruction.

        Numbers below 2^-126 count as zero; else the errors are the chip's, of 1 to 2 units in the
        last place.
        """
        ...

    def exp2(self, writer: Writer, value: str) -> str:
        """Return 2 to the power of a float; results below 2^-126 are kept."""
        ...

    def logarithm(self, writer: Writer, value: str, *, base_two: bool) -> str:
        """Return the natural logarithm of a float, or that to base two, within 2 units."""
        ...

    def convert_packed(
        self, writer: Writer, row: Conversion, values: Sequence[str], scale: str = ""
    ) -> list[str]:
        """Return floats converted by the instruction of a row.

        Args: values: an i8 for a float of 8 bits, or for two of 4, the lower half first.
              scale: of all values, where the instruction has one; "" for 1.
        """
        ...

    def saturate_conversions(self, prologue: Writer) -> None:
        """See to it that numbers beyond the greatest of an 8-bit type become it.

        Args: prologue: writer of the kernel's first block.
        """
        ...

    def widen_bfloat(self, writer: Writer, value: str) -> str:
        """Return a bfloat as a float."""
        ...

    def truncated_halves(self, writer: Writer, values: Sequence[str]) -> list[str]:
        """Return floats as halves, rounded towards zero."""
        ...

    def permute_bytes(self, writer: Writer, low: str, high: str, chosen: Sequence[int]) -> str:
        """Return an i32 of four bytes of two others: 0 to 3 of the first, 4 to 7 of the second."""
        ...

    def widen_fp4(self, writer: Writer, word: str, table: int) -> list[str]:
        """Return the eight 4-bit floats of an i32 as four words of two 16-bit floats.

        Args: table: what the floats from 0 to 6 are, 16 bits each, the first in the lowest bits.
        """
        ...

    def library_symbol(self, name: str, type_: str) -> str:
        """Return how the vendor's library calls a function of C, of a float or a double."""
        ...

    def library_header(self) -> list[str]:
        """Return what a module that links the vendor's library says to it, as LLVM IR text."""
        ...

    def clamp(
        self, writer: Writer, type_: str, x: str, least: str, most: str, *, propagate_nan: bool
    ) -> str:
        """Return a float within bounds; of NaN the lower bound, or NaN where that propagates."""
        ...

    def divide(self, writer: Writer, type_: str, a: str, b: str) -> str:
        """Return a quotient, that of floats within 2 units in the last place."""
        ...
