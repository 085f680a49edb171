"""Choose meta-parameters: `weft.autotune`, `weft.heuristics`, `weft.search_space`.

config.py, search_space.py   configurations to try
decorator.py                 `weft.autotune`
autotuner.py                 measure and choose; config_cache.py finds a choice again
trials.py                    results, on disk and as a table
timing.py                    time a call on the CPU or on a GPU
array_state.py               reset and restore arrays between runs
heuristics.py                parameters computed from other arguments
"""
