"""Accesses to global memory in compiled kernels."""

from __future__ import annotations

import pytest

from tests.explain.modules import module_of, required
from tests.explain.reports import copy
from weft.explain import explain
from weft.explain.global_memory import find_accesses
from weft.explain.labels import Labels


@pytest.mark.parametrize(
    ("signature", "bits", "limit"),
    [
        ("*fp32:16, *fp32:16, i32:16, 1024", 128, "widest"),
        ("*fp32, *fp32, i32:16, 1024", 32, "divisibility"),
        ("*fp32:16, *fp32:16, i32, 1024", 32, "mask"),
        ("*fp32:16, *fp32:16, i32:16, 128", 32, "share"),
    ],
)
def test_limit(signature, bits, limit):
    report = explain(copy, signature=signature, target="cuda:90", stop_after="layout")
    load, store = report.memory
    assert (load.op, store.op) == ("tt.load", "tt.store")
    assert (load.vector_bits, load.limit) == (bits, limit)
    # With the mask, a thread has 4 contiguous elements but accesses one at a time: with gaps.
    assert load.sectors_per_request == (16 if limit in ("widest", "mask") else 4)


BODY = """
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #narrow>
    %b = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #narrow>
    %p = tt.addptr %b, %i : tensor<1024x!tt.ptr<f16>, #narrow>, tensor<1024xi32, #narrow>
    scf.for %j = %n to %n step %n  : i32 {
      %v = tt.load %p : tensor<1024x!tt.ptr<f16>, #narrow> loc("k.py":7:0)
      tt.store %p, %v : tensor<1024x!tt.ptr<f16>, #narrow>
    }
    %s = tt.load %x : !tt.ptr<f16>"""


def test_fields():
    module = module_of(BODY, "%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32")
    load, store = find_accesses(module, Labels(module))
    assert (load.op, required(load.location).line, load.type) == ("tt.load", 7, "1024xf16")
    assert (load.loop_depth, load.vector_bits, load.limit) == (1, 16, "share")
    assert (load.requests, load.sectors, load.ideal_sectors) == (32, 64, 64)
    assert (store.op, store.type, store.layout) == ("tt.store", "1024xf16", "#blocked")
    assert load.value != store.value  # the loaded value; the pointers of a store
