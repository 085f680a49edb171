"""Fields, checks and text of every encoding; the texts are as Triton 3.7.1 prints them."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from weft.errors import LayoutError
from weft.layouts import (
    ENCODINGS,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    SliceEncoding,
    parse,
    parse_prefix,
)
from weft.layouts.encodings.base import value_text

BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], "
    "warpsPerCTA = [4, 1], order = [1, 0]}>"
)
MMA2 = (
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
    "warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
)
MMA3 = (
    "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, "
    "warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>"
)
MFMA = (
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], "
    "instrShape = [32, 32, 8], isTransposed = true}>"
)
WMMA = "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}}>"

# Texts that print as they are read.
PRINTED = [
    BLOCKED,
    BLOCKED.replace("}>", ", CGALayout = [[1, 0]]}>"),
    f"#ttg.slice<{{dim = 1, parent = {BLOCKED}}}>",
    f"#ttg.dot_op<{{opIdx = 0, parent = {BLOCKED}}}>",
    f"#ttg.dot_op<{{opIdx = 1, parent = {MMA2}, kWidth = 2}}>",
    f"#ttg.dot_op<{{opIdx = 0, parent = {MMA3}, kWidth = 2}}>",
    f"#ttg.dot_op<{{opIdx = 0, parent = {MFMA}, kWidth = 4}}>",
    f"#ttg.dot_op<{{opIdx = 0, parent = {WMMA}, kWidth = 8}}>",
    MMA2,
    MMA3,
    MMA2.replace(", instrShape", ", CGALayout = [[0, 1]], instrShape"),
    MFMA,
    MFMA.replace(
        "true}>", "false, CGALayout = [[0, 1]], tilesPerWarp = [2, 2], elementBitWidth = 64}>"
    ),
    WMMA,
    "#ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {register = [[0, 1]], "
    "warp = [[0, 2], [1, 0]]}, CGALayout = [[0, 1]], instrShape = [16, 16, 32]}>",
    "#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {}}>",
    "#ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8]], "
    "warp = [[0, 4], [0, 0]], block = []}>",
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], "
    "CGALayout = [[0, 1]]}>",
    "#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>",
    "#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 16]}>",
    "#ttg.padded_shared<[64:+8, 128:+4] {order = [0, 1], shape = [16, 32]}>",
    "#ttg.padded_shared<[64:+8] {offset = [[0, 2], [0, 1], [1, 0]], block = [[2, 0]]}>",
    "#ttg.padded_shared<[64:+8] {order = [1, 3, 2, 0], shape = [1, 4, 1, 8]}>",
    "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>",
    "#ttg.shared_linear<{offset = [[0, 1], [1, 0]], block = [[2, 0]]}, alignment = 32>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8, "
    "fp4Padded = true, CGALayout = [[0, 1]]}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16, "
    "rank = 3}>",
    "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>",
    "#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 2, CTASplitN = 2, "
    "twoCTAs = true>",
    "#ttng.tensor_memory_scales_encoding<>",
    "#ttng.tensor_memory_scales_encoding<CTASplitM = 2>",
    "#gluon.auto_encoding",
    "#gluon.coalesced_encoding",
]

# Texts of encodings that are newer than Triton 3.7.1.
NEWER = [
    "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 4, partitionDim = 0, "
    "partitionLayout = "
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>}>",
]

# Texts that Triton accepts and prints in another way.
NORMALISED = [
    (BLOCKED.replace("}>", ", CGALayout = []}>"), BLOCKED),
    (
        f"#ttg.dot_op<{{kWidth=0, parent = {BLOCKED}, opIdx = 0}}>",
        f"#ttg.dot_op<{{opIdx = 0, parent = {BLOCKED}}}>",
    ),
    (MFMA.replace("}>", ", tilesPerWarp = [1, 1], elementBitWidth = 32}>"), MFMA),
    (MFMA.replace("}>", ", tilesPerWarp = [1, 1, 1]}>"), MFMA),
    (MFMA.replace(", isTransposed = true", ""), MFMA.replace("true", "false")),
    (WMMA.replace("{warp", "{lane = [], offset = 1, warp"), WMMA),
    (WMMA.replace("}}>", "}, instrShape = [16, 16, 16], rank = 2}>"), WMMA),
    (
        "#ttg.padded_shared<[64:+8] {offset = [[0, 0, 1], [0, 0, 2], [0, 1, 0]], block = []}>",
        "#ttg.padded_shared<[64:+8] {order = [2, 1, 0], shape = [1, 2, 4]}>",
    ),
    (
        "#ttg.padded_shared<[64:+8] {order = [0, 2, 1], shape = [1, 4, 8]}>",
        "#ttg.padded_shared<[64:+8] {order = [2, 1, 0], shape = [1, 4, 8]}>",
    ),
    (
        "#ttg.nvmma_shared<{elementBitWidth = 16, swizzlingByteWidth = 0, rank = 2}>",
        "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>",
    ),
    (
        "#ttng.tensor_memory_scales_encoding<CTASplitM = 2, CTASplitN = 1>",
        "#ttng.tensor_memory_scales_encoding<CTASplitM = 2>",
    ),
]


@pytest.mark.parametrize("text", [*PRINTED, *NEWER])
def test_text_there_and_back(text: str) -> None:
    encoding = parse(text)
    assert str(encoding) == text
    assert parse(str(encoding)) is encoding
    assert pickle.loads(pickle.dumps(encoding)) is encoding
    assert copy.deepcopy(encoding) is encoding


@pytest.mark.parametrize("text", [*PRINTED, *NEWER])
def test_fields_there_and_back(text: str) -> None:
    encoding = parse(text)
    assert type(encoding) is ENCODINGS[encoding.mnemonic]
    assert type(encoding).from_fields(dict(encoding.fields())) is encoding


@pytest.mark.parametrize(("text", "printed"), NORMALISED)
def test_normal_form(text: str, printed: str) -> None:
    assert str(parse(text)) == printed
    assert parse(text) is parse(printed)


def test_every_encoding_is_covered() -> None:
    assert {parse(text).mnemonic for text in [*PRINTED, *NEWER]} == set(ENCODINGS)


def test_lists_and_tuples_are_one() -> None:
    encoding = BlockedEncoding([1, 4], [4, 8], [4, 1], [1, 0])  # type: ignore[arg-type]
    assert encoding is parse(BLOCKED)
    assert hash(encoding) == hash(parse(BLOCKED))


def test_parents_by_name() -> None:
    parent = parse(BLOCKED)
    encoding = SliceEncoding(1, parent)
    assert encoding.text(lambda e: "#blocked" if e is parent else None) == (
        "#ttg.slice<{dim = 1, parent = #blocked}>"
    )
    text = "x #ttg.slice<{dim = 1, parent = #blocked}>>"
    assert parse_prefix(text, 2, {"#blocked": parent}) == (encoding, len(text) - 1)


def test_ranks() -> None:
    assert parse(BLOCKED).rank == 2
    assert SliceEncoding(1, parse(BLOCKED)).rank == 1
    assert DotOperandEncoding(0, parse(BLOCKED)).rank == 2
    assert parse("#ttg.padded_shared<[64:+8] {order = [2, 1, 0], shape = [1, 2, 4]}>").rank == 3
    assert {parse(text).rank for text in PRINTED[-5:-2]} == {2}
    with pytest.raises(LayoutError, match="has no rank before it is resolved"):
        _ = parse("#gluon.auto_encoding").rank


@pytest.mark.parametrize("text", [BLOCKED, MMA2, MFMA, WMMA])
def test_aliases(text: str) -> None:
    assert parse(text).alias == ("blocked" if text is BLOCKED else "mma")


REFUSED = [
    (BLOCKED.replace("[1, 0]}", "[0, 0]}"), "must be a permutation of 0..(rank-1), but was [0, 0]"),
    (BLOCKED.replace("[1, 4]", "[1, 3]"), "sizePerThread must hold powers of two"),
    (BLOCKED.replace("[1, 4]", "[1, 4, 1]"), "must have the same length"),
    (BLOCKED.replace(", order = [1, 0]", ""), "order is missing"),
    (BLOCKED.replace("order", "orders"), "unknown key orders"),
    (BLOCKED.replace("[1, 4]", "4"), "sizePerThread must be a list of integers"),
    (BLOCKED.replace("}>", ", CGALayout = [[1, 0, 0]]}>"), "CGALayout must hold vectors of 2"),
    (BLOCKED.replace("}>", ", CGALayout = [[3, 0]]}>"), "CGALayout must reach every element"),
    (f"#ttg.slice<{{dim = 2, parent = {BLOCKED}}}>", "must be less than the parent rank"),
    (
        f"#ttg.slice<{{dim = 0, parent = #ttg.slice<{{dim = 1, parent = {BLOCKED}}}>}}>",
        "parent layout must have at least rank >= 2",
    ),
    (f"#ttg.slice<{{dim = 0, parent = {PRINTED[17]}}}>", "parent must be a distributed encoding"),
    ("#ttg.slice<{dim = 0, parent = 3}>", "parent must be an encoding"),
    (f"#ttg.dot_op<{{opIdx = 2, parent = {BLOCKED}}}>", "opIdx parameter can be 0 or 1, got: 2"),
    (
        f"#ttg.dot_op<{{opIdx = 0, parent = {BLOCKED}, kWidth = 2}}>",
        "kWidth parameter is not supported",
    ),
    (f"#ttg.dot_op<{{opIdx = 0, parent = {MMA2}}}>", "kWidth parameter is mandatory for Ampere"),
    (
        f"#ttg.dot_op<{{opIdx = 1, parent = {MMA3}, kWidth = 2}}>",
        "opIdx parameter must be 0 for",
    ),
    (
        f"#ttg.dot_op<{{opIdx = 0, parent = {WMMA}, kWidth = 32}}>",
        "kWidth parameter must be 4/8/16",
    ),
    (
        f"#ttg.dot_op<{{opIdx = 0, parent = #ttg.slice<{{dim = 0, parent = {BLOCKED}}}>}}>",
        "parent must be the encoding of a dot's result",
    ),
    (
        f"#ttg.dot_op<{{opIdx = 0, parent = {MMA2.replace('or = 2', 'or = 1')}, kWidth = 2}}>",
        "kWidth parameter can only be non-zero for Ampere or Hopper MMA parent",
    ),
    (MMA2.replace("[16, 8]", "[16]"), "instrShape must have 2 entries"),
    (MMA2.replace("[2, 2]", "[2]"), "warpsPerCTA must have at least 2 entries"),
    (MFMA.replace("version = 3", "version = 5"), "version must be in the [0, 4] range"),
    (MFMA.replace("[32, 32, 8]", "[8, 8, 8]"), "invalid (mDim, nDim) combination: (8, 8)"),
    (MFMA.replace("[2, 2]", "[2]"), "warpsPerCTA must have 2 or 3 entries"),
    (MFMA.replace("}>", ", elementBitWidth = 16}>"), "elementBitWidth must be 32 or 64"),
    (MFMA.replace("}>", ", tilesPerWarp = [2]}>"), "tilesPerWarp must have 2 entries"),
    (MFMA.replace("true", "1"), "isTransposed must be true or false"),
    (WMMA.replace("version = 2", "version = 4"), "WMMA version must be in the [1, 3] range"),
    (WMMA.replace("version = 2", "version = 3"), "invalid WMMA v3 instruction shape"),
    (WMMA.replace("[0, 1]", "[0, 2]"), "register and warp must reach every element"),
    (WMMA.replace("}}>", "}, rank = 3}>"), "rank must be 2 as in its vectors"),
    (WMMA.replace("version = 2, ", ""), "version is missing"),
    (WMMA.replace("{warp", "{lane"), "ctaLayout must be a dictionary of warp and register"),
    ("#ttg.linear<{register = [], lane = [], warp = [], block = []}>", "at least one basis"),
    ("#ttg.linear<{register = [[2]], lane = [], warp = [], block = []}>", "must reach every"),
    ("#ttg.linear<{register = [[-1]], lane = [], warp = [], block = []}>", "not hold negative"),
    ("#ttg.linear<{register = [[1], 2], lane = [], warp = [], block = []}>", "a list of lists"),
    (PRINTED[17].replace("vec = 8", "vec = 3"), "vec must be a power of two"),
    (PRINTED[26].replace("128", "16"), "swizzlingByteWidth is 16"),
    (PRINTED[26].replace("}>", ", rank = 0}>"), "rank must be at least 1"),
    ("#ttg.shared_linear<{offset = []}, alignment = 16>", "at least one basis vector"),
    ("#ttg.shared_linear<{offset = [[1]]}, alignment = 3>", "alignment must be a power of two"),
    (
        "#ttg.padded_shared<[64:+3] {order = [0], shape = [4]}>",
        "padding values must all be",
    ),
    (
        "#ttg.padded_shared<[48:+4] {order = [0], shape = [4]}>",
        "interval values must all be",
    ),
    (
        "#ttg.padded_shared<[8:+4, 8:+2] {order = [0], shape = [4]}>",
        "cannot have duplicates",
    ),
    ("#ttg.padded_shared<[8:+4] {order = [0], shape = [12]}>", "shape must hold powers of two"),
    ("#ttg.padded_shared<[8:+4] {order = [1], shape = [4]}>", "order must be a permutation"),
    ("#ttg.padded_shared<[8:+4] {shape = [4]}>", "order is missing"),
    ("#ttg.padded_shared<[8:+4] {size = [4]}>", 'Unexpected attribute "size" found'),
    (
        "#ttg.padded_shared<[8:+4] {order = [0], shape = [4], offset = [[1]]}>",
        'Unexpected attribute "offset" found',
    ),
    ("#ttg.padded_shared<[8:+4] {offset = [], block = []}>", "at least one basis vector"),
    (
        "#ttg.padded_shared<[8:+4] {offset = [[3], [1]], block = []}>",
        "offset basis must be 0 or",
    ),
    (
        "#ttg.padded_shared<[8:+4] {offset = [[0]], block = []}>",
        "Broadcasting in offset",
    ),
    (
        "#ttg.padded_shared<[8:+4] {offset = [[1], [1]], block = []}>",
        "Broadcasting in offset",
    ),
    ("#ttg.padded_shared<[8] {order = [0], shape = [4]}>", "expected ':+'"),
    ("#ttng.tensor_memory_encoding<blockM = 32, blockN = 8, colStride = 1>", "blockM is 32"),
    ("#ttng.tensor_memory_encoding<blockM = 64, blockN = 6, colStride = 1>", "blockN must be"),
    ("#ttng.tensor_memory_encoding<blockM = 64, blockN = 8, colStride = 3>", "colStride is 3"),
    ("#ttng.tensor_memory_scales_encoding<CTASplitM = 3>", "CTASplitM must be a power of two"),
    ("#ttg.blockd<{}>", "did you mean #ttg.blocked"),
    ("#blocked", "unknown encoding #blocked"),
    ("blocked", "expected an encoding such as #ttg.blocked"),
    (BLOCKED + " f", "nothing may follow an encoding"),
    (BLOCKED[:-2], "expected ','"),
    ("#ttg.blocked<{order = [1 0]}>", "expected ',' at character"),
    ("#ttg.blocked<{order = }>", "expected a value"),
    ("#ttg.blocked<{order [0]}>", "expected '='"),
    ("#ttg.blocked<{3 = 4}>", "expected a key"),
    ("#ttg.blocked<{order = [0], order = [0]}>", "order is given twice"),
    ("#ttg.padded_shared<[x:+4] {order = [0], shape = [4]}>", "expected a number"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.oracle
@pytest.mark.parametrize("text", [*PRINTED, *(text for text, _ in NORMALISED)])
def test_triton_reads_and_prints_the_same(text: str) -> None:
    if "ctaLayout = {}" in text:
        text = text.replace("{}", "{warp = []}")  # what Triton prints, it does not read
    assert printed_by_triton(text) == str(parse(text))


def printed_by_triton(text: str) -> str:
    import re
    import tempfile

    from triton._C.libtriton import ir

    from tests.layouts import oracle

    oracle.builder()
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(f"module {{\n tt.func @f() attributes {{e = {text}}} {{ tt.return }}\n}}\n")
        file.flush()
        printed = ir.parse_mlir_module(file.name, oracle.context()).str_nodebug()
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", printed, re.MULTILINE))
    body = printed.partition("{e = ")[2].partition("} {")[0]
    return re.sub(r"#\w+\b(?![.])", lambda match: aliases.get(match.group(), match.group()), body)


def test_base_class_is_abstract() -> None:
    assert {cls.family for cls in ENCODINGS.values()} == {
        "distributed",
        "shared",
        "tensor_memory",
        "unresolved",
    }
    assert all(issubclass(cls, Encoding) for cls in ENCODINGS.values())


def test_values_are_printed_as_triton_does() -> None:
    assert value_text([1, [2, 3]]) == "[1, [2, 3]]"
    assert value_text({"warp": [[0, 1]], "flag": True}) == "{warp = [[0, 1]], flag = true}"
    assert value_text("f32") == "f32"


# -- immutability -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", PRINTED)
def test_no_attribute_of_an_encoding_can_be_changed(text: str) -> None:
    encoding = parse(text)
    names = [field.name for field in dataclasses.fields(encoding)]  # pyright: ignore[reportArgumentType]
    for name in names:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(encoding, name, 1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(encoding, name)
    for name in ("mnemonic", "other"):
        # Python 3.11 raises TypeError for what is no field of a slotted dataclass.
        with pytest.raises((AttributeError, TypeError)):
            setattr(encoding, name, 1)
    assert str(encoding) == text
    assert not hasattr(encoding, "__dict__")


@pytest.mark.parametrize("text", PRINTED)
def test_the_containers_of_an_encoding_cannot_be_changed(text: str) -> None:
    def is_frozen(value: object) -> bool:
        if isinstance(value, tuple):
            return all(map(is_frozen, value))
        return isinstance(value, int | Encoding)

    encoding = parse(text)
    values = [getattr(encoding, field.name) for field in dataclasses.fields(encoding)]  # pyright: ignore[reportArgumentType]
    assert all(map(is_frozen, values))
    for _, value in encoding.fields():
        if isinstance(value, dict):
            value.clear()
    assert str(encoding) == text


def test_an_encoding_does_not_depend_on_the_list_it_was_built_from() -> None:
    sizes = [1, 4]
    encoding = BlockedEncoding(sizes, [4, 8], [4, 1], [1, 0])  # type: ignore[arg-type]
    sizes[0] = 2
    assert encoding is parse(BLOCKED)


def test_the_registry_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        ENCODINGS["blocked"] = SliceEncoding  # type: ignore[index]
