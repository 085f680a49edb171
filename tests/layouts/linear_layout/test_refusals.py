"""What LinearLayout refuses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.layouts.linear_layout.points import LINE, PAIR, SQUARE
from weft.errors import LayoutError
from weft.layouts import LinearLayout


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearLayout.identity_1d(3, "r", "d"), "the size of r must be a power of two"),
        (lambda: LinearLayout.strided_1d(4, 3, "r", "d"), "the stride must be a power of two"),
        (lambda: LinearLayout.zeros_1d(2, "r", "d", 3), "the size of d must be a power of two"),
        (lambda: LinearLayout.from_bases({"r": [[2]]}, ["a"]), "the layout is not surjective"),
        (lambda: SQUARE.images("warp"), "no in-dimension warp"),
        (lambda: SQUARE.in_size("warp"), "no in-dimension warp"),
        (lambda: PAIR.basis("r", 1), "r has 1 bits"),
        (lambda: PAIR.basis("r", -1), "r has 1 bits"),
        (lambda: PAIR.out_size("c"), "no out-dimension c"),
        (lambda: LINE * PAIR.transpose_outs(["b", "a"]) * PAIR, "orders that disagree"),
        (lambda: PAIR.quotient(["c"]), "no dimension c"),
        (
            lambda: LinearLayout.zeros_1d(2, "r", "a").invert(),
            "a layout that is not invertible has no inverse",
        ),
        (
            lambda: LinearLayout.zeros_1d(2, "r", "a", 2).pseudoinvert(),
            "the outer layout must reach every output that the inner one reaches",
        ),
        (
            lambda: LINE.compose(LinearLayout.identity_1d(4, "b", "c")),
            "the inner layout's out-dimensions must be the outer one's in-dimensions",
        ),
        (
            lambda: LINE.compose(LinearLayout.identity_1d(2, "a", "c")),
            "a must not be larger than in the outer layout, 2",
        ),
        (
            lambda: LINE.invert_and_compose(LinearLayout.identity_1d(4, "b", "c")),
            "both layouts must have the same out-dimensions",
        ),
        (
            lambda: LINE.invert_and_compose(LinearLayout.identity_1d(2, "b", "a")),
            "a must not be larger than in the outer layout, 2",
        ),
        (
            lambda: LINE.invert_and_compose(LinearLayout.zeros_1d(2, "b", "a", 4)),
            "the outer layout must reach every output that the inner one reaches",
        ),
        (lambda: SQUARE.transpose_ins(["lane"]), "the order must name each in-dimension once"),
        (lambda: SQUARE.transpose_outs(["dim0"]), "the order must name each out-dimension once"),
        (lambda: SQUARE.reshape_outs({"a": 8}), "the new out-dimensions must have 16 values"),
        (lambda: SQUARE.reshape_ins({"a": 8}), "the new in-dimensions must have 16 values"),
        (lambda: SQUARE.resize_in("lane", 8), "lane can only shrink: its size is 4"),
        (lambda: SQUARE.resize_out("dim1", 8), "dim1 can only shrink: its size is 4"),
        (lambda: SQUARE.resize_out("x", 8), "no out-dimension x"),
        (lambda: SQUARE.sublayout(["lane"], ["x"]), "no out-dimension x"),
        (lambda: SQUARE.sublayout(["x"], ["dim0"]), "no in-dimension x"),
        (lambda: PAIR.rename_in("r", "l"), "there is an in-dimension l already"),
        (lambda: PAIR.rename_in("x", "y"), "no in-dimension x"),
        (lambda: PAIR.rename_out("a", "b"), "there is an out-dimension b already"),
        (lambda: PAIR.rename_out("c", "b"), "no out-dimension c"),
        (lambda: PAIR.concat_ins(PAIR), "both layouts have the in-dimension r"),
        (lambda: PAIR.concat_outs(PAIR), "both layouts have the out-dimension a"),
        (
            lambda: PAIR.concat_ins(LinearLayout.identity_1d(2, "x", "a")),
            "the same out-dimensions and sizes",
        ),
        (
            lambda: PAIR.concat_outs(LinearLayout.identity_1d(2, "r", "c")),
            "the same in-dimensions and sizes",
        ),
        (lambda: PAIR.unsqueeze_in("r"), "r must have size 1 to go away"),
        (lambda: PAIR.unsqueeze_out("a"), "a must have size 1 to go away"),
        (lambda: PAIR.remove_zero_bases("x"), "no in-dimension x"),
        (lambda: SQUARE.apply({"register": 4, "lane": 0}), "register must be in 0..3"),
        (lambda: SQUARE.apply({"register": -1, "lane": 0}), "register must be in 0..3"),
        (lambda: SQUARE.apply({"register": 0}), "no value for in-dimension lane"),
        (lambda: SQUARE.apply({"register": 0, "lane": 0, "x": 0}), "no in-dimension x"),
        (lambda: SQUARE.apply({"register": np.array([4]), "lane": 0}), "register must be in 0..3"),
        (lambda: SQUARE.apply({"register": np.array([-1]), "lane": 0}), "register must be in 0..3"),
        (lambda: SQUARE.apply({"register": np.array([0])}), "no value for in-dimension lane"),
        (lambda: SQUARE.apply({"register": np.array([0.5]), "lane": 0}), "must hold integers"),
        (lambda: LinearLayout.zeros_1d(1 << 29, "r", "a").table(), "at most 2^28 inputs"),
        (
            lambda: LinearLayout.zeros_1d(2, "r", "a", 1 << 63).table(),
            "outputs of 62 bits",
        ),
        (
            lambda: LinearLayout.zeros_1d(2, "r", "a", 1 << 63).apply({"r": np.array([0])}),
            "coordinates of at most 62 bits",
        ),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
