"""Tests; a package so that `tests.oracle` is found before any other module named tests."""
