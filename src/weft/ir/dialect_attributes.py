"""Verify discardable attributes: their names on modules, and those of ttg on any operation.

    ttg.partition = array<i32: 0, 2>                   which partitions run an operation
    ttg.partition.outputs = [array<i32: 0>, …]         which partitions define each result

Source: Triton, TritonGPUDialect::verifyOperationAttribute in lib/Dialect/TritonGPU/IR/Dialect.cpp;
MLIR, ModuleOp::verify.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import array_values

__all__ = ["verify_dialect_attributes"]

PARTITION = "ttg.partition"
OUTPUTS = "ttg.partition.outputs"

_OF_MODULES = ("ttg.num-ctas", "ttg.target", "ttg.threads-per-warp")
_SYMBOL_ATTRIBUTES = ("sym_name", "sym_visibility")
_WITHOUT_PARTITION = ("scf.yield", "ub.poison")
_WITH_OUTPUTS = ("scf.for", "scf.if", "tt.reduce")


def verify_dialect_attributes(op: Operation) -> None:
    """Verify the discardable attributes of an operation.

    Raises:
        VerifyException: One is on the wrong operation, or its value is invalid.
    """
    attributes = op.attributes
    if not attributes:
        return
    if isinstance(op, ModuleOp):
        for name in attributes:
            if "." not in name and name not in _SYMBOL_ATTRIBUTES:
                raise VerifyException(
                    f"can only contain attributes with dialect-prefixed names, found: '{name}'"
                )
    else:
        for name in _OF_MODULES:
            if name in attributes:
                raise VerifyException(
                    f"has unexpected attribute {name} which is expected only on `module` ops"
                )
        if "ttg.num-warps" in attributes and op.name != "tt.func":
            raise VerifyException(
                "has unexpected attribute ttg.num-warps which is expected only on `module` or "
                "`tt.func` ops"
            )
    if "tt.warp_specialize" in attributes and op.name != "scf.for":
        raise VerifyException(
            "has unexpected attribute tt.warp_specialize which is expected only on `scf.for` ops"
        )
    if PARTITION in attributes:
        ids = _partition_ids(attributes[PARTITION], PARTITION)
        if op.regions:
            _verify_children(op, ids)
    if OUTPUTS in attributes:
        _verify_outputs(op)


def _partition_ids(attribute: Attribute, name: str) -> tuple[int, ...]:
    """Get the partitions that an attribute lists, ascending and at least one."""
    if not (isinstance(attribute, DenseArrayBase) and attribute.elt_type == types.i32):
        raise VerifyException(f'attribute "{name}" must be an array of i32, but got {attribute}')
    ids = array_values(attribute)
    if len(set(ids)) != len(ids):
        raise VerifyException(f'has duplicated partition ids in attribute "{name}"')
    if not ids:
        raise VerifyException(f'has no partition ids in attribute "{name}"')
    if list(ids) != sorted(ids):
        raise VerifyException(f'partition ids not in sorted order in attribute "{name}"')
    return ids


def _children(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops


def _verify_children(op: Operation, ids: tuple[int, ...]) -> None:
    """Require that each operation in the regions runs in some of the partitions."""
    for child in _children(op):
        if child.name in _WITHOUT_PARTITION:
            continue
        partitions = child.attributes.get(PARTITION)
        if partitions is None:
            raise VerifyException(
                f"'{child.name}' in its regions does not have expected attribute {PARTITION} "
                "which is expected for ops whose parent has partitions"
            )
        if not set(array_values(partitions)) <= set(ids):
            raise VerifyException(
                f'partition ids in attr "{PARTITION}" does not contain partition ids of all child '
                "ops"
            )


def _verify_outputs(op: Operation) -> None:
    """Require the partitions of each result, all of them partitions of the operation."""
    outputs = op.attributes[OUTPUTS]
    if not isinstance(outputs, ArrayAttr):
        raise VerifyException(f'attribute "{OUTPUTS}" must be an array, but got {outputs}')
    ids = [_partition_ids(each, OUTPUTS) for each in outputs.data]
    if op.name not in _WITH_OUTPUTS:
        raise VerifyException(f'has unexpected attribute "{OUTPUTS}"')
    if len(ids) != len(op.results):
        raise VerifyException(
            "does not have expected number of output partition sets in attr "
            f'"{OUTPUTS}"; should match number of results'
        )
    if PARTITION not in op.attributes:
        raise VerifyException(
            f"does not have expected attribute {PARTITION} which is expected for ops with attr "
            f"{OUTPUTS}"
        )
    own = set(array_values(op.attributes[PARTITION]))
    if any(not own.issuperset(each) for each in ids):
        raise VerifyException(
            f"partition ids in attr {PARTITION} must be the union of all partition ids in "
            f'"{OUTPUTS}"'
        )
