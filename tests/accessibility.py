"""axe-core on a page: its violations, in lines that say where they are.

The file is not part of the repository. The tests use that of the package `axe-playwright-python`,
or the file that the environment variable ``AXE_CORE`` names, and are skipped without either.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

_RUN = """async () => {
  const run = await axe.run(document, { resultTypes: ["violations"] });
  const places = (rule) => rule.nodes.slice(0, 3).map((node) => node.target).join("; ");
  return run.violations.map((rule) => `${rule.id}: ${places(rule)}`);
}"""


@cache
def _script() -> str:
    path = os.environ.get("AXE_CORE", "")
    spec = find_spec("axe_playwright_python")
    if not path and spec is not None and spec.origin is not None:
        path = str(Path(spec.origin).with_name("axe.min.js"))
    if not path or not Path(path).is_file():
        pytest.skip("needs axe-core: pip install axe-playwright-python, or set AXE_CORE")
    return Path(path).read_text(encoding="utf-8")


def violations(tab: Any) -> list[str]:
    """Return the violations of all rules of axe-core, each with the first places."""
    tab.evaluate(_script())
    lines: list[str] = tab.evaluate(_RUN)
    return lines
