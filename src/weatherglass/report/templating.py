"""Jinja templates of the reports and of the web page: everything is escaped, slurs are masked."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from weatherglass._version import __version__
from weatherglass.catalog import mask_slurs

from . import html, numbers
from .social_groups import set_classes
from .strip import NARROW, WIDE, draw_strip

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_CACHED_SENTENCE = 500
"""Characters; longer texts are shown once, and would only fill the cache."""


def create_environment(*folders: tuple[str, str]) -> Environment:
    """Return an environment with the templates of the reports, and of other packages before them.

    Parameters
    ----------
    folders
        Packages with their folders of templates.

    Examples
    --------
    >>> environment = create_environment()
    >>> print(environment.from_string("{{ text }}").render(text="<b>\u202e"))
    &lt;b&gt;\\u202e
    """
    # Imported here: Jinja takes longer to import than most commands take.
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    places = (*folders, ("weatherglass.report", "templates"))
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(*place) for place in places]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
        auto_reload=False,  # the templates of an installed package do not change
    )
    filters: dict[str, Any] = {
        "word": lru_cache(8192)(html.word_markup),
        "words": html.word_list,
        "mask_slurs": mask_slurs,  # for the title of the window, which has no markup
        "sentence": _sentence,
        "effect": numbers.effect,
        "p_value": numbers.p_value,
        "duration": numbers.duration,
    }
    environment.filters |= filters
    shared: dict[str, Any] = {
        "version": __version__,
        "interval": numbers.interval,
        "draw_strip": draw_strip,
        "strip_widths": {"narrow": NARROW, "wide": WIDE},
        "set_classes": set_classes,
    }
    environment.globals |= shared
    return environment


def render_template(template: str, /, **values: Any) -> Markup:
    """Fill in a template of the reports."""
    return Markup(_report_environment().get_template(template).render(**values))


@cache
def _report_environment() -> Environment:
    return create_environment()


def _finalize(value: Any) -> Any:
    """Make invisible characters visible in every text that a template prints."""
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return html.make_visible(value) if is_text else value


_cached_sentence = lru_cache(2048)(html.sentence_markup)


def _sentence(text: str) -> Markup:
    is_short = len(text) <= MAX_CACHED_SENTENCE
    return _cached_sentence(text) if is_short else html.sentence_markup(text)
