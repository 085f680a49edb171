"""Changes of the text of a type, of an encoding or of an attribute.

Each function yields (kind of change, new text); the texts need not be valid. Texts are changed,
not attributes, because weft's attributes do not represent what Triton's parser refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Change = tuple[str, str]

ELEMENTS = (
    *("i1", "i8", "i16", "i32", "i64", "i7", "i128", "index"),
    *("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f4E2M1FN"),
    *("!tt.ptr<f16>", "!tt.ptr<i32>", "!tt.ptr<f32, 3>"),
)
OTHER_TYPES = (
    *("i1", "i32", "i64", "f32", "index", "none", "tensor<1xi32>", "tensor<*xf32>"),
    *("!tt.ptr<f32>", "!tt.ptr<tensor<16x16xf32>>", "tensor<f32>", "vector<4xf32>"),
    *("!ttg.async.token", "!tt.tensordesc<tensor<16x16xf16>>", "memref<4xf32>"),
)
# A stage of a type: its head, the shape with an "x" after each size, the element and the rest.
_SHAPED = re.compile(r"(tensor<|!ttg\.memdesc<)((?:-?\d+x|\?x)*)(.*)>", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.#\"])-?\d+(?![\w.\"])")
_KEY = re.compile(r"(\w+) = ")


@dataclass(frozen=True, slots=True)
class ShapedText:
    """The text of a tensor or memdesc type.

    Attributes:
        head: "tensor<" or "!ttg.memdesc<".
        shape: The size of each dimension.
        element: The element type.
        parameters: What follows the element: the encoding, the memory space, …
    """

    head: str
    shape: tuple[str, ...]
    element: str
    parameters: tuple[str, ...]

    @property
    def text(self) -> str:
        """The type."""
        sizes = "".join(f"{size}x" for size in self.shape)
        return f"{self.head}{', '.join((sizes + self.element, *self.parameters))}>"

    def having(
        self,
        *,
        shape: Sequence[str] | None = None,
        element: str | None = None,
        parameters: Sequence[str] | None = None,
    ) -> str:
        """Print the type with some of its parts replaced."""
        return ShapedText(
            self.head,
            self.shape if shape is None else tuple(shape),
            self.element if element is None else element,
            self.parameters if parameters is None else tuple(parameters),
        ).text


def split_commas(text: str) -> list[str]:
    """Split at the commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "<([{":
            depth += 1
        elif character in ">)]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [*parts, text[start:].strip()]


def shaped(text: str) -> ShapedText | None:
    """Split the text of a tensor or memdesc type, None for other types."""
    match = _SHAPED.fullmatch(text)
    if match is None:
        return None
    element, *parameters = split_commas(match[3])
    sizes = tuple(size for size in match[2].split("x") if size)
    return ShapedText(match[1], sizes, element, tuple(parameters))


def type_changes(text: str, encodings: Sequence[str]) -> Iterator[Change]:
    """Yield changes of a type.

    Args:
        text: The type.
        encodings: Encodings to put in place of the type's.
    """
    parts = shaped(text)
    if parts is None:
        yield from _scalar_changes(text)
        return
    for shape in _shapes(parts.shape):
        yield "shape", parts.having(shape=shape)
    for element in ELEMENTS:
        if element != parts.element:
            yield "element", parts.having(element=element)
    if parts.head == "tensor<":
        yield "type", parts.element
        for other in OTHER_TYPES:
            yield "type", other
    else:
        yield from _memdesc_changes(parts)
    if not parts.parameters:
        for encoding in encodings:
            yield "encoding added", parts.having(parameters=[encoding])
        return
    encoding, *rest = parts.parameters
    yield "encoding dropped", parts.having(parameters=rest)
    for other in encodings:
        if other != encoding:
            yield "encoding replaced", parts.having(parameters=[other, *rest])
    for kind, changed in encoding_changes(encoding):
        yield kind, parts.having(parameters=[changed, *rest])


def _scalar_changes(text: str) -> Iterator[Change]:
    for other in (*ELEMENTS, *OTHER_TYPES):
        if other != text:
            yield "type", other
    if not text.startswith("!"):
        yield "type", f"tensor<16x{text}>"
    for kind, changed in number_changes(text) if "<" in text else ():
        yield f"type {kind}", changed
    if (match := re.search(r"\d+x([\w!.]+)[,>]", text)) is not None:
        for element in ELEMENTS:
            yield "element", text.replace(f"x{match[1]}", f"x{element}", 1)


def _memdesc_changes(parts: ShapedText) -> Iterator[Change]:
    rest = parts.parameters
    if "mutable" in rest:
        yield "mutability", parts.having(parameters=[each for each in rest if each != "mutable"])
    else:
        yield "mutability", parts.having(parameters=[*rest[:2], "mutable", *rest[2:]])
    spaces = ("#ttg.shared_memory", "#ttng.tensor_memory")
    for space in spaces:
        if len(rest) > 1 and rest[1] != space:
            yield "memory space", parts.having(parameters=[rest[0], space, *rest[2:]])
    if rest and re.fullmatch(r"[\dx]+", rest[-1]):
        yield "allocation shape", parts.having(parameters=rest[:-1])
        for shape in _shapes(tuple(rest[-1].split("x"))):
            yield "allocation shape", parts.having(parameters=[*rest[:-1], "x".join(shape)])
    else:
        for shape in (("2", *parts.shape), tuple(str(int(s) * 2) for s in parts.shape)):
            yield "allocation shape", parts.having(parameters=[*rest, "x".join(shape)])
    for other in OTHER_TYPES:
        yield "type", other
    yield "type", f"tensor<{'x'.join((*parts.shape, parts.element))}>"


