"""SHA-256 without OpenSSL, which `hashlib` loads first and a compile has no other use for.

Python's own `random` does the same. Where Python has it under another name, hashlib's is as good.
"""

from __future__ import annotations

try:
    from _sha256 import sha256  # pyright: ignore[reportMissingImports]
except ImportError:
    from hashlib import sha256

__all__ = ["sha256"]
