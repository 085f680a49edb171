"""Counter-based random numbers: Philox 4×32 and 4×64.

The generator has no state. The same seed and offset give the same number in every program, so a
backward pass can regenerate the numbers of the forward pass.

    rand(seed, offsets)     one fp32 in [0, 1) per offset
    randn(seed, offsets)    one fp32 of the standard normal distribution per offset

Variables have the names of Triton's library, because the IR shows them (`%seed_lo = arith.trunci`).

Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011 (round and key
constants).
"""

# In a kernel, a parameter annotated `constexpr` takes any constant: `k: constexpr = None`.
# pyright: reportAssignmentType=false, reportRedeclaration=false
from __future__ import annotations

from weft.language.arithmetic import add, maximum, mul, where
from weft.language.constexpr import constexpr
from weft.language.creation import cast, full, to_tensor
from weft.language.debugging import static_assert
from weft.language.dtypes import int32, int64, uint32, uint64
from weft.language.iterators import static_range
from weft.language.kernel_function import kernel_function
from weft.language.math import cos, log, sin, sqrt, umulhi

__all__ = [
    "N_ROUNDS_DEFAULT",
    "pair_uniform_to_normal",
    "philox",
    "philox_impl",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "uint_to_uniform_float",
]

N_ROUNDS_DEFAULT = constexpr(10)

_ROUND_A_32 = constexpr(0xD2511F53)
_ROUND_B_32 = constexpr(0xCD9E8D57)
_KEY_A_32 = constexpr(0x9E3779B9)
_KEY_B_32 = constexpr(0xBB67AE85)
_ROUND_A_64 = constexpr(0xD2E7470EE14C6C93)
_ROUND_B_64 = constexpr(0xCA5A826395121157)
_KEY_A_64 = constexpr(0x9E3779B97F4A7C15)
_KEY_B_64 = constexpr(0xBB67AE8584CAA73B)

_LOW_HALF = constexpr(0xFFFFFFFF)
_SCALE_32 = constexpr(4.6566127342e-10)
_SCALE_64 = constexpr(1.0842020432385337e-19)
_SMALLEST_UNIFORM = constexpr(1.0e-7)
_TWO_PI = constexpr(6.283185307179586)


@kernel_function
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: constexpr = N_ROUNDS_DEFAULT):
    """Apply `n_rounds` Philox rounds to the counter (c0, c1, c2, c3) with the key (k0, k1)."""
    if c0.dtype == uint32:
        round_a: constexpr = _ROUND_A_32
        round_b: constexpr = _ROUND_B_32
        key_a: constexpr = _KEY_A_32
        key_b: constexpr = _KEY_B_32
    else:
        static_assert(c0.dtype == uint64, "philox requires a uint32 or uint64 counter")
        round_a: constexpr = _ROUND_A_64
        round_b: constexpr = _ROUND_B_64
        key_a: constexpr = _KEY_A_64
        key_b: constexpr = _KEY_B_64
    for _ in static_range(n_rounds):
        A = round_a
        B = round_b
        _c0, _c2 = c0, c2
        c0 = umulhi(B, _c2) ^ c1 ^ k0
        c2 = umulhi(A, _c0) ^ c3 ^ k1
        # The arithmetic is modulo 2 to the bits: overflow is no mistake.
        c1 = mul(B, _c2, sanitize_overflow=False)
        c3 = mul(A, _c0, sanitize_overflow=False)
        k0 = add(k0, key_a, sanitize_overflow=False)
        k1 = add(k1, key_b, sanitize_overflow=False)
    return c0, c1, c2, c3


