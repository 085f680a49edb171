"""Triton's name for weft, where the parent of this folder is in PYTHONPATH.

Importing this package lets `import triton` find weft, and puts `weft.compat` in its place.
"""

import sys
from importlib import import_module

from weft.compat.as_triton import install

install()
sys.modules[__name__] = import_module(__name__)
