"""Write ``constraints.txt``: the exact version of every package in the tested environment.

Run by ``make constraints``, with the Python of the environment that ``make test test-all`` used.
The file holds versions only, no hosts or paths, so that it works with any package index. A
package that was installed from a file or a repository has no version that others could install,
so the script refuses to write.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

OUT = Path(__file__).parent.parent / "constraints.txt"
# Newer versions of Python may need newer versions of compiled packages.
MARKER = 'python_version < "3.14"'
HEADER = """\
# Exact versions of all packages that Weatherglass was tested with (Python {python}, {system}).
# To restore that environment: pip install -c constraints.txt '.[all]'
# `make` uses this file for everything it installs. Versions of Python that were not tested with
# these packages ignore it. Written by `make constraints`; do not edit.
"""
PINNED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9.!_-]+)(\+\S+)?")


def pin(frozen: Iterable[str]) -> list[str]:
    """Constraints from the lines of ``pip freeze``, sorted by name.

    Local versions such as ``2.13.0+cpu`` are only known to some indexes, so that what is after the
    plus sign is dropped.
    """
    pins: list[tuple[str, str]] = []
    for line in frozen:
        match = PINNED.fullmatch(line.strip())
        if match is None:
            raise SystemExit(f"{line.strip()}: not installed from an index; nothing was written.")
        name = re.sub(r"[-_.]+", "-", match["name"]).lower()
        pins.append((name, match["version"]))
    return [f"{name}=={version} ; {MARKER}" for name, version in sorted(pins)]


def main() -> None:
    """Freeze the environment of the running Python."""
    command = [sys.executable, "-m", "pip", "freeze", "--exclude-editable"]
    frozen = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    header = HEADER.format(python=platform.python_version(), system=platform.system())
    lines = pin(frozen.splitlines())
    OUT.write_text(header + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{OUT.name}: {len(lines)} packages")


if __name__ == "__main__":
    main()
