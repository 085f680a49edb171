"""Give the tensors of a partition layouts for another number of warps.

    partition1 num_warps(4)                              partition1 num_warps(2)
      %i = ttg.local_load … #blocked                →      %i = ttg.local_load … #slice2
      %j = ttg.convert_layout %i : … -> #slice4            ttng.async_tma_gather %d[%i, …]
      ttng.async_tma_gather %d[%j, …]

The body of the partition moves to a separate kernel without layouts. The passes that choose the
layouts of a kernel run on it, and the body moves back. The axis info of captured values, such as
their divisibility, becomes attributes of the kernel's arguments.

Source: Triton, OptimizePartitionWarps.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.analysis.axis_info import AxisInfo
from weft.analysis.axis_info.hint_attributes import HINTS
from weft.errors import PassError
from weft.ir import attributes, tt, ttg, types
from weft.ir.builtin import (
    ArrayAttr,
    Attribute,
    DictionaryAttr,
    ModuleOp,
    Operation,
    Region,
    SSAValue,
    StringAttr,
)
from weft.ir.module_attributes import lookup_num_ctas, lookup_threads_per_warp
from weft.ir.rewriting import Builder, erase, set_type, walk
from weft.passes.nvidia.accelerate_matmul import AccelerateMatmul
from weft.passes.ttgir.coalesce import Coalesce
from weft.passes.ttgir.optimize_thread_locality import OptimizeThreadLocality
from weft.passes.ttgir.remove_layout_conversions import RemoveLayoutConversions
from weft.passes.ttir.convert_triton_to_tritongpu import ConvertTritonToTritongpu

__all__ = ["assign_new_layouts"]

_NUM_WARPS = "ttg.num-warps"


def assign_new_layouts(
    module: ModuleOp,
    partition: Region,
    captures: Sequence[SSAValue],
    infos: Mapping[SSAValue, AxisInfo],
    warps: int,
) -> None:
    """Choose the layouts of a partition again.

    Args:
        module: The module that contains the partition.
        partition: The region of the partition.
        captures: The values that it captures.
        infos: The axis info of the module.
        warps: The new number of its warps.

    Raises:
        PassError: The module has no target.
    """
    target = module.attributes.get("ttg.target")
    if not isinstance(target, StringAttr):
        raise PassError('missing module attribute "ttg.target"')
    kernel = _move_to_kernel(partition, [_hints(infos.get(value)) for value in captures])
    new_module = ModuleOp([kernel], dict(module.attributes))
    del new_module.attributes[_NUM_WARPS]
    _remove_layouts(kernel)
    convert = ConvertTritonToTritongpu(
        target=target.data,
        num_warps=warps,
        threads_per_warp=lookup_threads_per_warp(module),
        num_ctas=lookup_num_ctas(module),
    )
    convert.convert_with_buffers(new_module)
    Coalesce().run(new_module)
    RemoveLayoutConversions().run(new_module)
    OptimizeThreadLocality().run(new_module)
    AccelerateMatmul().run(new_module)
    RemoveLayoutConversions().run(new_module)
    _move_back(new_module, partition)


def _hints(info: AxisInfo | None) -> DictionaryAttr:
    """State an axis info as attributes of an argument."""
    if info is None or info.rank != 1:
        return DictionaryAttr({})
    numbers = (info.contiguity, info.divisibility, info.constancy)
    hints = {
        hint: attributes.integer(number[0], types.i64)
        for hint, number in zip(HINTS, numbers, strict=True)
    }
    return DictionaryAttr(hints)


def _move_to_kernel(partition: Region, hints: Sequence[Attribute]) -> tt.FuncOp:
    """Move the body of a partition to a new function."""
    first = partition.blocks.first
    assert first is not None
    kernel = tt.FuncOp.of("partition", [argument.type for argument in first.args], [])
    kernel.properties["arg_attrs"] = ArrayAttr(hints)
    body = kernel.regions[0]
    body.erase_block(kernel.entry)
    partition.move_blocks(body)
    _replace_terminators(kernel, ttg.WarpReturnOp, tt.ReturnOp)
    return kernel


def _move_back(module: ModuleOp, partition: Region) -> None:
    """Move the body of the only function of a module to a partition."""
    kernel = next(op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    _replace_terminators(kernel, tt.ReturnOp, ttg.WarpReturnOp)
    kernel.regions[0].move_blocks(partition)


def _replace_terminators(
    kernel: tt.FuncOp, old: type[Operation], new: type[tt.ReturnOp | ttg.WarpReturnOp]
) -> None:
    for block in kernel.regions[0].blocks:
        terminator = block.last_op
        if isinstance(terminator, old):
            Builder().before(terminator).create(new)
            erase(terminator)


def _remove_layouts(kernel: tt.FuncOp) -> None:
    """Remove the layouts of tensors, but not those of the blocks of descriptors."""
    for op in walk(kernel):
        for result in op.results:
            set_type(result, _without_layout(result.type))
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    set_type(argument, _without_layout(argument.type))


def _without_layout(type_: Attribute) -> Attribute:
    if types.is_pointer(type_) and types.is_tensor(type_.pointee):
        return types.pointer(_without_layout(type_.pointee), type_.address_space.data)
    return types.with_encoding(type_, None)
