"""The digest of a kernel is the same wherever it is computed."""

from __future__ import annotations

import hashlib

import pytest

from weft.runtime.digests import sha256


@pytest.mark.parametrize("data", [b"", b"weft", bytes(range(256)) * 100])
def test_it_is_sha_256(data):
    digest = sha256(data)
    assert digest.hexdigest() == hashlib.sha256(data).hexdigest()
    digest.update(b"more")
    assert digest.hexdigest() == hashlib.sha256(data + b"more").hexdigest()
