"""Benchmarks; a package so that it is found before any other module of that name."""
