"""Property: compile-time evaluation of an expression equals Python's."""

from __future__ import annotations

import importlib.util
from itertools import count

from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from .conftest import lower_kernel

LEAVES = st.integers(-50, 50).map(lambda n: f"({n})")
BINARY = st.sampled_from(
    ["+", "-", "*", "//", "%", "&", "|", "^", "<", "<=", "==", "!=", ">", "and", "or"]
)
NUMBERS = count()


def grow(inner):
    pairs = st.tuples(inner, BINARY, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
    unary = st.tuples(st.sampled_from(["-", "~", "not "]), inner).map(lambda t: f"({t[0]}{t[1]})")
    choice = st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})")
    return pairs | unary | choice


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.recursive(LEAVES, grow, max_leaves=10))
def test_constant_expression_is_evaluated_as_in_python(tmp_path, text):
    try:
        value = eval(text)
    except ZeroDivisionError:
        reject()
    path = tmp_path / f"expression_{next(NUMBERS)}.py"
    path.write_text(
        "import weft.language as tl\n"
        "from weft.language.kernel_function import kernel_function\n"
        "@kernel_function\n"
        "def kernel(p):\n"
        f"    x: tl.constexpr = {text}\n"
        f"    tl.static_assert(x == {value!r}, f'got {{x}}')\n"
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lower_kernel(module.kernel)
