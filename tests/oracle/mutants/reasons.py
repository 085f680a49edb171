"""Why weft and the wheel disagree about some mutants.

Each reason has a pattern for the message of the side that refuses, and an example: a module about
which the sides disagree for this reason. A reason whose example both sides take, or both refuse, is
out of date; `test_mutants.py` asks both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>"
)
_SWIZZLED = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
_MODULE = (
    '"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:90", '
    '"ttg.threads-per-warp" = 32 : i32'
)
_AMD = (
    '"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "hip:gfx942", '
    '"ttg.threads-per-warp" = 64 : i32'
)

_WMMA = _AMD.replace("gfx942", "gfx1201").replace("= 64", "= 32")


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason of a disagreement.

    Attributes:
        pattern: A regular expression for the message of the side that refuses.
        why: The reason.
        example: A module that one side refuses with such a message.
    """

    pattern: str
    why: str
    example: str


def _function(arguments: str, body: str = "", attributes: str = _MODULE) -> str:
    """Write a module of one function."""
    return (
        f"module attributes {{{attributes}}} {{\n  tt.func @f({arguments}) {{\n    {body}\n"
        "    tt.return\n  }\n}\n"
    )


def _buffer(encoding: str, shape: str = "64x64xf16") -> str:
    return f"!ttg.memdesc<{shape}, {encoding}, #ttg.shared_memory, mutable>"


def _tensor(encoding: str, shape: str = "64x64xf16") -> str:
    return f"tensor<{shape}, {encoding}>"


def _with_buffer(encoding: str) -> str:
    return _function(f"%a: {_buffer(encoding)}")


def _with_tensor(encoding: str, attributes: str = _MODULE) -> str:
    return _function(f"%a: {_tensor(encoding)}", attributes=attributes)


_POINTERS = "tensor<64x64x!tt.ptr<f32>, " + _BLOCKED + ">"
_NO_LAYOUT = "no linear layout; Triton aborts when it computes the layout"
_ABSENT = "Triton reads a field that is absent as 0 or as undefined memory"