def _shapes(shape: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for index, size in enumerate(shape):
        if not size.isdigit():
            continue
        value = int(size)
        for new in (value * 2, value // 2, 1, value + 1, 0, 2):
            if new != value:
                yield (*shape[:index], str(new), *shape[index + 1 :])
    yield ("1", *shape)
    yield (*shape, "2")
    if shape:
        yield tuple(shape[1:])
        yield tuple(shape[:-1])
        yield ("?", *shape[1:])
    if len(shape) > 1 and shape[0] != shape[-1]:
        yield tuple(reversed(shape))


def encoding_changes(text: str) -> Iterator[Change]:
    """Yield changes of an encoding; the kind names the field that is changed."""
    name = text.partition("<")[0].removeprefix("#").partition(".")[2]
    for match in _NUMBER.finditer(text):
        field_name = _field_at(text, match.start())
        value = int(match.group())
        for new in (value * 2, value // 2, value + 1, 0, 3, -1, value - 1):
            if new != value:
                yield (
                    f"encoding {name} {field_name}",
                    f"{text[: match.start()]}{new}{text[match.end() :]}",
                )
    for old, new in (("true", "false"), ("false", "true")):
        for match in re.finditer(rf"\b{old}\b", text):
            changed = f"{text[: match.start()]}{new}{text[match.end() :]}"
            yield f"encoding {name} {_field_at(text, match.start())}", changed
    for key, start, end in _fields(text):
        yield f"encoding {name} {key} dropped", _without(text, start, end)
        yield f"encoding {name} field name", f"{text[:start]}no_{text[start:]}"
        shorter = re.sub(r"\[([^\[\],]+), ", "[", text[start:end], count=1)
        if shorter != text[start:end]:
            yield f"encoding {name} {key} shorter", f"{text[:start]}{shorter}{text[end:]}"
        longer = re.sub(r"\[([^\[\],]+)", r"[\1, \1", text[start:end], count=1)
        if longer != text[start:end]:
            yield f"encoding {name} {key} longer", f"{text[:start]}{longer}{text[end:]}"
        swapped = re.sub(r"\[(-?\d+), (-?\d+)", r"[\2, \1", text[start:end], count=1)
        if swapped != text[start:end]:
            yield f"encoding {name} {key} swapped", f"{text[:start]}{swapped}{text[end:]}"
    if name not in ("shared_memory", "tensor_memory"):
        for dim in (0, 1, 2):
            yield "encoding sliced", f"#ttg.slice<{{dim = {dim}, parent = {text}}}>"
        for index, width in ((0, ""), (1, ""), (0, ", kWidth = 2"), (1, ", kWidth = 4")):
            operand = f"#ttg.dot_op<{{opIdx = {index}, parent = {text}{width}}}>"
            yield "encoding to dot_op", operand
    if (parent := re.search(r"parent = (#.*?>)(?:, kWidth = \d+)?\}>$", text)) is not None:
        yield "encoding to its parent", parent[1]


def _field_at(text: str, position: int) -> str:
    keys = [match[1] for match in _KEY.finditer(text, 0, position)]
    return keys[-1] if keys else "parameter"


def _fields(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (key, start, end) of each `key = value` in an encoding, nested ones included."""
    for match in _KEY.finditer(text):
        depth, end = 0, match.end()
        while end < len(text):
            if text[end] in "<([{":
                depth += 1
            elif text[end] in ">)]}":
                depth -= 1
            if depth < 0 or (depth == 0 and text[end] == ","):
                break
            end += 1
        yield match[1], match.start(), end


def _without(text: str, start: int, end: int) -> str:
    """Remove a field and the comma beside it."""
    head, tail = text[:start], text[end:]
    if tail.startswith(", "):
        return head + tail[2:]
    return head.removesuffix(", ") + tail


def number_changes(text: str) -> Iterator[Change]:
    """Yield changes of each number in a text."""
    for match in _NUMBER.finditer(text):
        value = int(match.group())
        for new in (0, 1, -1, value + 1, value * 2, 3, 7, 1 << 20):
            if new != value:
                yield "value", f"{text[: match.start()]}{new}{text[match.end() :]}"


def attribute_changes(text: str) -> Iterator[Change]:
    """Yield changes of an attribute."""
    yield from number_changes(text)
    if re.search(r" : i32$", text):
        yield "type", text.replace(" : i32", " : i64")
        yield "type", text.replace(" : i32", " : i1")
        yield "type", text.replace(" : i32", " : f32").replace("0 ", "0.0 ")
    if re.search(r" : i64$", text):
        yield "type", text.replace(" : i64", " : i32")
    if text in ("true", "false"):
        yield "value", "false" if text == "true" else "true"
    if text.startswith("array<"):
        head, _, items = text[:-1].partition(": ")
        numbers = items.split(", ") if items else []
        lists = [[*numbers, "0"], numbers[:-1], list(reversed(numbers)), [*numbers, *numbers]]
        for new in lists:
            yield "list", f"{head}: {', '.join(new)}>" if new else f"{head}>"
        yield "list type", text.replace("i32", "i64")
    if text.startswith("["):
        yield "list", "[]"
        items = split_commas(text[1:-1])
        yield "list", f"[{', '.join(items[:-1])}]"
        yield "list", f"[{', '.join([*items, *items[:1]])}]"
    for other in ("unit", '"text"', "7 : i32", "true", "@symbol", "f32", "array<i32: 1, 0>", "[]"):
        if other != text:
            yield "kind", other
    if text.startswith("dense<") and " : " in text:
        head, _, type_text = text.partition(" : ")
        for kind, changed in type_changes(type_text, ()):
            yield f"type, {kind}", f"{head} : {changed}"
