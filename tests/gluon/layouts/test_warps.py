"""The warps along each dimension of a tensor."""

from __future__ import annotations

import random

import pytest

from weft import gluon as gl
from weft.errors import LayoutError
from weft.gluon.layouts import AMDWMMALayout, bases_per_dim, warps_per_cta

BLOCKED = gl.BlockedLayout([1, 4], [4, 8], [4, 2], [1, 0])
MMA = gl.NVMMADistributedLayout([2, 0], [2, 4], [16, 8])
LINEAR = gl.DistributedLinearLayout(
    [[0, 1]], [[1, 0], [2, 0], [4, 0], [8, 0], [0, 2]], [[16, 0], [0, 0], [0, 4]], [], [32, 8]
)


@pytest.mark.parametrize(
    ("layout", "warps"),
    [
        (BLOCKED, [4, 2]),
        (gl.SliceLayout(1, BLOCKED), [4, 2]),
        (MMA, [2, 4]),
        (gl.DotOperandLayout(0, MMA, 2), [2, 4]),
        (LINEAR, [2, 2]),
        (gl.SliceLayout(0, gl.DotOperandLayout(1, MMA, 2)), [2, 4]),
        (AMDWMMALayout(2, True, [[1, 0], [2, 0]]), [4, 1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_warps_along_each_dimension(layout, warps):
    assert gl._layouts.warps_per_cta(layout, (32, 8)) == warps


@pytest.mark.parametrize("layout", [gl.AutoLayout(), gl.SwizzledSharedLayout(1, 1, 1, [1, 0])])
def test_other_layouts_have_no_warps(layout):
    with pytest.raises(LayoutError, match=f"{type(layout).__name__} has no warps per CTA"):
        warps_per_cta(layout, [32, 8])


def test_zero_vectors_count_on_demand():
    bases = [[0, 1], [0, 0], [2, 0], [0, 0]]
    assert bases_per_dim(bases, 2) == [2, 2]
    assert bases_per_dim(bases, 2, skip_broadcast=False) == [4, 4]
    assert bases_per_dim([], 3) == [1, 1, 1]
    with pytest.raises(LayoutError, match="first basis vector is zero"):
        bases_per_dim([[0, 0]], 2, skip_broadcast=False)


@pytest.mark.oracle
def test_counts_are_tritons():
    from triton.experimental.gluon.language import _layouts

    rng = random.Random(0)
    for _ in range(200):
        vectors = [[rng.choice([0, 0, 1, 2, 4]) for _ in range(3)] for _ in range(rng.randrange(6))]
        bases = [[1, 0, 0], *vectors]
        for skip in (True, False):
            assert bases_per_dim(bases, 3, skip) == _layouts.bases_per_dim(bases, 3, skip)
