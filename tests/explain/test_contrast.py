"""Colours of the page, computed as https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio does."""

import re

import pytest

from explain.page import TEMPLATES

STYLE = (TEMPLATES / "style.css").read_text(encoding="utf-8")
TONES = ("stop", "warn", "wait", "good")
CELLS = ("prefill", "decode", "worker", "withheld", "idle")
TEXTS = (
    *(("text", f"{tone}-panel") for tone in TONES),
    *((tone, f"{tone}-panel") for tone in TONES),
    *((tone, "page") for tone in TONES),
    *((f"on-{kind}", kind) for kind in CELLS),
    *((colour, ground) for colour in ("text", "muted") for ground in ("page", "panel")),
    ("link", "page"),
)
SHAPES = ("weights", "activations", "runtime", "kv", "buffers")


def _variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))


def _luminance(colour: str) -> float:
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _scheme(name: str) -> dict[str, str]:
    light, rest = STYLE.split("@media (prefers-color-scheme: dark)")
    dark, print_ = rest.split("@media print")
    return {"light": _variables(light), "dark": _variables(dark), "print": _variables(print_)}[name]


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_texts_and_parts_of_a_bar_stand_out_from_what_they_stand_on(scheme: str) -> None:
    colours = _scheme(scheme)
    least = dict.fromkeys(TEXTS, 4.5) | {(shape, "page"): 3.0 for shape in SHAPES}
    ratios = {(one, other): _contrast(colours[one], colours[other]) for one, other in least}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < least[pair]} == {}


def test_every_scheme_has_every_colour() -> None:
    assert _scheme("light").keys() == _scheme("dark").keys() == _scheme("print").keys()
    assert set(re.findall(r"var\(--([a-z-]+)\)", STYLE)) == _scheme("light").keys()
