"""`kernel.device_caches` shows and clears the kernels of each device."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft import knobs


@weft.jit
def fill(x, n: tl.constexpr):
    tl.store(x, n)


@pytest.fixture
def kernel():
    return weft.jit(fill.fn)


def test_kernels_of_the_cpu_device(kernel):
    array = np.zeros(1, np.int32)
    for device in (None, "cpu", 0):
        assert len(kernel.device_caches[device][0]) == 0
    assert list(kernel.device_caches) == []
    launches = [kernel[(1,)](array, n) for n in (3, 4, 3)]
    for device in (None, "cpu", 0):
        (kernels,) = kernel.device_caches[device]
        assert list(kernels.values()) == launches[:2]
    assert list(kernel.device_caches) == [None]


def test_keys_are_those_of_the_hooks(kernel):
    keys = []
    with knobs.runtime.scope():
        knobs.runtime.jit_cache_hook = lambda **details: keys.append(details["key"])
        loaded = kernel[(1,)](np.zeros(1, np.int32), 3)
    (kernels,) = kernel.device_caches[0]
    assert keys == list(kernels)
    assert kernels[keys[0]] is loaded


@pytest.mark.parametrize(
    "clear", [lambda caches: caches.clear(), lambda caches: caches[0][0].clear()]
)
def test_cleared_kernels_are_compiled_again(kernel, clear):
    array = np.zeros(1, np.int32)
    before = kernel[(1,)](array, 3)
    clear(kernel.device_caches)
    assert not kernel.cache
    assert kernel[(1,)](array, 3) is not before
