from __future__ import annotations

import pytest

from weft.explain.trip_counts import trip_counts
from weft.ir import scf, tt
from weft.ir.text import parse_module

MODULE = """\
module {{
  tt.func public @f(%p: !tt.ptr<f32>, %n: i32) {{
    %lower = arith.constant {lower} : i32
    %upper = arith.constant {upper} : i32
    %step = arith.constant {step} : i32
    scf.for %i = %lower to %upper step %step : i32 {{
      scf.for %j = %lower to %n step %step : i32 {{
        %x = tt.load %p : !tt.ptr<f32>
      }}
    }}
    tt.return
  }}
}}
"""


@pytest.mark.parametrize(
    ("lower", "upper", "step", "count"),
    [(0, 64, 16, 4), (0, 65, 16, 5), (3, 4, 1, 1), (8, 8, 1, 0), (9, 8, 1, 0), (-4, 4, 2, 4)],
)
def test_constant_bounds(lower, upper, step, count):
    module = parse_module(MODULE.format(lower=lower, upper=upper, step=step))
    (load,) = (op for op in module.walk() if isinstance(op, tt.LoadOp))
    # The bound of the inner loop is an argument.
    assert trip_counts(load) == (count, None)
    outer = next(op for op in module.walk() if isinstance(op, scf.ForOp))
    assert trip_counts(outer) == ()
