"""Elementary functions of 32-bit floats where no chip has an instruction that is exact enough.

Each is a short polynomial with coefficients rounded to f32, from a Chebyshev interpolation of the
function in much higher precision; tests/codegen/test_elementary.py states how far from the true
values they are, in units of the last place.
"""
