"""Changes of a program: a rule, which names what is changed, and a function that does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.oracle.mutants.programs import BlockNode, Node, Program
from tests.oracle.mutants.type_texts import (
    ELEMENTS,
    attribute_changes,
    encoding_changes,
    shaped,
    type_changes,
)

TERMINATORS = ("tt.return", "scf.yield", "tt.reduce.return", "ttg.warp_return", "cf.br")


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change of a program.

    Attributes:
        rule: What is changed, such as "operand #0: element".
        apply: Build the mutant.
    """

    rule: str
    apply: Callable[[], Program]


def mutations(program: Program, encodings: Sequence[str]) -> Iterator[Mutation]:
    """Yield every change of a program.

    Args:
        program: The program.
        encodings: Encodings to put in place of those of the program.
    """
    yield from _type_mutations(program, encodings)
    yield from _common_mutations(program, encodings)
    yield from _operand_mutations(program)
    yield from _result_mutations(program)
    yield from _attribute_mutations(program)
    yield from _region_mutations(program)
    yield from _module_mutations(program)


def _changed(program: Program, change: Callable[[Program], None]) -> Callable[[], Program]:
    def apply() -> Program:
        mutant = program.copy()
        change(mutant)
        return mutant

    return apply


def _values(program: Program) -> Iterator[tuple[str, int]]:
    """Yield (description, number) of each value of the program."""
    node = program.node
    names: dict[int, str] = {}
    for index, value in enumerate(node.operands):
        names.setdefault(value, f"operand #{index}")
    for index, value in enumerate(node.results):
        names.setdefault(value, f"result #{index}")
    for block in node.blocks():
        for index, value in enumerate(block.arguments):
            names.setdefault(value, f"block argument #{index}")
        for nested in block.nodes:
            for index, value in enumerate(nested.operands):
                names.setdefault(value, f"{nested.name} operand #{index}")
            for index, value in enumerate(nested.results):
                names.setdefault(value, f"{nested.name} result #{index}")
    for value, name in names.items():
        yield name, value


def _type_mutations(program: Program, encodings: Sequence[str]) -> Iterator[Mutation]:
    """Change the type of one value."""
    for name, value in _values(program):
        for kind, text in type_changes(program.types[value], encodings):

            def change(mutant: Program, value: int = value, text: str = text) -> None:
                mutant.types[value] = text

            yield Mutation(f"{name}: {kind}", _changed(program, change))
    # An operand that is used twice: change the type of one use only.
    for index, value in enumerate(program.node.operands):
        if program.node.operands.count(value) < 2:
            continue
        for kind, text in type_changes(program.types[value], encodings):

            def split(mutant: Program, index: int = index, text: str = text) -> None:
                mutant.node.operands[index] = mutant.fresh(text)

            yield Mutation(f"operand #{index} alone: {kind}", _changed(program, split))


