"""Global and shared memory: bounds checks, loads and stores, atomics, matrix loads."""