@kernel_function
def philox(seed, c0, c1, c2, c3, n_rounds: constexpr = N_ROUNDS_DEFAULT):
    """Return four random integers of c0's width, 32 or 64 bits, for a counter (c0, c1, c2, c3)."""
    seed = to_tensor(seed)
    static_assert(seed.dtype.is_int(), "philox requires an integer seed")
    seed = cast(seed, uint64)
    c0 = to_tensor(c0)
    c1 = to_tensor(c1)
    c2 = to_tensor(c2)
    c3 = to_tensor(c3)
    if c0.dtype.primitive_bitwidth == 32:
        word: constexpr = uint32
        seed_hi = cast((seed >> 32) & _LOW_HALF, uint32)
        seed_lo = cast(seed & _LOW_HALF, uint32)
    else:
        static_assert(
            c0.dtype.primitive_bitwidth == 64, "philox requires a 32-bit or 64-bit counter"
        )
        word: constexpr = uint64
        seed_hi = full((1,), 0, uint64)
        seed_lo = seed
    c0 = cast(c0, word, bitcast=True)
    c1 = cast(c1, word, bitcast=True)
    c2 = cast(c2, word, bitcast=True)
    c3 = cast(c3, word, bitcast=True)
    return philox_impl(c0, c1, c2, c3, seed_lo, seed_hi, n_rounds)


@kernel_function
def randint4x(seed, offset, n_rounds: constexpr = N_ROUNDS_DEFAULT):
    """Return four blocks of random uint32 with the shape of `offset`."""
    offset_lo = cast(offset, uint32)
    _0 = offset_lo * 0
    if offset.dtype.primitive_bitwidth > 32:
        offset_hi = cast(offset >> 32, uint32)
    else:
        offset_hi = _0
    return philox(seed, offset_lo, offset_hi, _0, _0, n_rounds)


@kernel_function
def randint(seed, offset, n_rounds: constexpr = N_ROUNDS_DEFAULT):
    """Return one random uint32 per element of `offset`; `randint4x` returns four at that cost."""
    ret, _, _, _ = randint4x(seed, offset, n_rounds)
    return ret


@kernel_function
def uint_to_uniform_float(x):
    """Convert random integers of 32 or 64 bits to fp32 in [0, 1)."""
    if x.dtype == uint32 or x.dtype == int32:
        x = cast(x, int32, bitcast=True)
        scale = _SCALE_32
    else:
        static_assert(
            x.dtype == uint64 or x.dtype == int64,
            "uint_to_uniform_float requires 32-bit or 64-bit integers",
        )
        x = cast(x, int64, bitcast=True)
        scale = _SCALE_64
    x = where(x < 0, -x - 1, x)
    return x * scale


@kernel_function
def rand(seed, offset, n_rounds: constexpr = N_ROUNDS_DEFAULT):
    """Return one random fp32 in [0, 1) per element of `offset`."""
    source = randint(seed, offset, n_rounds)
    return uint_to_uniform_float(source)


@kernel_function
def rand4x(seed, offsets, n_rounds: constexpr = N_ROUNDS_DEFAULT):
    """Return four blocks of random fp32 in [0, 1) with the shape of `offsets`."""
    i1, i2, i3, i4 = randint4x(seed, offsets, n_rounds)
    u1 = uint_to_uniform_float(i1)
    u2 = uint_to_uniform_float(i2)
    u3 = uint_to_uniform_float(i3)
    u4 = uint_to_uniform_float(i4)
    return u1, u2, u3, u4


@kernel_function
def pair_uniform_to_normal(u1, u2):
    """Convert two uniform random numbers to two normal ones (Box and Muller, 1958)."""
    u1 = maximum(_SMALLEST_UNIFORM, u1)
    th = _TWO_PI * u2  # the angle
    r = sqrt(-2.0 * log(u1))  # the radius
    return r * cos(th), r * sin(th)


@kernel_function
def randn(seed, offset, n_rounds: constexpr = N_ROUNDS_DEFAULT):
    """Return one random fp32 of the standard normal distribution per element of `offset`."""
    i1, i2, _, _ = randint4x(seed, offset, n_rounds)
    u1 = uint_to_uniform_float(i1)
    u2 = uint_to_uniform_float(i2)
    n1, _ = pair_uniform_to_normal(u1, u2)
    return n1


@kernel_function
def randn4x(seed, offset, n_rounds: constexpr = N_ROUNDS_DEFAULT):
    """Return four blocks of random fp32 of the standard normal distribution, one per offset."""
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