def _common_mutations(program: Program, encodings: Sequence[str]) -> Iterator[Mutation]:
    """Change an element, an encoding or a size in the types of all values that have it."""
    parts = [shape for text in program.types.values() if (shape := shaped(text)) is not None]
    for old in dict.fromkeys(part.element for part in parts):
        for new in ELEMENTS:
            if new != old:
                yield Mutation("every element", _replaced_parts(program, "element", old, new))
    scalars = dict.fromkeys(text for text in program.types.values() if shaped(text) is None)
    for old in scalars:
        for new in (*ELEMENTS, f"tensor<16x{old}>"):
            if new != old:
                yield Mutation("every scalar", _replaced_parts(program, "scalar", old, new))
    for old in dict.fromkeys(part.parameters[0] for part in parts if part.parameters):
        yield Mutation("every encoding: dropped", _replaced_parts(program, "encoding", old, ""))
        for new in encodings:
            if new != old:
                yield Mutation(
                    "every encoding: replaced", _replaced_parts(program, "encoding", old, new)
                )
        for kind, new in encoding_changes(old):
            yield Mutation(f"every {kind}", _replaced_parts(program, "encoding", old, new))
    for old in dict.fromkeys(size for part in parts for size in part.shape if size.isdigit()):
        for new in (int(old) * 2, int(old) // 2, int(old) + 1, 1, 0, 1 << 21):
            if str(new) != old:
                yield Mutation("every size", _replaced_parts(program, "size", old, str(new)))


def _replaced_parts(program: Program, part: str, old: str, new: str) -> Callable[[], Program]:
    """Replace a part in the types of all values, and those types in the properties."""

    def replaced(text: str) -> str:
        parts = shaped(text)
        if parts is None:
            return new if part == "scalar" and text == old else text
        if part == "element" and parts.element == old:
            return parts.having(element=new)
        if part == "encoding" and parts.parameters[:1] == (old,):
            return parts.having(parameters=[*([new] if new else []), *parts.parameters[1:]])
        if part == "size":
            return parts.having(shape=[new if size == old else size for size in parts.shape])
        return text

    def change(mutant: Program) -> None:
        types = {text: replaced(text) for text in mutant.types.values()}
        mutant.types = {value: types[text] for value, text in mutant.types.items()}
        for node in mutant.node.walk():
            for key, text in node.properties.items():
                head, colon, type_text = text.rpartition(" : ")
                if type_text in types:
                    node.properties[key] = f"{head}{colon}{types[type_text]}"

    return _changed(program, change)


def _operand_mutations(program: Program) -> Iterator[Mutation]:
    """Drop, repeat and exchange operands of each operation."""
    for position, node in enumerate(program.node.walk()):
        prefix = "" if position == 0 else f"{node.name} "
        count = len(node.operands)
        for index in range(count):
            yield Mutation(
                f"{prefix}operand #{index} dropped",
                _operands(program, position, _without(node.operands, index)),
            )
        if count:
            repeated = [*node.operands, node.operands[-1]]
            yield Mutation(f"{prefix}operand added", _operands(program, position, repeated))
            first = [node.operands[0], *node.operands]
            yield Mutation(f"{prefix}operand added", _operands(program, position, first))
        yield Mutation(f"{prefix}operand added", _extra_operand(program, position))
        for left in range(count):
            for right in range(left + 1, count):
                swapped = list(node.operands)
                swapped[left], swapped[right] = swapped[right], swapped[left]
                yield Mutation(f"{prefix}operands swapped", _operands(program, position, swapped))
                same = list(node.operands)
                same[left] = same[right]
                yield Mutation(
                    f"{prefix}operand #{left} replaced", _operands(program, position, same)
                )


def _without(items: Sequence[int], index: int) -> list[int]:
    return [*items[:index], *items[index + 1 :]]


def _operands(program: Program, position: int, operands: Sequence[int]) -> Callable[[], Program]:
    def change(mutant: Program) -> None:
        list(mutant.node.walk())[position].operands = list(operands)

    return _changed(program, change)


def _extra_operand(program: Program, position: int) -> Callable[[], Program]:
    def change(mutant: Program) -> None:
        list(mutant.node.walk())[position].operands.append(mutant.fresh("i32"))

    return _changed(program, change)


def _result_mutations(program: Program) -> Iterator[Mutation]:
    """Drop and add results; results of the nested operations stay."""
    node = program.node
    if node.name == "tt.func":
        return
    for index in range(len(node.results)):

        def drop(mutant: Program, index: int = index) -> None:
            del mutant.node.results[index]

        yield Mutation(f"result #{index} dropped", _changed(program, drop))
    types = [program.types[node.results[-1]]] if node.results else []
    for text in (*types, "i32"):

        def add(mutant: Program, text: str = text) -> None:
            mutant.node.results.append(mutant.fresh(text))

        yield Mutation("result added", _changed(program, add))


def _attribute_mutations(program: Program) -> Iterator[Mutation]:
    """Change, drop and add properties and attributes."""
    for position, node in enumerate(program.node.walk()):
        prefix = "" if position == 0 else f"{node.name} "
        for kind, entries in (("property", node.properties), ("attribute", node.attributes)):
            for key, text in entries.items():
                yield Mutation(
                    f"{prefix}{kind} {key} dropped", _entry(program, position, kind, key, None)
                )
                for what, changed in attribute_changes(text):
                    yield Mutation(
                        f"{prefix}{kind} {key}: {what}",
                        _entry(program, position, kind, key, changed),
                    )
        yield Mutation(
            f"{prefix}property added", _entry(program, position, "property", "no_such", "unit")
        )


def _entry(
    program: Program, position: int, kind: str, key: str, text: str | None
) -> Callable[[], Program]:
    def change(mutant: Program) -> None:
        node = list(mutant.node.walk())[position]
        entries = node.properties if kind == "property" else node.attributes
        if text is None:
            del entries[key]
        else:
            entries[key] = text

    return _changed(program, change)


def _region_mutations(program: Program) -> Iterator[Mutation]:
    """Change regions: their number, block arguments and terminators."""
    for index in range(len(program.node.regions)):

        def drop(mutant: Program, index: int = index) -> None:
            del mutant.node.regions[index]

        def empty(mutant: Program, index: int = index) -> None:
            mutant.node.regions[index] = []

        yield Mutation(f"region #{index} dropped", _changed(program, drop))
        yield Mutation(f"region #{index} empty", _changed(program, empty))

    def add(mutant: Program) -> None:
        mutant.node.regions.append([])

    yield Mutation("region added", _changed(program, add))
    for position, block in enumerate(program.node.blocks()):
        yield from _block_mutations(program, position, block)


def _block_mutations(program: Program, position: int, block: BlockNode) -> Iterator[Mutation]:
    def edit(change: Callable[[Program, BlockNode], None]) -> Callable[[], Program]:
        return _changed(
            program, lambda mutant: change(mutant, list(mutant.node.blocks())[position])
        )

    used = {value for node in program.node.walk() for value in node.operands}
    for index, value in enumerate(block.arguments):
        if value not in used:

            def drop(_: Program, at: BlockNode, index: int = index) -> None:
                del at.arguments[index]

            yield Mutation(f"block argument #{index} dropped", edit(drop))
    yield Mutation("block argument added", edit(_append_argument))
    if not block.nodes:
        return
    yield Mutation("terminator dropped", edit(_drop_terminator))
    for name in TERMINATORS:
        if name != block.nodes[-1].name:

            def rename(_: Program, at: BlockNode, name: str = name) -> None:
                at.nodes[-1].name = name

            yield Mutation(f"terminator replaced by {name}", edit(rename))
    yield Mutation("terminator repeated", edit(_repeat_terminator))
    yield Mutation("operation after terminator", edit(_append_constant))


def _append_argument(program: Program, block: BlockNode) -> None:
    block.arguments.append(program.fresh("i32"))


def _drop_terminator(_: Program, block: BlockNode) -> None:
    block.nodes.pop()


def _repeat_terminator(_: Program, block: BlockNode) -> None:
    block.nodes.append(block.nodes[-1].copy())


def _append_constant(program: Program, block: BlockNode) -> None:
    result = program.fresh("i32")
    block.nodes.append(Node("arith.constant", results=[result], properties={"value": "0 : i32"}))


def _module_mutations(program: Program) -> Iterator[Mutation]:
    """Change the attributes of the module."""
    for key, text in program.module_attributes.items():

        def drop(mutant: Program, key: str = key) -> None:
            del mutant.module_attributes[key]

        yield Mutation(f"module attribute {key} dropped", _changed(program, drop))
        for what, changed in attribute_changes(text):

            def change(mutant: Program, key: str = key, changed: str = changed) -> None:
                mutant.module_attributes[key] = changed

            yield Mutation(f"module attribute {key}: {what}", _changed(program, change))
