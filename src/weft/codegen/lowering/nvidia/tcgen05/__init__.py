"""The fifth generation of tensor cores and its tensor memory (TMEM): PTX's tcgen05 instructions."""
