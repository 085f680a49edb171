"""What `weft layout` prints for the options it was given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from weft.cli.layout.reading import Named, read_layout
from weft.cli.layout.tensor_type import TensorType, read_type
from weft.cli.report import write
from weft.errors import LayoutError, did_you_mean
from weft.layouts import Encoding, LinearLayout, PaddedSharedEncoding
from weft.layouts.drawing import hardware_view, tensor_view

VIEWS = ("tensor", "hardware")
PICTURES = ("svg", "html")
FORMATS = ("text", *PICTURES, "json", "cute")
SEARCHES = ("swizzle", "padding")


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line; see the options in command.py."""

    layout: str | None
    tensor_type: str | None
    file: str | None
    alias_names: tuple[str, ...]
    view: str
    linear: bool
    format: str
    color: str | None
    banks: str | None
    to: str | None
    best: str | None
    coalescing: bool
    target: str | None
    output: str


def run(request: Request) -> None:
    """Print what `request` asks for.

    Raises: LayoutError, or WeftError for the files.
    """
    _check(request)
    type_ = read_type(request.tensor_type) if request.tensor_type is not None else None
    if (request.layout is None) == (request.file is None):
        raise LayoutError(
            "give one layout, or a file that has some",
            found="both" if request.file is not None else "neither",
            accepted=["'#ttg.blocked<{…}>'", "-i FILE.ttgir"],
        )
    if request.layout is not None:
        if request.alias_names:
            raise LayoutError(
                "aliases are names in a file", found="-alias-names", accepted=["-i FILE.ttgir"]
            )
        named = read_layout(request.layout, type_)
        text = _costs(named, type_, request) or _shown(named, type_, request)
    else:
        text = "".join(_of_file(request, type_))
    write(text, request.output)


def _check(request: Request) -> None:
    """Refuse values of options that are not known, and options that do not go together."""
    _one_of("--view", request.view, VIEWS)
    _one_of("--format", request.format, FORMATS)
    if request.color is not None and request.format not in PICTURES:
        raise LayoutError(
            "only pictures have colours", found=f"--format {request.format}", accepted=PICTURES
        )
    if request.best is not None:
        _one_of("--best", request.best, SEARCHES)
    only_text = (
        ("--linear", request.linear),
        ("--best", request.best is not None),
        ("a cost", request.coalescing),
        ("a cost", request.banks is not None and request.format not in PICTURES),
    )
    for option, given in only_text:
        if given and request.format != "text":
            raise LayoutError(f"{option} is text", found=f"--format {request.format}")
    costs = request.banks is not None or request.coalescing or request.best is not None
    if request.to is not None and request.format not in ("text", *PICTURES):
        raise LayoutError("a conversion is text or a picture", found=f"--format {request.format}")
    asks = costs or request.to is not None
    pictures = [f"--format {name}" for name in PICTURES]
    if asks and request.file is not None:
        raise LayoutError("a cost is that of one layout", found=f"-i {request.file}")
    if request.target is not None and not asks and request.format not in PICTURES:
        raise LayoutError(
            "--target says on which chip",
            found=request.target,
            accepted=["--banks LAYOUT", "--to LAYOUT", "--best swizzle", "--coalescing", *pictures],
        )


def _costs(named: Named, type_: TensorType | None, request: Request) -> str:
    """Return the costs that were asked for, "" for none."""
    if request.format != "text":
        if request.to is None:
            return ""
        return _conversion(named, read_layout(request.to, type_), type_, request)
    from weft.cli.layout import costs

    target = request.target
    after = named if request.to is None else read_layout(request.to, type_)
    parts = []
    if request.best is not None:
        parts.append(costs.best(request.best, named, after, type_, target))
    elif request.to is not None:
        parts.append(costs.conversion_plan(named, after, type_, target))
    if request.banks is not None:
        parts.append(costs.banks(named, read_layout(request.banks, type_), type_, target))
    if request.coalescing:
        parts.append(costs.global_memory(named, type_, target))
    return "\n".join(parts)


