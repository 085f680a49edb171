"""The buffer of an mbarrier for clusters of several sizes."""

from __future__ import annotations

import pytest

from weft.ir.text import parse_module
from weft.passes.rewrite.mbarrier import mbarrier_type


@pytest.mark.parametrize(
    ("ctas", "text"),
    [
        (1, "memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, "),
        (4, "order = [0], CGALayout = [[1], [2]]}>, #ttg.shared_memory, mutable>"),
    ],
)
def test_one_word_per_cta(ctas, text):
    module = parse_module(f'module attributes {{"ttg.num-ctas" = {ctas} : i32}} {{}}')
    type_ = mbarrier_type(module)
    assert text in str(type_)
    assert type_.shape == (ctas,)
