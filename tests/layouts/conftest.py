"""Hypothesis settings of the room: a slow machine is no wrong answer."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("layouts", deadline=None, max_examples=40)
settings.load_profile("layouts")