def _conversion(before: Named, after: Named, type_: TensorType | None, request: Request) -> str:
    """Return the picture of a conversion: on a chip as it is carried out there, else of origins."""
    from weft.cli.layout.costs import planned, registers_of
    from weft.layouts import drawing

    title = f"{before.text} to {after.text}" + (f" of {type_}" if type_ else "")
    if request.target is None:
        made = drawing.transfer_picture(*registers_of(before, after, type_), title)
    else:
        found = planned(before, after, type_, request.target)
        made = drawing.conversion_picture(found, f"{title} on {request.target}")
    return (drawing.html if request.format == "html" else drawing.svg)(made, request.color)


def _one_of(option: str, value: str, accepted: tuple[str, ...]) -> None:
    if value not in accepted:
        raise LayoutError(
            f"{option} cannot be that",
            found=value,
            accepted=accepted,
            hint=did_you_mean(value, accepted),
        )


def _of_file(request: Request, type_: TensorType | None) -> Iterator[str]:
    """Yield the table of a file's layouts, or the layouts that were asked for by name."""
    from weft.cli.layout import dump

    assert request.file is not None
    found = dump.read(request.file)
    if not request.alias_names and type_ is None and request.format == "text":
        yield dump.table(found)
        return
    wanted = [
        (use, each)
        for use in dump.chosen(found, request.alias_names)
        for each in ([type_] if type_ is not None else _of_each_shape(use.types))
    ]
    if request.format != "text" and len(wanted) != 1:
        raise LayoutError(
            f"--format {request.format} is of one layout and one type",
            found=", ".join(f"{use.name} of {each}" for use, each in wanted) or "none",
            accepted=["-alias-names NAME -t TYPE"],
        )
    for use, each in wanted:
        text = f"{use.name} = {use.encoding}"
        named = Named(text if type_ is not None else f"{text} of {each}", encoding=use.encoding)
        yield _shown(named, each, request)


def _of_each_shape(types: Iterable[TensorType]) -> list[TensorType]:
    """Return one type of each shape; a view does not depend on the elements."""
    return list({type_.shape: type_ for type_ in reversed(list(types))}.values())[::-1]


def _shown(named: Named, type_: TensorType | None, request: Request) -> str:
    layout = named.linear(type_)
    padding = padding_of(named.encoding)
    hardware = request.view == "hardware"
    if request.format != "text":
        return _drawn(named, layout, type_, request)
    if request.linear:
        text = f"{layout}\n".lstrip("\n")
    else:
        text = (hardware_view if hardware else tensor_view)(layout, padding)
    return f"Print layout attribute: {named.text}\n{text}"


def _drawn(named: Named, layout: LinearLayout, type_: TensorType | None, request: Request) -> str:
    """Return the layout as a picture, as data or in CuTe's words."""
    from weft.cli.layout.costs import sides
    from weft.layouts import drawing

    padding = padding_of(named.encoding)
    bits = type_.bits if type_ else 0
    if request.format == "json":
        element = type_.element if type_ else ""
        return drawing.as_json(layout, named.text, element=element, bits=bits, padding=padding)
    if request.format == "cute":
        if padding:
            raise LayoutError("CuTe has no name for padding", found=named.text)
        return f"{drawing.cute(layout)}\n"
    title = named.text
    if type_ is not None and not title.endswith(str(type_)):
        title = f"{title} of {type_}"
    through = None
    if request.banks is not None:
        registers, shared = sides(named, read_layout(request.banks, type_), type_)
        layout, through = registers.linear(type_), shared.linear(type_)
        padding = padding_of(shared.encoding)
        title = f"{registers.text} through {shared.text}" + (f" of {type_}" if type_ else "")
    more: dict[str, Any] = {}
    if request.target is not None:
        from weft.cli.layout.costs import memory_of

        more["banks"] = memory_of(request.target).banks
    made = drawing.picture(
        layout,
        title,
        hardware=request.view == "hardware",
        bits=type_.bits if type_ else 0,
        padding=padding,
        through=through,
        **more,
    )
    return (drawing.html if request.format == "html" else drawing.svg)(made, request.color)


def padding_of(encoding: Encoding | None) -> tuple[tuple[int, int], ...]:
    """Return the (interval, amount) pairs of a padded encoding, none of any other."""
    if isinstance(encoding, PaddedSharedEncoding):
        return tuple(zip(encoding.intervals, encoding.paddings, strict=True))
    return ()
