"""Instructions that the emulator lacks or runs wrong, written from AMD's ISA documents.

    correction.py     what a correction is, and the table of them
    wave.py           the registers and the memory of a wavefront as numpy arrays
    decoding.py       instructions that the emulator's decoder lacks or takes for another chip's
    dpp.py, lanes.py  values of other lanes
    buffers.py, atomics.py, lds.py, scratch.py
    matrix.py         MFMA and WMMA
    conversions.py    fp4
    delays.py         LDS operations that complete at the last moment that the ISA allows
    installation.py   put the corrections in the place of the emulator's instructions

Each is shown by test_corrections.py or test_matrix_corrections.py: the emulator gives another
result than the ISA's, the correction gives the ISA's.
"""
