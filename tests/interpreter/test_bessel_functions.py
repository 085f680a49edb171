"""Bessel functions beside integrals that are summed another way, and at their edges."""

from __future__ import annotations

import numpy as np
import pytest

from weft.interpreter.bessel_functions import j, y
from weft.simulator.math.bessel import first_kind, second_kind

X = np.concatenate([np.geomspace(1e-6, 2e3, 80), np.linspace(0.1, 60, 120)])


@pytest.mark.parametrize("order", [0, 1, 2, 5, 40])
def test_recurrence_agrees_with_the_integral(order):
    """An absolute error beside the waves' height, a relative one where Y grows beyond it."""
    first = np.array([first_kind(order, x) for x in X])
    assert np.abs(j(order, X) - first).max() < 2e-14
    near = X > order / 8  # below it Y is too large for the integral's terms
    second = np.array([second_kind(order, x) for x in X[near]])
    assert (np.abs(y(order, X[near]) - second) / np.maximum(np.abs(second), 0.01)).max() < 1e-11


def test_edges():
    inf = np.inf
    assert j(0, np.array([0.0, inf, -inf])).tolist() == [1.0, 0.0, 0.0]
    assert j(3, np.array([0.0, inf])).tolist() == [0.0, 0.0]
    assert y(2, np.array([0.0, inf])).tolist() == [-inf, 0.0]
    assert np.isnan(y(1, np.array([-1.0, np.nan]))).all()
    assert np.isnan(j(np.array([-1]), np.array([1.0]))).all()
    assert np.isnan([first_kind(-1, 1.0), second_kind(0, -1.0)]).all()
    assert (j(1, np.array([-2.0])) == -j(1, np.array([2.0]))).all()
    assert (j(2, np.array([-2.0])) == j(2, np.array([2.0]))).all()
    assert np.isclose(j(2, np.array([1e-9]))[0], 1.25e-19)
    assert second_kind(1, 0.0) == -inf
    assert y(4, np.array([1e-200]))[0] == -inf
