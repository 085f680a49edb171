"""SHA-256 without OpenSSL, which `hashlib` loads first and a compile has no other use for.

Python's own `random` does the same. The module is `_sha256`, from Python 3.12 on `_sha2`; where it
is neither, hashlib's is as good.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256
    except ImportError:
        from hashlib import sha256

__all__ = ["sha256"]
