"""RegionBranchOpInterface: control flow between an operation and its regions.

An operation with regions and the terminators of those regions transfer control to each other.
Each transfer is an edge that forwards operands of its source to block arguments of the region
that it enters, or to the results of the operation when it leaves:

    %r = scf.for %i = %lb to %ub step %s iter_args(%a = %init) -> (i32) {
      scf.yield %next : i32
    }

    source        target        operands    inputs
    scf.for       the body      %init       %a        first iteration
    scf.for       after it      %init       %r        no iteration
    scf.yield     the body      %next       %a        next iteration
    scf.yield     after it      %next       %r        last iteration

A region is named by its object; None names the point after the operation (and, as the source of
an edge, the operation itself). Block arguments that no edge feeds, such as %i, are set by the
operation itself.

Source: MLIR, Interfaces/ControlFlowInterfaces.td.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from msgspec import Struct
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

__all__ = ["RegionBranchOpInterface", "RegionBranchTerminatorOpInterface", "RegionEdge"]


class RegionEdge(Struct, frozen=True):
    """One transfer of control into a region or out of the operation.

    Attributes:
        source: The operation with the regions, or a terminator in one of its regions.
        region: The region that is entered, or None if control continues after the operation.
        operands: The operands of `source` that are forwarded.
        inputs: The block arguments or results that receive them, one per operand.
    """

    source: Operation
    region: Region | None
    operands: tuple[SSAValue, ...]
    inputs: tuple[SSAValue, ...]

    def forwarded(self) -> Iterator[tuple[SSAValue, SSAValue]]:
        """Yield each (operand, input) pair."""
        return zip(self.operands, self.inputs, strict=True)


class RegionBranchOpInterface(Operation, ABC):
    """An operation whose regions run as part of it, in an order that it defines."""

    @abstractmethod
    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        """List where control may go.

        Args:
            source: The region whose terminator is reached, or None for the operation itself.

        Returns:
            The regions that may be entered next; None is the point after the operation.
        """

    def entry_successor_regions(
        self, constants: Sequence[Attribute | None]
    ) -> tuple[Region | None, ...]:
        """List where control may go from the operation, given what its operands are.

        Args:
            constants: The constant value of each operand, None where it is unknown.
        """
        return self.successor_regions(None)

    def successor_inputs(self, region: Region | None) -> tuple[SSAValue, ...]:
        """List the values that edges into a region assign.

        Args:
            region: The region entered, or None for the point after the operation.

        Returns:
            Block arguments of the region's entry block, or results of the operation.
        """
        if region is None:
            return tuple(self.results)
        entry = region.blocks.first
        return () if entry is None else tuple(entry.args)

    def entry_operands(self, region: Region | None) -> tuple[SSAValue, ...]:
        """List the operands that the operation forwards to a region, or past itself (None)."""
        return ()

    def entry_edges(self, constants: Sequence[Attribute | None] | None = None) -> list[RegionEdge]:
        """List the edges that leave the operation itself.

        Args:
            constants: As for `entry_successor_regions`; None if nothing is known.
        """
        targets = (
            self.successor_regions(None)
            if constants is None
            else self.entry_successor_regions(constants)
        )
        return [
            RegionEdge(self, target, self.entry_operands(target), self.successor_inputs(target))
            for target in targets
        ]

    def region_terminators(self, region: Region) -> Iterator[RegionBranchTerminatorOpInterface]:
        """Yield the terminators in a region that transfer control out of it."""
        for block in region.blocks:
            last = block.last_op
            if isinstance(last, RegionBranchTerminatorOpInterface):
                yield last

    def region_edges(self) -> Iterator[RegionEdge]:
        """Yield every edge: those of the operation, then those of its regions' terminators."""
        yield from self.entry_edges()
        for region in self.regions:
            for terminator in self.region_terminators(region):
                yield from terminator.region_edges()

    def verify_region_edges(self) -> None:
        """Check that every edge forwards as many values as its target takes, of their types.

        Raises:
            VerifyException: An edge does not.
        """
        for edge in self.region_edges():
            source = "parent" if edge.source is self else f"Operation {edge.source.name}"
            target = "parent"
            if edge.region is not None:
                target = f"Region #{self.regions.index(edge.region)}"
            where = f"along control flow edge from {source} to {target}"
            if len(edge.operands) != len(edge.inputs):
                raise VerifyException(
                    f"{where}: region branch point has {len(edge.operands)} operands, but region "
                    f"successor needs {len(edge.inputs)} inputs"
                )
            for index, (operand, value) in enumerate(edge.forwarded()):
                if operand.type != value.type:
                    raise VerifyException(
                        f"{where}: successor operand type #{index} '{operand.type}' should match "
                        f"successor input type #{index} '{value.type}'"
                    )

    def is_repetitive_region(self, region: Region) -> bool:
        """Check whether a region can run again after it ran."""
        reached: set[Region] = set()
        worklist: list[Region] = [region]
        while worklist:
            for target in self.successor_regions(worklist.pop()):
                if target is region:
                    return True
                if target is not None and target not in reached:
                    reached.add(target)
                    worklist.append(target)
        return False


class RegionBranchTerminatorOpInterface(Operation, ABC):
    """A terminator that transfers control out of its region, by the rules of the parent."""

    def successor_operands(self, region: Region | None) -> tuple[SSAValue, ...]:
        """List the operands forwarded to a sibling region, or past the parent (None)."""
        return tuple(self.operands)

    def successor_regions(
        self, constants: Sequence[Attribute | None] | None = None
    ) -> tuple[Region | None, ...]:
        """List where control may go from here; None is the point after the parent.

        Args:
            constants: The constant value of each operand, None where it is unknown.
        """
        parent = self.parent_op()
        if not isinstance(parent, RegionBranchOpInterface):
            return ()
        return parent.successor_regions(self.parent_region())

    def region_edges(self, constants: Sequence[Attribute | None] | None = None) -> list[RegionEdge]:
        """List the edges that leave this terminator, none outside a RegionBranchOpInterface.

        Args:
            constants: As for `successor_regions`.
        """
        parent = self.parent_op()
        if not isinstance(parent, RegionBranchOpInterface):
            return []
        return [
            RegionEdge(
                self, target, self.successor_operands(target), parent.successor_inputs(target)
            )
            for target in self.successor_regions(constants)
        ]
