"""The child processes of a comparison, and the options that select what is compared."""

from __future__ import annotations

import argparse

import pytest

from benchmarks.compiler_process import Processes, add_options, each_name

MODULE = "tests.benchmarks.answering_process"


@pytest.mark.parametrize(
    ("device", "kinds"), [("cuda", ["weft", "triton"]), ("cpu", ["weft", "weft"])]
)
def test_a_process_for_each_compiler(device, kinds):
    with Processes(MODULE, [], device) as processes:
        answers = [each.ask({"number": 7}, 60) for each in processes.start().values()]
    assert answers == [{"compiler": kind, "request": 7} for kind in kinds]


def test_a_process_that_ends_is_started_again():
    with Processes(MODULE, [], "cuda") as processes:
        weft, triton = processes.start().values()
        assert weft.ask({"end": True}, 60) == {"error": "the process ended (3)"}
        again = processes.start()
        assert again["triton"] is triton
        assert again["weft"].ask({"number": 1}, 60) == {"compiler": "weft", "request": 1}
        error = again["weft"].ask({}, 60)["error"]
    assert error == "KeyError: 'number'"
    assert not again["weft"].is_alive


def test_names_of_the_options():
    parser = argparse.ArgumentParser()
    add_options(parser, "operation")
    names = ["softmax", "matmul", "log softmax"]
    assert list(each_name(names, parser.parse_args(["--only", "soft"]))) == [names[0], names[2]]
    assert list(each_name(names, parser.parse_args(["--seconds", "-1"]))) == []
