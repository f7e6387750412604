"""Add to the list of components what its tool cannot know: bundled files and the version.

Run by ``make dist``: ``python scripts/complete_sbom.py dist/weatherglass.cdx.json``.
The tool that writes the list (CycloneDX for Python) reads the requirements. The files in the
package that others made come from the tables of ``tests/test_bundled.py``, which checks them.
"""

from __future__ import annotations

import hashlib
import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion

import weatherglass

ROOT = Path(__file__).parent.parent


def bundled_files() -> Iterator[Component]:
    """Give the files of the package that others made, each with its checksum."""
    tables = runpy.run_path(str(ROOT / "tests" / "test_bundled.py"))
    for name, (origin, licence, _) in (tables["FILES"] | tables["LISTS"]).items():
        content = (ROOT / "src" / "weatherglass" / name).read_bytes()
        yield Component(
            name=f"weatherglass/{name}",
            bom_ref=f"bundled-{name}",
            type=ComponentType.FILE,
            description=f"Part of the package, from {origin}; see NOTICE.",
            licenses=[DisjunctiveLicense(name=part) for part in licence.split("; ")],
            hashes=[
                HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(content).hexdigest())
            ],
        )


def main(path: Path) -> None:
    """Complete the list at `path`, and put the version into its name."""
    bom = Bom.from_json(json.loads(path.read_text(encoding="utf-8")))  # type: ignore[attr-defined]
    package = bom.metadata.component
    package.version = weatherglass.__version__
    bom.components.update(bundled_files())
    bom.register_dependency(package, bom.components)
    # As the tool does, so that the same release has the same list.
    bom.serial_number = bom.metadata.timestamp = None  # type: ignore[assignment]
    out = path.with_name(f"weatherglass-{package.version}.cdx.json")
    outputter = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6)
    outputter.output_to_file(str(out), allow_overwrite=True, indent=2)
    path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
