"""The meaning of TTIR: kernels run on whole tiles with numpy. Also the embedded device "cpu".

    run(module, "softmax", (256,), [out, x, 781, 781, 256, 781])

A launch runs many program instances at once along a leading axis (`values`), on an address
space in which every array has room around it (`memory`). Functions are compiled once into
lists of closures (`scope`); each family of operations has a file in `ops`.
"""

from weft.interpreter.launch import Kernel, prepare, run
from weft.interpreter.tally import Tally, Traffic

__all__ = ["Kernel", "Tally", "Traffic", "prepare", "run"]
