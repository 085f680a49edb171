"""Elements of vectors and members of structs."""

from __future__ import annotations

import numpy as np

from tests.simulator.programs import run_text


def test_extract_and_insert_element():
    x = np.arange(128, dtype=np.int32)
    values = np.zeros(128, np.int32)
    body = """
  %a = getelementptr <4 x i32>, ptr addrspace(1) %p0, i32 %i
  %v = load <4 x i32>, ptr addrspace(1) %a, align 16
  %e = extractelement <4 x i32> %v, i32 3
  %which = and i32 %i, 3
  %f = extractelement <4 x i32> %v, i32 %which
  %w0 = insertelement <4 x i32> <i32 7, i32 7, i32 7, i32 7>, i32 %e, i32 0
  %w1 = insertelement <4 x i32> %w0, i32 %f, i32 %which
  %to = getelementptr <4 x i32>, ptr addrspace(1) %p1, i32 %i
  store <4 x i32> %w1, ptr addrspace(1) %to, align 16
  ret void"""
    report = run_text(body, [x, values])
    expected = np.full((32, 4), 7)
    rows, thread = x.reshape(32, 4), np.arange(32)
    expected[:, 0] = rows[:, 3]
    expected[thread, thread % 4] = rows[thread, thread % 4]
    np.testing.assert_array_equal(values.reshape(32, 4), expected)
    assert report.global_memory.accesses == {("load", 16): 1, ("store", 16): 1}


def test_insert_and_extract_value():
    x = np.arange(32, dtype=np.int32)
    output = np.zeros(32, np.int32)
    run_text(
        """
  %a = insertvalue { i32, i32 } poison, i32 %i, 1
  %s = insertvalue { i32, i32 } %a, i32 7, 0
  %first = extractvalue { i32, i32 } %s, 0
  %second = extractvalue { i32, i32 } %s, 1
  %sum = add i32 %first, %second
  %to = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  store i32 %sum, ptr addrspace(1) %to, align 4
  ret void""",
        [output],
    )
    np.testing.assert_array_equal(output, x + 7)
