"""Run a Gluon kernel on the CPU device and in the simulator of chips, and compare with numpy.

For a chip the kernel is also compiled to the chip's machine code, or to PTX.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from weft.kernel.compiled_kernel import CompiledKernel
from weft.testing import simulate

__all__ = ["CPU", "check", "devices"]

CPU = "cpu"


def devices(*chips: str) -> pytest.MarkDecorator:
    """Parametrize a test by the CPU device, then by the simulators of chips."""
    return pytest.mark.parametrize("device", [CPU, *chips])


def check(
    device: str,
    launch: Callable[[], CompiledKernel],
    outputs: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    tolerance: float = 0.0,
) -> None:
    """Launch a kernel on a device, and compare the arrays that it writes.

    Args:
        device: `CPU`, or a chip to simulate.
        launch: Launches the kernel, and returns what the launch does.
        outputs: The arrays that it writes; they are filled with ones first.
        expected: Their contents afterwards.
        tolerance: The relative and absolute tolerance, 0 for equal bits.
    """
    for output in outputs:
        output[...] = 1
    if device == CPU:
        launch()
    else:
        with simulate(device):
            compiled = launch()
        code = "hsaco" if device.startswith("hip") else "ptx"
        assert compiled.asm[code]
    for output, values in zip(outputs, expected, strict=True):
        if tolerance:
            np.testing.assert_allclose(
                output.astype("f4"), values.astype("f4"), rtol=tolerance, atol=tolerance
            )
        else:
            np.testing.assert_array_equal(output, values)
