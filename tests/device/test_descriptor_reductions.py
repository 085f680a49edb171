"""On a GPU: reductions through tensor descriptors compare integers by their sign."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import weft  # noqa: E402
import weft.language as tl  # noqa: E402
from tests.codegen.lowering.nvidia.test_tma import combine_with_descriptor  # noqa: E402
from weft.compat.tensor_wrapper import reinterpret  # noqa: E402

pytestmark = pytest.mark.device
SIZE = 64


@weft.jit
def combine_on_device(target_ptr, value_ptr, MAXIMUM: tl.constexpr, N: tl.constexpr):
    """Combine a tile with the tensor of a descriptor that the kernel makes."""
    target = tl.make_tensor_descriptor(target_ptr, [N, N], [N, 1], [N, N])
    combine_with_descriptor(target, value_ptr, MAXIMUM, N)


def _allocate(size: int, alignment: int, stream: int | None) -> Any:
    return torch.empty(size, dtype=torch.int8, device="cuda")


@pytest.mark.parametrize("maximum", [True, False])
@pytest.mark.parametrize("kind", ["uint32", "int32", "uint64", "int64"])
@pytest.mark.parametrize("descriptor", ["host", "reinterpreted", "device"])
def test_reductions_compare_by_sign(kind, maximum, descriptor):
    dtype, random = np.dtype(kind), np.random.default_rng(3)
    limits = np.iinfo(dtype)
    # Half of the unsigned numbers are negative as signed ones.
    before, values = (
        random.integers(limits.min, limits.max, (SIZE, SIZE), dtype, endpoint=True)
        for _ in range(2)
    )
    signed = np.dtype(kind.removeprefix("u"))
    target, value = (torch.from_numpy(x.view(signed)).cuda() for x in (before, values))
    value = reinterpret(value, getattr(tl, kind))
    if descriptor == "device":
        weft.set_allocator(_allocate)
        combine_on_device[(1,)](reinterpret(target, getattr(tl, kind)), value, maximum, SIZE)
    else:
        base = (
            reinterpret(target, getattr(tl, kind))
            if descriptor == "reinterpreted"
            else target.view(getattr(torch, kind))
        )
        block = [SIZE, SIZE]
        desc = weft.TensorDescriptor(base, block, [SIZE, 1], block)
        combine_with_descriptor[(1,)](desc, value, maximum, SIZE)
    expected = (np.maximum if maximum else np.minimum)(before, values)
    np.testing.assert_array_equal(target.cpu().numpy().view(dtype), expected)
