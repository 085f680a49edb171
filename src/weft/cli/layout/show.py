"""What `weft layout` prints for the options it was given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from weft.cli.layout.reading import Named, read_layout
from weft.cli.layout.tensor_type import TensorType, read_type
from weft.cli.report import write
from weft.errors import LayoutError, did_you_mean
from weft.layouts import Encoding, LinearLayout, PaddedSharedEncoding
from weft.layouts.drawing import hardware_view, tensor_view

VIEWS = ("tensor", "hardware")
PICTURES = ("svg", "html")
FORMATS = ("text", *PICTURES, "json", "cute")


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
    costs = request.banks is not None or request.coalescing
    for option, given in (("--linear", request.linear), ("a cost", costs)):
        if given and request.format != "text":
            raise LayoutError(f"{option} is text", found=f"--format {request.format}")
    if request.to is not None and request.format not in ("text", *PICTURES):
        raise LayoutError("a conversion is text or a picture", found=f"--format {request.format}")
    if (costs or request.to is not None) and request.file is not None:
        raise LayoutError("a cost is that of one layout", found=f"-i {request.file}")
    asked = request.banks is not None or request.to is not None
    if request.target is not None and not asked and request.format not in PICTURES:
        raise LayoutError(
            "--target says whose banks",
            found=request.target,
            accepted=["--banks LAYOUT", "--to LAYOUT", *(f"--format {name}" for name in PICTURES)],
        )


def _costs(named: Named, type_: TensorType | None, request: Request) -> str:
    """Return the costs that were asked for, "" for none."""
    if request.banks is None and request.to is None and not request.coalescing:
        return ""
    from weft.cli.layout import costs

    parts = []
    if request.to is not None:
        after = read_layout(request.to, type_)
        if request.format != "text":
            return _conversion(named, after, type_, request)
        parts.append(costs.conversion_plan(named, after, type_, request.target))
    if request.banks is not None:
        other = read_layout(request.banks, type_)
        parts.append(costs.banks(named, other, type_, request.target))
    if request.coalescing:
        parts.append(costs.global_memory(named, type_))
    return "\n".join(parts)


def _conversion(before: Named, after: Named, type_: TensorType | None, request: Request) -> str:
    """Return the picture of a conversion."""
    from weft.cli.layout.costs import registers_of
    from weft.layouts import drawing

    title = f"{before.text} to {after.text}" + (f" of {type_}" if type_ else "")
    made = drawing.transfer(*registers_of(before, after, type_), title)
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
    hardware = request.view == "hardware"
    if request.target is None:
        made = drawing.picture(layout, title, hardware=hardware, bits=bits, padding=padding)
    else:
        from weft.cli.layout.costs import memory_of

        banks = memory_of(request.target).banks
        made = drawing.picture(
            layout, title, hardware=hardware, bits=bits, padding=padding, banks=banks
        )
    return (drawing.html if request.format == "html" else drawing.svg)(made, request.color)


def padding_of(encoding: Encoding | None) -> tuple[tuple[int, int], ...]:
    """Return the (interval, amount) pairs of a padded encoding, none of any other."""
    if isinstance(encoding, PaddedSharedEncoding):
        return tuple(zip(encoding.intervals, encoding.paddings, strict=True))
    return ()
