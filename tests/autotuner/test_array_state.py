"""Reset and restore arrays between measurements."""

from __future__ import annotations

import numpy as np
import pytest

from tests.launch.fake_cuda import CudaArray
from tests.launch.test_array_protocols import Dlpack
from weft.autotuner.array_state import copy_array, restore_array, zero_array
from weft.errors import LaunchError


class Torch:
    """A class with the methods of a torch tensor."""

    def __init__(self, value: float) -> None:
        self.value = value

    def zero_(self) -> None:
        self.value = 0.0

    def clone(self) -> Torch:
        return Torch(self.value)

    def copy_(self, other: Torch) -> None:
        self.value = other.value


def test_arrays_of_any_library_are_reset_and_restored():
    tensor, array = Torch(3.0), np.full(4, 3.0, np.float32)
    for each, values in (
        (tensor, lambda: tensor.value),
        (Dlpack(array), array.max),
        (array, array.max),
    ):
        copy = copy_array(each, "x")
        zero_array(each, "x")
        assert values() == 0
        restore_array(each, copy, "x")
        assert values() == 3
    with pytest.raises(LaunchError, match="parameter x is not an array and cannot be reset"):
        zero_array(3, "x")
    with pytest.raises(LaunchError, match="Pointer argument x cannot be accessed"):
        copy_array(CudaArray(array), "x")
