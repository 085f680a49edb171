"""perf_report: tables, CSV files and plots."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from weft.errors import WeftError
from weft.testing import Benchmark, perf_report


def benchmark(**changes) -> Benchmark:
    arguments = {
        "x_names": ["n"], "x_vals": [1024, 2048], "line_arg": "provider",
        "line_vals": ["a", "b"], "line_names": ["A", "B"], "plot_name": "add", "args": {"scale": 2},
    }  # fmt: skip
    return Benchmark(**(arguments | changes))


def measure(n, provider, scale, **more):
    return n * scale + (provider == "b")


def test_table(capsys):
    table = perf_report(benchmark())(measure).run(print_data=True, return_df=True)
    assert table.columns == ("n", "A", "B")  # pyright: ignore[reportAttributeAccessIssue]
    assert table.rows == ((1024, 2048.0, 2049.0), (2048, 4096.0, 4097.0))  # pyright: ignore[reportAttributeAccessIssue]
    assert capsys.readouterr().out == "add:\n   n     A     B\n1024  2048  2049\n2048  4096  4097\n"


def test_ranges_have_columns_for_minimum_and_maximum():
    def ranged(n, provider, scale):
        return n, n - 1, n + 1

    table = perf_report(benchmark())(ranged).run(return_df=True)
    assert table.columns == ("n", "A", "A-min", "A-max", "B", "B-min", "B-max")  # pyright: ignore[reportAttributeAccessIssue]


def test_files(tmp_path, capsys):
    mark = perf_report([benchmark(), benchmark(plot_name="mul")])(measure)
    assert len(mark.run(save_path=tmp_path, show_plots=True, return_df=True)) == 2  # pyright: ignore[reportArgumentType]
    assert (tmp_path / "add.csv").read_text().splitlines()[0] == "n,A,B"
    assert (tmp_path / "mul.svg").read_text().startswith("<svg")
    assert capsys.readouterr().out.splitlines()[0] == str(tmp_path / "add.svg")


def test_data_frames_if_pandas_is_imported(monkeypatch):
    pandas = SimpleNamespace(DataFrame=lambda rows, columns: (rows, columns))
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    rows, columns = perf_report(benchmark(x_vals=[1]))(measure).run(return_df=True)  # pyright: ignore[reportGeneralTypeIssues]
    assert (rows, columns) == ([(1, 2.0, 3.0)], ["n", "A", "B"])


def test_values_for_several_arguments():
    def area(m, n, provider, scale):
        return m * n

    two = benchmark(x_names=["m", "n"], x_vals=[(2, 3), 4])
    table = perf_report(two)(area).run(return_df=True)
    assert [row[:3] for row in table.rows] == [(2, 3, 6.0), (4, 4, 16.0)]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(WeftError, match=r"Expected 2 values, got \(1, 2, 3\)"):
        perf_report(benchmark(x_names=["m", "n"], x_vals=[(1, 2, 3)]))(area).run()