WEFT_REFUSES: tuple[Reason, ...] = (
    Reason(
        r"^#ttg\.(swizzled|amd_rotating)_shared: (vec|perPhase|maxPhase|order) is missing$",
        _ABSENT,
        _with_buffer("#ttg.swizzled_shared<{vec = 8, perPhase = 1, order = [1, 0]}>"),
    ),
    Reason(
        r"^#ttg\.nvmma_shared: (swizzlingByteWidth|elementBitWidth) is missing$",
        _ABSENT,
        _with_buffer("#ttg.nvmma_shared<{transposed = false, elementBitWidth = 16}>"),
    ),
    Reason(
        r"^#ttg\.(amd_mfma|nvidia_mma): (warpsPerCTA|instrShape) is missing$",
        _ABSENT,
        _with_tensor("#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [4, 1]}>"),
    ),
    Reason(
        r"^#ttg\.(swizzled|amd_rotating)_shared: (vec|perPhase|maxPhase) must be a power of two$",
        _NO_LAYOUT,
        _with_buffer(_SWIZZLED.replace("vec = 8", "vec = 6")),
    ),
    Reason(
        r"^#ttg\.nvmma_shared: elementBitWidth must be a power of two$",
        _NO_LAYOUT,
        _with_buffer(
            "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 6}>"
        ),
    ),
    Reason(
        r"^#ttg\.(amd_mfma|nvidia_mma): (warpsPerCTA|instrShape) must hold powers of two$",
        _NO_LAYOUT,
        _with_tensor(
            "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], "
            "instrShape = [16, 6]}>"
        ),
    ),
    Reason(
        r"^#ttg\.dot_op: kWidth must be a power of two for a parent of #ttg\.amd_mfma$",
        _NO_LAYOUT,
        _with_tensor(
            "#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], "
            "instrShape = [32, 32, 8], isTransposed = false}>, kWidth = 3}>",
            _AMD,
        ),
    ),
    Reason(
        r"^#ttg\.(amd_mfma|nvidia_mma): instrShape must have (2 or )?3 entries$",
        "Triton ignores further entries",
        _with_tensor(
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [16, 16, 16, 16], "
            "isTransposed = false}>",
            _AMD,
        ),
    ),
    Reason(
        r"^#ttg\.(amd_mfma|nvidia_mma): warpsPerCTA must have (2 or 3|at least 2) entries$",
        _NO_LAYOUT,
        _with_tensor(
            "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4], "
            "instrShape = [16, 8]}>"
        ),
    ),
    Reason(
        r"^#ttg\.amd_mfma: instrShape must be at least 1$",
        "a size of 0; Triton divides by it",
        _with_tensor(
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 0], "
            "isTransposed = false}>",
            _AMD,
        ),
    ),
    Reason(
        r"^#ttg\.dot_op: parent must have at least 2 dimensions$",
        _NO_LAYOUT,
        _function(
            "%a: tensor<64xf16, #ttg.dot_op<{opIdx = 0, parent = #ttg.blocked<{sizePerThread = "
            "[1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>}>>"
        ),
    ),
    Reason(
        r"types of the results must match those of 'ttg\.mask\.return'$",
        "code generation needs the types to agree",
        _function(
            "%p: i1, %x: i32, %y: f32",
            '%r = "ttg.mask"(%p) ({ "ttg.mask.return"(%y) : (f32) -> () }) : (i1) -> i32',
        ),
    ),
    Reason(
        r"has \d+ partitions but `requestedRegisters` has \d+ elements$",
        "a number for each partition; code generation reads each",
        _function(
            "",
            '"ttg.warp_specialize"() <{partitionNumWarps = array<i32>, requestedRegisters = '
            'array<i32: 24>}> ({ "ttg.warp_yield"() : () -> () }, '
            '{ "ttg.warp_specialize.partitions"() : () -> () }) : () -> ()',
        ),
    ),
    Reason(
        r"(default|partition holder) region must have no arguments$",
        "nothing defines the arguments",
        _function(
            "",
            '"ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> '
            '({ ^bb0(%a: i32): "ttg.warp_yield"() : () -> () }, '
            '{ "ttg.warp_specialize.partitions"() : () -> () }) : () -> ()',
        ),
    ),
    Reason(
        r"^'ttg\.local_scatter' op Cannot store into immutable memory$",
        "local_scatter writes the buffer",
        _function(
            f"%b: !ttg.memdesc<64x64xf32, {_SWIZZLED}, #ttg.shared_memory>, "
            f"%i: {_tensor(_BLOCKED, '64x64xi32')}, %x: {_tensor(_BLOCKED, '64x64xf32')}",
            f'"ttg.local_scatter"(%b, %x, %i) <{{axis = 0 : i32}}> : (!ttg.memdesc<64x64xf32, '
            f"{_SWIZZLED}, #ttg.shared_memory>, {_tensor(_BLOCKED, '64x64xf32')}, "
            f"{_tensor(_BLOCKED, '64x64xi32')}) -> ()",
        ),
    ),
    Reason(
        r"^'ttg\.memdesc_subslice' op subslice is out of bounds of dimension \d$",
        "the part is outside of the buffer",
        _function(
            f"%b: {_buffer(_SWIZZLED)}",
            '%0 = "ttg.memdesc_subslice"(%b) <{offsets = array<i32: 64, 0>}> : '
            f"({_buffer(_SWIZZLED)}) -> !ttg.memdesc<32x64xf16, {_SWIZZLED}, #ttg.shared_memory, "
            "mutable, 64x64>",
        ),
    ),
    Reason(
        r"^'(ttg|amdg)\.async_copy_\w+' op (expected pointers to elements of type|source shape \[)",
        "an asynchronous copy converts nothing",
        _function(
            f"%p: {_POINTERS}, %b: {_buffer(_SWIZZLED)}",
            '%0 = "ttg.async_copy_global_to_local"(%p, %b) <{cache = 1 : i32, evict = 1 : i32, '
            "isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : "
            f"({_POINTERS}, {_buffer(_SWIZZLED)}) -> !ttg.async.token",
        ),
    ),
    Reason(
        r"^'arith\.\w+' op requires the same type for all operands and results$",
        "MLIR compares `?` with any size",
        _function(
            "%x: tensor<16xf32>, %y: tensor<?xf32>",
            '%0 = "arith.addf"(%x, %y) <{fastmath = #arith.fastmath<none>}> : '
            "(tensor<16xf32>, tensor<?xf32>) -> tensor<16xf32>",
        ),
    ),
    Reason(
        r"^'tt\.make_tensor_(ptr|descriptor)' op expected groups of operands of one size",
        "sizes and strides have one entry per dimension; Triton drops the remainder",
        _function(
            "%p: !tt.ptr<f32>, %i: i32, %j: i64",
            '%0 = "tt.make_tensor_ptr"(%p, %j, %j, %i, %i) <{order = array<i32: 0>}> : '
            "(!tt.ptr<f32>, i64, i64, i32, i32) -> !tt.ptr<tensor<16xf32>>",
        ),
    ),
    Reason(
        r" has an invalid layout: #ttng\.tensor_memory(_scales)?_encoding<.*>\. Non-distributed "
        r"layout is not allowed in tensor type\.$",
        "a tensor is in registers",
        _function(
            f"%x: {_tensor(_BLOCKED)}",
            f"%0 = ttg.convert_layout %x : {_tensor(_BLOCKED)} -> "
            f"{_tensor('#ttng.tensor_memory_scales_encoding<>')}",
        ),
    ),
    Reason(
        r"^'ttg\.global_scratch_alloc' op alignment must be a power of two, but got -?\d+$",
        "an address cannot have it",
        _function(
            "",
            '%0 = "ttg.global_scratch_alloc"() <{alignment = 3 : i32, nbytes = 64 : i32}> : '
            "() -> !tt.ptr<i8>",
        ),
    ),
    Reason(
        r"^'tt\.load' op operandSegmentSizes must be ",
        "the pointer is the first operand; Triton takes a load without one",
        _function(
            "%p: !tt.ptr<f32>",
            '%0 = "tt.load"(%p) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32,'
            " isVolatile = false, operandSegmentSizes = array<i32: 0, 0, 1>}> : "
            "(!tt.ptr<f32>) -> f32",
        ),
    ),
    Reason(
        r"^#ttg\.amd_rotating_shared: order must be a permutation of 0\.\.\(rank-1\), but was .*$",
        _NO_LAYOUT,
        _with_buffer(
            "#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 1]}>"
        ),
    ),
    Reason(
        r"^'tt\.\w+' op Number of elements must be power-of-two, but 'tensor<.*\?.*>'",
        "`?` is no number of elements; Triton multiplies by the number that encodes it",
        _function(
            "%x: tensor<?xi64>",
            '%0 = "tt.int_to_ptr"(%x) : (tensor<?xi64>) -> tensor<?x!tt.ptr<f32>>',
        ),
    ),
    Reason(
        r"^'nvws\.warp_group' op region #\d+ must have no arguments$",
        "nothing defines the arguments, and the text omits them",
        _function(
            "",
            '"nvws.warp_group"() <{numWarps = array<i32: 4>}> ({\n'
            '    ^bb0(%a: i32):\n      "nvws.warp_group.return"() : () -> ()\n    }) : () -> ()',
        ),
    ),
    Reason(
        r"^'nvws\.warp_group' op types of the results must match those of the first yield$",
        "the text omits the types of the results, which are those of the yield",
        _function(
            "%x: i32",
            '%0 = "nvws.warp_group"() <{numWarps = array<i32: 4>}> ({\n'
            '      "nvws.warp_group.yield"(%x) : (i32) -> ()\n    }) : () -> f32',
        ),
    ),
)

