"""Arguments of a launch bound to the parameters of a kernel."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.errors import LaunchError
from weft.launch.binding import bind


@weft.jit
def scale(x, n, factor, BLOCK: tl.constexpr, kpack=3):
    pass


def bind_error(*args, **kwargs) -> str:
    with pytest.raises(LaunchError) as caught:
        bind(scale, args, kwargs)
    return str(caught.value)


def test_values_defaults_and_options():
    values, options = bind(scale, (1, 2), {"BLOCK": 64, "factor": 0.5, "num_warps": 8})
    assert list(values.items()) == [
        ("x", 1), ("n", 2), ("factor", 0.5), ("BLOCK", 64), ("kpack", 3),
    ]  # fmt: skip
    assert options == {"num_warps": 8}


def test_the_number_of_warps_is_an_option_even_if_a_parameter_has_its_name():
    @weft.jit
    def kernel(x, num_warps: tl.constexpr):
        pass

    arguments, options = bind(kernel, (1,), {"num_warps": 8})
    assert arguments == {"x": 1, "num_warps": 8}
    assert options == {"num_warps": 8}


def test_a_parameter_takes_precedence_over_an_option_of_its_name():
    values, options = bind(scale, (1, 2, 3, 4), {"kpack": 9})
    assert values["kpack"] == 9
    assert not options


def test_missing_arguments_are_an_error():
    text = bind_error(1, factor=2)
    assert "scale missing required arguments: n, BLOCK" in text
    assert "found: x, factor" in text
    assert "accepted: x, n, factor, BLOCK, kpack" in text
    assert "pass constants by name: BLOCK=…" in text


def test_too_many_arguments_are_an_error():
    assert "scale takes 5 arguments but 6 were given" in bind_error(1, 2, 3, 4, 5, 6)


def test_an_argument_given_twice_is_an_error():
    text = bind_error(1, 2, n=3)
    assert "scale got multiple values for argument n" in text
    assert "found: argument 1 and n=…" in text


def test_unknown_keywords_are_an_error():
    text = bind_error(1, 2, 3, BLOK=4)
    assert "scale: Keyword argument BLOK was specified but unrecognised" in text
    assert "did you mean BLOCK?" in text
    assert "did you mean num_stages" in bind_error(1, 2, 3, 4, num_stage=4)
