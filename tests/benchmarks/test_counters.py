"""benchmarks.counters: what ncu prints is read, and compared with predictions; without a GPU."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from benchmarks.counters import CASES, METRICS, compare, parse, predicted_metrics, to_tensor
from weft.simulator import Count

CSV = """\
==PROF== Connected to process 1
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","softmax_row","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","","1,024"
"0","softmax_row","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","16,384"
"0","softmax_row","sm__cycles_active.avg","cycle","7"
"""
TABLE = {
    ("global load", 128): Count(8, 1000, sectors=16000, global_requests=1000),
    ("global load", 32): Count(1, 24, sectors=384, global_requests=24),
    ("matrix load", 128): Count(8, 32, 128, 0),
    ("shared load", 32): Count(1, 4, 4, 0),
}


def test_metrics_of_ncu_are_read():
    values = parse(CSV)
    assert values == {
        "t_requests_pipe_lsu_mem_global_op_ld.sum": 1024,
        "t_sectors_pipe_lsu_mem_global_op_ld.sum": 16384,
    }
    assert parse("nothing") == {}


def test_kinds_and_widths_add_up():
    metrics = predicted_metrics(TABLE)
    assert metrics["t_requests_pipe_lsu_mem_global_op_ld.sum"] == 1024
    assert metrics["data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == 132
    assert metrics["t_sectors_pipe_lsu_mem_global_op_st.sum"] == 0


def test_a_difference_over_one_percent_is_marked():
    rows = list(compare("softmax 0", TABLE, TABLE, parse(CSV)))
    by_metric = {row.metric: row for row in rows}
    assert by_metric["t_sectors_pipe_lsu_mem_global_op_ld.sum"].is_close
    wavefronts = by_metric["data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]
    assert not wavefronts.is_close
    assert str(wavefronts).endswith(" !")
    assert all(row.is_close for row in compare("softmax 0", TABLE, TABLE, None))


def test_there_are_twenty_cases_and_known_metrics():
    assert len(CASES) == 20
    assert {path.stem for path, _ in CASES} >= {"matmul", "attention", "softmax", "transpose"}
    assert all(metric.endswith(".sum") for metric in METRICS)


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.int64, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn]
)
def test_arrays_become_tensors_of_their_type(dtype):
    torch = pytest.importorskip("torch")
    tensor = to_tensor(np.array([[1, 2], [3, 4]], dtype)[:, ::-1])
    assert tensor.dtype == getattr(torch, np.dtype(dtype).name)
    assert tensor.to(torch.float32).tolist() == [2, 1, 4, 3]
