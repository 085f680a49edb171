"""Every dump of Triton's pipelines for two examples: read, checked, printed back the same."""

from __future__ import annotations

import pytest

from tests.oracle.dumps import count

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("target", ["cuda:90", "cuda:100", "hip:gfx950", "hip:gfx1250"])
@pytest.mark.parametrize("only", ["matmul-0", "attention-0"])
def test_round_trip(only: str, target: str) -> None:
    counted = count(only, (target,))
    assert counted.wrong == []
    assert counted.total["plain"] > 10
