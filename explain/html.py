"""The page as one HTML document that asks no server for anything: styles are inside."""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from explain import findings
from explain.memory import PART_NAMES
from explain.page import Page
from resource_graph.printable import printable

TEMPLATES = Path(__file__).parent / "templates"
_CODE = re.compile("`([^`]*)`")


def to_html(page: Page) -> str:
    """Return the document, the same bytes for the same page.

    Every text is escaped: names and messages come from other people.
    """
    template = _environment().get_template("page.html")
    return template.render(page=page, findings=findings, part_names=PART_NAMES, coded=_coded)


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printed,
    )


def _printed(value: Any) -> Any:
    # A browser obeys control characters too: those that turn the direction of text hide what stands there.
    # What a macro returns is escaped already, and the texts in it have been here.
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _coded(text: str) -> Markup:
    """Return the text with what stands between backticks as code, as documents of this project write it."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(printable(text)))))  # noqa: S704 - escaped before
