"""Functions of the vendors' libraries at the edges of their domains."""

from __future__ import annotations

import numpy as np

from tests.simulator.programs import of_each_thread


def test_positive_difference():
    inf, nan = np.inf, np.nan
    cases = [
        # x, y, x - y where x is greater
        (3, 1, 2), (1, 3, 0), (2, 2, 0), (-1, -3, 2), (-3, -1, 0), (inf, 1, inf), (inf, inf, 0),
        (-inf, inf, 0), (-inf, -inf, 0), (1, -inf, inf), (nan, 1, nan), (1, nan, nan),
    ]  # fmt: skip
    x, y, expected = np.array(cases, np.float32).T.copy()
    for name in ("__nv_fdimf", "__ocml_fdim_f32"):
        actual = of_each_thread(f"call float @{name}(float %x, float %y)", x, y)
        np.testing.assert_array_equal(actual, expected)
        assert not np.signbit(actual[expected == 0]).any()
