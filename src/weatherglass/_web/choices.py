"""Other seed words on a page: what the report says of a multiverse, with the curve drawn here."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import markupsafe

from weatherglass.measures import Results
from weatherglass.report.arranged import source_of
from weatherglass.report.audit_seeds import choices
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup, element
from weatherglass.seedlab.multiverse_record import Multiverse


def told(found: Multiverse, query: str, on: str) -> markupsafe.Markup:
    """The report's section about other seed words, for one test on one source."""
    where = f"{query}&{urlencode({'on': on})}"

    def draw(make: Any, name: str, said: str, **options: Any) -> Markup:
        still = element("noscript", element("img", src=f"/ask/curve.svg?{where}", alt=said))
        room = element("div", still, class_="picture", role="img", aria_label=said)
        return element("figure", room, class_="chart", data_spec=f"/ask/curve.json?{where}")

    audited = Audited({}, Results.of([]), multiverses=(found,))
    (made,) = choices(audited, {source_of(found): on}, draw)
    return markupsafe.Markup(made)
