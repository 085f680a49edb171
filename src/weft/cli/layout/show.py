"""Choose what `weft layout` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from weft.cli.layout.reading import Named, read_layout
from weft.cli.layout.tensor_type import TensorType, read_type
from weft.cli.output import write
from weft.errors import LayoutError, did_you_mean
from weft.layouts import Encoding, LinearLayout, PaddedSharedEncoding
from weft.layouts.drawing import hardware_view, tensor_view

VIEWS = ("tensor", "hardware")
PICTURES = ("svg", "html")
FORMATS = ("text", *PICTURES, "json", "cute")
SEARCHES = ("swizzle", "padding")


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of the command line; see command.py."""

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
    """Print the requested layouts, pictures or costs.

    Raises:
        LayoutError: A layout that cannot be parsed, or options that exclude each other.
        WeftError: A file that cannot be read or written.
    """
    _check(request)
    type_ = read_type(request.tensor_type) if request.tensor_type is not None else None
    if (request.layout is None) == (request.file is None):
        raise LayoutError(
            "weft layout needs a layout or a file",
            found="both" if request.file is not None else "neither",
            accepted=["'#ttg.blocked<{…}>'", "-i FILE.ttgir"],
        )
    if request.layout is not None:
        if request.alias_names:
            raise LayoutError(
                "-alias-names needs a file", found="-alias-names", accepted=["-i FILE.ttgir"]
            )
        named = read_layout(request.layout, type_)
        text = _cost_text(named, type_, request) or _layout_text(named, type_, request)
    else:
        text = "".join(_file_texts(request, type_))
    write(text, request.output)


def _check(request: Request) -> None:
    """Reject unknown values of options, and options that exclude each other."""
    _check_choice("--view", request.view, VIEWS)
    _check_choice("--format", request.format, FORMATS)
    if request.color is not None and request.format not in PICTURES:
        raise LayoutError(
            "--color needs a picture", found=f"--format {request.format}", accepted=PICTURES
        )
    if request.best is not None:
        _check_choice("--best", request.best, SEARCHES)
    if request.view != "tensor" and (request.linear or request.format not in ("text", *PICTURES)):
        raise LayoutError(
            f"--view {request.view} is a text view or a picture",
            found="--linear" if request.linear else f"--format {request.format}",
        )
    only_text = (
        ("--linear", request.linear),
        ("--best", request.best is not None),
        ("a cost", request.coalescing),
        ("a cost", request.banks is not None and request.format not in PICTURES),
    )
    for option, is_set in only_text:
        if is_set and request.format != "text":
            raise LayoutError(f"{option} is text", found=f"--format {request.format}")
    costs = request.banks is not None or request.coalescing or request.best is not None
    if request.to is not None and request.format not in ("text", *PICTURES):
        raise LayoutError("a conversion is text or a picture", found=f"--format {request.format}")
    needs_target = costs or request.to is not None
    pictures = [f"--format {name}" for name in PICTURES]
    if needs_target and request.file is not None:
        raise LayoutError("a cost needs one layout, not a file", found=f"-i {request.file}")
    if request.target is not None and not needs_target and request.format not in PICTURES:
        raise LayoutError(
            "--target needs a cost, a conversion or a picture",
            found=request.target,
            accepted=["--banks LAYOUT", "--to LAYOUT", "--best swizzle", "--coalescing", *pictures],
        )


def _cost_text(named: Named, type_: TensorType | None, request: Request) -> str:
    """Describe the requested costs; "" for none."""
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
    """Draw a conversion: its plan on a target, else the origin of each element."""
    from weft.cli.layout.costs import plan_conversion, registers_of
    from weft.layouts import drawing

    title = f"{before.text} to {after.text}" + (f" of {type_}" if type_ else "")
    if request.target is None:
        image = drawing.transfer_picture(*registers_of(before, after, type_), title)
    else:
        plan = plan_conversion(before, after, type_, request.target)
        image = drawing.conversion_picture(plan, f"{title} on {request.target}")
    return (drawing.html if request.format == "html" else drawing.svg)(image, request.color)


def _check_choice(option: str, value: str, accepted: tuple[str, ...]) -> None:
    if value not in accepted:
        raise LayoutError(
            f"invalid value of {option}",
            found=value,
            accepted=accepted,
            hint=did_you_mean(value, accepted),
        )


def _file_texts(request: Request, type_: TensorType | None) -> Iterator[str]:
    """Yield the table of a file's layouts, or the layouts with the requested names."""
    from weft.cli.layout import dump

    assert request.file is not None
    uses = dump.read(request.file)
    if not request.alias_names and type_ is None and request.format == "text":
        yield dump.table(uses)
        return
    selected = [
        (use, each)
        for use in dump.select(uses, request.alias_names)
        for each in ([type_] if type_ is not None else _one_per_shape(use.types))
    ]
    if request.format != "text" and len(selected) != 1:
        raise LayoutError(
            f"--format {request.format} needs one layout and one type",
            found=", ".join(f"{use.name} of {each}" for use, each in selected) or "none",
            accepted=["-alias-names NAME -t TYPE"],
        )
    for use, each in selected:
        text = f"{use.name} = {use.encoding}"
        named = Named(text if type_ is not None else f"{text} of {each}", encoding=use.encoding)
        yield _layout_text(named, each, request)


def _one_per_shape(types: Iterable[TensorType]) -> list[TensorType]:
    """Select one type of each shape; a view does not depend on the element type."""
    return list({type_.shape: type_ for type_ in reversed(list(types))}.values())[::-1]


def _layout_text(named: Named, type_: TensorType | None, request: Request) -> str:
    layout = named.linear(type_)
    padding = padding_of(named.encoding)
    hardware = request.view == "hardware"
    if request.format != "text":
        return _picture_text(named, layout, type_, request)
    if request.linear:
        text = f"{layout}\n".lstrip("\n")
    else:
        text = (hardware_view if hardware else tensor_view)(layout, padding)
    return f"Print layout attribute: {named.text}\n{text}"


def _picture_text(
    named: Named, layout: LinearLayout, type_: TensorType | None, request: Request
) -> str:
    """Format a layout as a picture, as JSON, or in CuTe's notation."""
    from weft.cli.layout.costs import sides
    from weft.layouts import drawing

    padding = padding_of(named.encoding)
    bits = type_.bits if type_ else 0
    if request.format == "json":
        element = type_.element if type_ else ""
        return drawing.as_json(layout, named.text, element=element, bits=bits, padding=padding)
    if request.format == "cute":
        if padding:
            raise LayoutError("CuTe layouts have no padding", found=named.text)
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
    options: dict[str, int] = {}
    if request.target is not None:
        from weft.cli.layout.costs import memory_of

        options["banks"] = memory_of(request.target).banks
    image = drawing.picture(
        layout,
        title,
        hardware=request.view == "hardware",
        bits=type_.bits if type_ else 0,
        padding=padding,
        through=through,
        **options,
    )
    return (drawing.html if request.format == "html" else drawing.svg)(image, request.color)


def padding_of(encoding: Encoding | None) -> tuple[tuple[int, int], ...]:
    """List the (interval, padding) pairs of a padded encoding; none for others."""
    if isinstance(encoding, PaddedSharedEncoding):
        return tuple(zip(encoding.intervals, encoding.paddings, strict=True))
    return ()
