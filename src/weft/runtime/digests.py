"""SHA-256 without OpenSSL, which `hashlib` loads first and a compile has no other use for.

Python's own `random` does the same. Where Python has it under another name, hashlib's is as good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha256 import sha256
    except ImportError:
        from hashlib import sha256

__all__ = ["sha256"]
