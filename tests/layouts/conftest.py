"""Hypothesis settings of the layout tests: no deadline, so that slow machines do not fail."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("layouts", deadline=None, max_examples=40)
settings.load_profile("layouts")
