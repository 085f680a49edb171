"""Help for tests of passes and kernels."""

from weft.testing.check_pass import Difference, check_pass

__all__ = ["Difference", "check_pass"]
