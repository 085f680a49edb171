"""Passes that a pipeline names, each loaded when a module has something for it to do.

    stage = (named("tritongpu-coalesce"), named("tritongpu-F32DotTC", emu_tf32=True))
    run_pipeline(stage, module)         # a kernel without dots never loads the second

Most kernels have no dots, no loops, no descriptors; half of a pipeline is about these, and takes
longer to import than to find nothing. `WORK` says what such a pass looks for. Several of them
simplify what they meet besides, as MLIR's greedy driver does: that much is then done in their
place, so the IR is the same. While decisions are collected every pass runs, to say its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from weft.decisions import enabled
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.hardware import blocks_of_cluster
from weft.ir.rewriting import walk
from weft.ir.types import TensorDescType
from weft.passes.registry import Pass, pass_class

__all__ = ["WORK", "Named", "Work", "named"]


@dataclass(frozen=True, slots=True)
class Named:
    """A pass by its name, with options; it has the attributes of the pass that it stands for."""

    name: str
    options: tuple[tuple[str, object], ...] = ()

    def run(self, module: ModuleOp) -> None:
        """Change a module in place, as the pass does.

        Raises: what the pass raises.
        """
        work = WORK.get(self.name)
        if work is None or enabled() or work.is_in(module):
            self.loaded().run(module)
        elif work.instead is not None:
            work.instead(module)

    def loaded(self) -> Pass:
        """Return the pass itself."""
        return pass_class(self.name)(**dict(self.options))

    def __getattr__(self, option: str) -> Any:
        return getattr(self.loaded(), option)


def named(name: str, **options: object) -> Pass:
    """Return a pass of the registry; its options are the fields of its class."""
    return cast("Pass", Named(name, tuple(options.items())))


@dataclass(frozen=True, slots=True)
class Work:
    """What a pass looks for, and what it does to a module that has nothing of it.

    is_in: tells whether a module has work.  instead: simplifies one that has none; None where the
    pass leaves that as it is.
    """

    is_in: Callable[[ModuleOp], bool]
    instead: Callable[[ModuleOp], None] | None = None


# -- what passes look for -------------------------------------------------------------------------


def _some(operations: str) -> Callable[[ModuleOp], bool]:
    """Return what tells whether a module has one of some operations."""
    wanted = frozenset(operations.split())

    def has_some(op: Operation) -> bool:
        for region in op.regions:
            for block in region.blocks:
                inner = block.first_op
                while inner is not None:
                    if inner.name in wanted or (inner.regions and has_some(inner)):
                        return True
                    inner = inner.next_op
        return False

    return has_some


def _has_descriptors(module: ModuleOp) -> bool:
    return any(map(_gives_descriptor, walk(module)))


def _gives_descriptor(op: Operation) -> bool:
    """Tell whether an operation has results, or arguments of its regions, that are descriptors."""
    arguments = (a for region in op.regions for block in region.blocks for a in block.args)
    return any(isinstance(value.type, TensorDescType) for value in (*op.results, *arguments))


def _has_clusters(module: ModuleOp) -> bool:
    return blocks_of_cluster(module) > 1


_DOTS = "tt.dot tt.dot_scaled"
_LOOPS = "scf.for scf.while"
_NEXT_TO_CONVERSIONS = (
    "ttg.convert_layout tt.reshape tt.histogram tt.gather tt.split tt.trans ttg.local_alloc "
    "ttg.local_store ttng.tmem_store"
)
"""What weft.passes.common.canonicalize.convert_layout has patterns for."""


# -- what they do besides -------------------------------------------------------------------------


def _fold(**options: bool) -> Callable[[ModuleOp], None]:
    """Return what folds, and drops what is dead, with some options of `Rules`."""

    def run(module: ModuleOp) -> None:
        from weft.ir.folds import FOLDS
        from weft.passes.rewrite.greedy import Rules, apply

        apply(module, Rules(FOLDS, **cast("Any", options)))

    return run


_bottom_up = _fold(top_down=False)
_bottom_up_and_blocks = _fold(top_down=False, merge_blocks=True)


def _canonicalized(module: ModuleOp) -> None:
    from weft.passes.common.canonicalize import canonicalize

    canonicalize(module)
    _bottom_up(module)


WORK: dict[str, Work] = {
    "triton-rewrite-tensor-descriptor-to-pointer": Work(_has_descriptors),
    "triton-loop-unroll": Work(_some("scf.for")),
    "triton-licm": Work(_some(_LOOPS)),
    "tritongpu-F32DotTC": Work(_some("tt.dot"), _bottom_up),
    "tritongpu-optimize-thread-locality": Work(
        _some("tt.reshape tt.gather tt.reduce"), _bottom_up_and_blocks
    ),
    "tritongpu-fuse-nested-loops": Work(_some("scf.for")),
    "tritongpu-combine-tensor-select-and-if": Work(_some("scf.if")),
    "tritongpu-prefetch": Work(_some(f"{_DOTS} {_NEXT_TO_CONVERSIONS}"), _bottom_up),
    "tritongpu-reduce-data-duplication": Work(_some("ttg.convert_layout")),
    "triton-nvidia-gpu-plan-cta": Work(_has_clusters),
    "tritongpu-accelerate-matmul": Work(_some(_DOTS), _bottom_up),
    "tritongpu-optimize-dot-operands": Work(
        _some(f"{_NEXT_TO_CONVERSIONS} ttng.tc_gen5_mma_scaled"), _canonicalized
    ),
    "triton-nvidia-optimize-descriptor-encoding": Work(_has_descriptors),
    "tritongpu-coalesce-async-copy": Work(
        _some("ttg.async_copy_global_to_local"), _bottom_up_and_blocks
    ),
    "triton-nvidia-optimize-tmem-layouts": Work(
        _some("ttng.tmem_load ttng.tmem_store"), _bottom_up
    ),
    "triton-nvidia-tma-lowering": Work(
        _some(
            "tt.make_tensor_descriptor tt.descriptor_load tt.descriptor_store "
            "tt.descriptor_reduce tt.descriptor_gather tt.descriptor_scatter"
        ),
        _bottom_up,
    ),
    "triton-nvidia-interleave-tmem": Work(_some("ttng.tmem_load ttng.tmem_alloc")),
    "triton-nvidia-gpu-fence-insertion": Work(
        _some("ttng.warp_group_dot ttng.tc_gen5_mma ttng.tc_gen5_mma_scaled")
    ),
    "triton-nvidia-mma-lowering": Work(
        _some("ttng.tc_gen5_mma ttng.tc_gen5_mma_scaled"), _bottom_up
    ),
    "tritonamdgpu-hoist-layout-conversions": Work(_some("ttg.convert_layout")),
    "tritonamdgpu-sink-layout-conversions": Work(_some("ttg.convert_layout")),
    "tritonamdgpu-convert-tensor-ops": Work(
        _some("tt.descriptor_load tt.descriptor_store"), _fold(merge_blocks=True)
    ),
    "tritonamdgpu-in-thread-transpose": Work(_some("ttg.local_load")),
    "tritonamdgpu-prepare-if-combining": Work(_some("scf.if")),
}
"""By pass. What is not here always runs."""
