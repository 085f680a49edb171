"""Elementary functions of 32-bit floats where no chip has an instruction that is exact enough.

Each is a short polynomial with coefficients rounded to f32, from a Chebyshev interpolation of the
function in much higher precision; tests/codegen/lowering/test_math.py bounds the errors, in
units in the last place.
"""
