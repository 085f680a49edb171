"""Colours for the groups of a picture, one set for light pages and one for dark ones.

Groups in order get hues around the circle, and two strengths in turn, so that neighbours differ and
the order remains visible. Colours are computed in OKLCH with a constant perceived lightness, so
that text stays legible: black on the light set, white on the dark one.
"""

from __future__ import annotations

import math

from msgspec import Struct

__all__ = ["DARK_TEXT", "LIGHT_TEXT", "Colour", "palette"]

# The colour of text on light pages, and on dark ones.
LIGHT_TEXT = "#16181d"
DARK_TEXT = "#f3f4f6"

# (lightness, chroma) of the two strengths.
_LIGHT = ((0.90, 0.070), (0.80, 0.095))
_DARK = ((0.36, 0.075), (0.45, 0.095))
_FIRST_HUE = 0.69  # of a full circle
_FEW_GROUPS = 6  # whose hues differ enough without strengths


class Colour(Struct, frozen=True):
    """A fill on a light page and on a dark one, as #rrggbb."""

    light: str
    dark: str


def palette(count: int) -> list[Colour]:
    """Return a colour for each of `count` groups."""
    colours: list[Colour] = []
    for index in range(count):
        hue = 2 * math.pi * (index / count + _FIRST_HUE)
        strength = index % 2 if count > _FEW_GROUPS else 1
        colours.append(Colour(_hex(*_LIGHT[strength], hue), _hex(*_DARK[strength], hue)))
    return colours


def _hex(lightness: float, chroma: float, hue: float) -> str:
    """Return an OKLCH colour as sRGB; source: B. Ottosson, A perceptual color space, 2020."""
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _gamma(value)):02x}" for value in linear)


def _gamma(value: float) -> float:
    """Return the sRGB value of a linear one, clipped to 0..1."""
    value = min(max(value, 0.0), 1.0)
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
