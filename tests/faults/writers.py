"""Every command that writes, with a line that lets it write all that it can.

`{vectors}`, `{corpus}` and the like stand for the small files of `materials`; what is written goes
into the folder `out`, in which the command is run, and into the cache.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

TEXTS = (
    "he was a doctor and she was a nurse in a warm and bright summer",
    "the man had a career and the woman had a home and a family",
    "she went home to the children and he went to the office for a salary",
    "the rain was cold and the night was dark and he was at home",
)
SUITE = """
id: mine
title: Two tests
steps:
  - {run: weat, title: Association tests, tests: [weat6]}
  - {run: wefat, title: Factual tests, tests: [wefat1]}
"""
TRANSLATED = "language,occupation,sentence,translation\n" + "".join(
    f"tr,{job},x,{pronoun} is.\n"
    for job, pronoun in (
        ("nurse", "She"),
        ("plumber", "He"),
        ("clerk", "She"),
        ("engineer", "He"),
        ("baker", "He"),
    )
)
POLICY = "rules: [{tests: [weat6], effect: 1.99}]\ncontrols: none\n"
PAIR = ("--pair", "male_1-Caliskan_et_al_2017", "female_1-Caliskan_et_al_2017")
TRAINING = ("--method", "ppmi-svd", "--dim", "4", "--bootstrap", "2", "--workers", "1")
MINE = "{x: [doctor, career], y: [salary, rain], a: [warm, bright], b: [cold, dark]}\n"


@dataclass(frozen=True)
class Line:
    """A command line that writes.

    Attributes
    ----------
    words
        The command, its arguments and options.
    files
        The files that it puts in their place whole.
    folder
        The folder that it fills, where it goes on when it is called again.
    quick
        Whether `make test` tries it; `make test-all` tries all.
    """

    words: str
    files: tuple[str, ...] = ()
    folder: str = ""
    quick: bool = False

    def filled(self, given: dict[str, Path]) -> list[str]:
        """The line with the names of files in it."""
        return shlex.split(self.words.format(**given))


def _printed(command: str, quick: bool = False) -> Line:
    return Line(f"{command} -o r.txt", ("r.txt",), quick=quick)


def _drawn(command: str, quick: bool = False) -> Line:
    return Line(f"{command} -o r.txt --plot p.json", ("r.txt", "p.json"), quick=quick)


_PAIR = " ".join(PAIR)
_TRAINING = " ".join(TRAINING)

WRITERS: dict[str, tuple[Line, ...]] = {
    "agree": (_drawn("agree {vectors} default --test weat6"),),
    "audit": (Line("audit {vectors} --suite {suite} -o run --resume", folder="run"),),
    "catalog kinds": (_printed("catalog kinds"),),
    "catalog list": (_printed("catalog list"),),
    "catalog names": (_printed("catalog names"),),
    "catalog sentences": (_printed("catalog sentences doctor --kind noun"),),
    "catalog show": (_printed("catalog show weat6"),),
    "ceat": (_printed("ceat cbow:{vectors} --corpus {corpus} --tests {mine} --samples 20"),),
    "check": (
        Line(
            "check {vectors} --policy {policy} --junit j.xml --sarif s.json --summary m.md "
            "-o r.txt",
            ("j.xml", "s.json", "m.md", "r.txt"),
            quick=True,
        ),
    ),
    "compare": (
        Line(
            "compare {corpus} {other}?documents=paragraphs --tests {mine} --models m "
            f"{_TRAINING} --min-count 1 --permutations 2 -o r.txt --plot p.json",
            ("r.txt", "p.json"),
            folder="m",
        ),
    ),
    "corpus context": (_printed("corpus context {corpus} the --min-together 1"),),
    "corpus words": (_printed("corpus words {corpus} --tests {mine}"),),
    "crowd export": (Line("crowd export {discovery} -o study --tests 2", folder="study"),),
    "crowd import": (
        Line(
            "crowd import {answers} --study {study} --bootstraps 20 --page m.html -o r.txt "
            "--plot p.json",
            ("m.html", "r.txt", "p.json"),
        ),
        Line("crowd import {answers} --study {study} --write-ratings", folder="study"),
    ),
    "crowd simulate": (Line("crowd simulate --study {study} -o a.jsonl", ("a.jsonl",)),),
    "discover": (
        Line(
            "discover {vectors} --groups 4 --categories 6 --words 800 --rotations 999 --alpha 0.9 "
            "--resume --all-rotations --workers 1 --format json -o r.txt --plot p.json",
            ("r.txt", "p.json"),
        ),
    ),
    "groups": (
        _drawn(
            "groups {corpus} {other}?documents=paragraphs --tests {mine} --dim 2 --min-count 1 "
            "--permutations 19"
        ),
    ),
    "measure": (
        _printed("measure {vectors} ripa --set X=doctor,nurse --set A=he,man --set B=she,woman"),
    ),
    "norms": (_drawn("norms default"),),
    "power": (_printed("power weat6 {vectors}"),),
    "query": (_printed("query 'SELECT count(*) FROM results' {audited}"),),
    "rank": (_printed("rank {audited} --test weat6"),),
    "report": (
        Line("report {audited} --figures", folder="audited"),
        _printed("report {audited} --table"),
        _printed("report {audited} --as model-card"),
        _printed("report {audited} --as evidence"),
    ),
    "retrieve": (_drawn("retrieve cbow:{vectors} --no-placebo"),),
    "schema": (_printed("schema policy"),),
    "seat": (
        _drawn("seat cbow:{vectors} --test weat6 --test sent-weat6"),
        Line(
            "seat cbow:{vectors} --test weat6 --results-tsv s.tsv --matrix m.json -o r.txt",
            ("s.tsv", "m.json", "r.txt"),
        ),
    ),
    "sentiment": (_drawn("sentiment default"),),
    "seeds axis": (_drawn(f"seeds axis {{vectors}} {_PAIR}"),),
    "seeds coherence": (_drawn(f"seeds coherence {{vectors}} {_PAIR}"),),
    "seeds concept": (_drawn("seeds concept {vectors} female"),),
    "seeds concepts": (_printed("seeds concepts"),),
    "seeds export": (_printed("seeds export male_1-Caliskan_et_al_2017"),),
    "seeds generated": (_drawn("seeds generated {vectors} --pairs 5 --ranks 100 900"),),
    "seeds checklist": (_printed("seeds checklist male_1-Caliskan_et_al_2017"),),
    "seeds overview": (_drawn("seeds overview"),),
    "seeds lint": (_printed("seeds lint male_1-Caliskan_et_al_2017"),),
    "seeds list": (_printed("seeds list"),),
    "seeds measure": (_drawn(f"seeds measure {{vectors}} {_PAIR}"),),
    "seeds multiverse": (_drawn("seeds multiverse {vectors} --test weat6 --samples 20"),),
    "seeds show": (_printed("seeds show male_1-Caliskan_et_al_2017"),),
    "seeds variance": (_drawn(f"seeds variance {{vectors}} {_PAIR}"),),
    "table": (Line("table {vectors} --test weat6 -o t.csv", ("t.csv",)),),
    "train": (
        Line(f"train {{corpus}} -o m --min-count 1 {_TRAINING}", folder="m", quick=True),
        Line(f"train {{corpus}} -o m --min-count 1 {_TRAINING} --by year --min-size 1", folder="m"),
    ),
    "vectors analogy": (
        _drawn("vectors analogy {vectors} he doctor she"),
        _drawn("vectors analogy {vectors} she he --words 50"),
    ),
    "vectors plane": (_drawn("vectors plane {vectors}"),),
    "translations export": (_printed("translations export --language tr"),),
    "translations measure": (
        Line(
            "translations measure {translated} --counts c.csv -o r.txt --plot p.json",
            ("c.csv", "r.txt", "p.json"),
        ),
    ),
    "vectors convert": tuple(
        Line(f"vectors convert {{vectors}} v{ending}", files, quick=ending == ".npy")
        for ending, files in (
            (".parquet", ("v.parquet",)),
            (".arrow", ("v.arrow",)),
            (".txt", ("v.txt", "v.txt.history")),
            (".txt.gz", ("v.txt.gz", "v.txt.gz.history")),
            (".txt.xz", ("v.txt.xz", "v.txt.xz.history")),
            (".txt.zst", ("v.txt.zst", "v.txt.zst.history")),
            (".bin", ("v.bin", "v.bin.history")),
            (".npz", ("v.npz",)),
            (".h5", ("v.h5", "v.h5.history")),
            (".npy", ("v.npy", "v.npy.vocab", "v.npy.history")),
            (".safetensors", ("v.safetensors", "v.safetensors.vocab")),
        )
    ),
    "vectors clean": (_printed("vectors clean {vectors} {words}"),),
    "vectors debias": (Line("vectors debias {vectors} d.bin", ("d.bin", "d.bin.history")),),
    "vectors subset": (Line("vectors subset {vectors} s.parquet --words {words}", ("s.parquet",)),),
    "weat": (
        _printed("weat {vectors} --test weat6", quick=True),
        _drawn("weat {vectors} --test weat6"),
        Line(
            "weat {vectors} --test weat6 --format latex -o r.txt --bibtex b.bib",
            ("r.txt", "b.bib"),
        ),
    ),
    "wefat": (_drawn("wefat {vectors} --test wefat1"),),
}

CACHING = {
    "vectors info": Line("vectors info {vectors}", quick=True),
    "vectors neighbours": Line("vectors neighbours {vectors} doctor"),
}
"""Commands that write nothing but the cache."""

QUIET = {"cache list", "catalog validate", "corpus info", "doctor"}
"""Commands that write nothing."""

ELSEWHERE = {"cache clear", "serve"}
"""Commands whose writing is tried in tests of their own."""
