"""The functions of `gl` that work with layouts and buffers, on all targets."""

from __future__ import annotations

from weft.gluon.builtin import builtin, builtin_of

__all__ = [
    "allocate_shared_memory",
    "arange",
    "bank_conflicts",
    "barrier",
    "convert_layout",
    "dot_fma",
    "fp4_to_fp",
    "full",
    "histogram",
    "num_ctas",
    "num_warps",
    "set_auto_layout",
    "to_linear_layout",
    "warp_specialize",
]


@builtin
def arange(start, end, layout=None):
    """Return the int32 tensor start, start + 1, …, end - 1.

    Args:
        start: The first number, a compile-time constant.
        end: The number after the last, a compile-time constant; end - start is a power of two.
        layout: The layout, AutoLayout() if not given.
    """


@builtin
def full(shape, value, dtype, layout=None):
    """Return a tensor filled with a scalar.

    Args:
        shape: The shape.
        value: A constant or a scalar.
        dtype: The type of an element.
        layout: The layout, AutoLayout() if not given.
    """


@builtin
def convert_layout(value, layout, assert_trivial=False):
    """Convert a tensor to another layout.

    Args:
        value: A tensor.
        layout: The layout of the result.
        assert_trivial: Fail to compile if threads have to exchange elements.
    """


@builtin
def set_auto_layout(value, layout):
    """Set the layout of a tensor with AutoLayout().

    Args:
        value: A tensor.
        layout: The layout, which spreads to the tensors that `value` is computed from.
    """


@builtin
def histogram(input, num_bins, mask=None, layout=None):
    """Count how often each of 0, 1, …, num_bins - 1 is in a tensor.

    Args:
        input: A tensor of integers with one dimension.
        num_bins: The number of counts.
        mask: Elements to leave out where it is false.
        layout: The layout of the counts.
    """


@builtin
def allocate_shared_memory(element_ty, shape, layout, value=None):
    """Allocate a buffer in shared memory.

    Args:
        element_ty: The type of an element.
        shape: The shape.
        layout: The layout in memory.
        value: A tensor to store to it; without one the contents are undefined.

    Returns:
        A shared_memory_descriptor.
    """


@builtin
def fp4_to_fp(src, elem_type, axis):
    """Convert pairs of fp4 (e2m1) in uint8 to another float type.

    Args:
        src: A tensor of uint8.
        elem_type: The type of an element of the result.
        axis: The dimension along which a pair lies, and which doubles.
    """


@builtin_of("", takes_values=True)
def warp_specialize(functions_and_args, worker_num_warps, worker_num_regs=None):
    """Run functions side by side, each in its own warps.

    The first function, the default partition, runs in the warps of the kernel and may return
    tensors. The others run in additional warps, which are idle otherwise.

    Args:
        functions_and_args: A list of pairs of a function and the tuple of its arguments.
        worker_num_warps: The number of warps of each function but the first.
        worker_num_regs: The registers per thread of each function but the first.

    Returns:
        What the first function returns.
    """


@builtin
def num_warps():
    """Return the number of warps that run the current function, in a partition its own."""


@builtin
def num_ctas():
    """Return the number of CTAs of a program."""


@builtin
def barrier(*, cluster=False):
    """Wait until all threads of the CTA, or of the cluster, reach this point.

    Args:
        cluster: Whether to wait for all CTAs of the cluster.
    """


@builtin
def bank_conflicts(distr_ty, shared_ty):
    """Count the bank conflicts of a store of a tensor to a buffer, per wavefront of an instruction.

    Args:
        distr_ty: The type of the tensor, a distributed_type.
        shared_ty: The type of the buffer, a shared_memory_descriptor_type.
    """


@builtin
def to_linear_layout(layout, shape):
    """Return a layout as a DistributedLinearLayout or SharedLinearLayout.

    Args:
        layout: A layout.
        shape: The shape of the tensor or buffer.
    """


@builtin
def dot_fma(a, b, acc):
    """Return a * b + acc, computed by multiply-add instructions.

    Args:
        a: A tensor whose layout is DotOperandLayout(0, …).
        b: A tensor whose layout is DotOperandLayout(1, …).
        acc: A tensor with a BlockedLayout, the parent of the operands' layouts.
    """