WHEEL_REFUSES: tuple[Reason, ...] = (
    Reason(
        r"^aborted: llvm::isPowerOf2_32\(outValue\)$",
        "an assertion about a basis vector of several bits, of which a smaller tensor keeps one",
        _function(
            "",
            "%0 = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #ttg.linear<{"
            "register = [[1]], lane = [[0], [0], [0], [0], [0], [3]], "
            "warp = [[0], [0]], block = []}>>",
            _AMD,
        ),
    ),
    Reason(
        r"error: Expected basis of 'warp' not found",
        "Triton prints `ctaLayout = {}` for one warp, and does not read it again",
        _with_tensor(
            "#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {}}>",
            _WMMA.replace('"ttg.num-warps" = 4', '"ttg.num-warps" = 1'),
        ),
    ),
    Reason(
        r"error: Serialized rank and rank deduced from LL need to match",
        "Triton prints a layout of rank 3 without `rank`, and does not read it again",
        _function(
            "%a: tensor<4x64x64xf32, #ttg.amd_wmma<{version = 2, isTranspose = false, "
            "ctaLayout = {warp = [[0, 0, 1], [0, 1, 0]]}}>>",
            attributes=_WMMA,
        ),
    ),
)


def reason(message: str, *, weft: bool) -> str | None:
    """Find why a side refuses alone, None if it should not.

    Args:
        message: Its message.
        weft: Whether weft refuses.
    """
    table = WEFT_REFUSES if weft else WHEEL_REFUSES
    return next((each.why for each in table if re.search(each.pattern, message)), None)
