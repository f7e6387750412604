"""What rules are judged on: a source that is measured here, or the record of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from weatherglass.catalog import FactualTest, GroupsTest, Test
from weatherglass.discovery import Discovery
from weatherglass.encoders import Encoder, SeatResult, encode_words, seat
from weatherglass.errors import CannotMeasure, WeatherglassError
from weatherglass.measures import (
    NOT_FOR_TABLES,
    AssociationTable,
    Embedding,
    Measurement,
    Results,
    SourceValence,
    describe_source,
    from_plain,
    generalised_weat,
    measure,
    measure_named,
    source_valence,
    valence_words,
    weat,
    wefat,
)
from weatherglass.report import AuditResult
from weatherglass.retrieval import RetrievalResult
from weatherglass.seedlab import multiverse
from weatherglass.vectors import Vectors

from ..health import Health, encoder_health, vector_health
from ..steps import MEASURE_DEFAULTS, convert_options, discovery_options, retrieval_options
from .policy import AnyTest, Rule, used_sets


class Subject:
    """A source under a policy. A method that cannot answer raises `CannotMeasure`.

    Attributes
    ----------
    name
        What verdicts call the source.
    reason
        Why it cannot be opened; then this class answers all questions with it.
    """

    name: str
    reason: str = ""

    @property
    def is_encoder(self) -> bool:
        """Whether it encodes sentences; otherwise it has word vectors."""
        return False

    @property
    def is_table(self) -> bool:
        """Whether it is an association table, which has no vectors to look at."""
        return self.describe().get("kind") == "table"

    def describe(self) -> dict[str, Any]:
        """Return what the record of a check states about the source."""
        return {"name": self.name, "kind": "unknown", "fingerprint": "", "reason": self.reason}

    def run_tests(self, tests: Iterable[AnyTest]) -> None:
        """Measure tests together, so that `result` finds them."""

    def result(self, test: AnyTest) -> Measurement:
        """Return the result of a test."""
        raise CannotMeasure(self.reason)

    def measure(self, rule: Rule) -> Measurement:
        """Return the result of a rule's measure."""
        raise CannotMeasure(self.reason)

    def discover(self, rule: Rule) -> Discovery:
        """Return the discovery of a rule."""
        raise CannotMeasure(self.reason)

    def retrieve(self, rule: Rule) -> list[RetrievalResult]:
        """Return the comparisons of the retrieval audit of a rule."""
        raise CannotMeasure(self.reason)

    def agreement(self, test: AnyTest) -> float | None:
        """Return the share of documented seed choices with the same sign; None without choices."""
        raise CannotMeasure(self.reason)

    def health(self) -> Health:
        """Return how many vectors are copies, and how similar they are."""
        raise CannotMeasure(self.reason)

    def valence(self) -> SourceValence:
        """Return how far the source agrees with the ratings of people."""
        raise CannotMeasure(self.reason)


class UnopenedSource(Subject):
    """A source that cannot be opened; its name says whether it is an encoder."""

    def __init__(self, name: str, reason: str, is_encoder: bool) -> None:
        self.name, self.reason = name, reason
        self._is_encoder = is_encoder

    @property
    def is_encoder(self) -> bool:
        return self._is_encoder


@dataclass(eq=False)
class OpenSource(Subject):
    """A source that is measured when a rule asks, each thing once."""

    name: str
    source: Embedding | Encoder
    rng: int = 0
    workers: int | None = None
    batch_size: int | None = None
    cluster: str | None = None
    _results: dict[str, Measurement] = field(default_factory=dict, repr=False)
    _others: dict[str, Any] = field(default_factory=dict, repr=False)
    _failure: WeatherglassError | None = field(default=None, repr=False)

    @property
    def is_encoder(self) -> bool:
        return not isinstance(self.source, Vectors | AssociationTable)

    def describe(self) -> dict[str, Any]:
        about: dict[str, Any] = {"name": self.name, "fingerprint": self.source.fingerprint}
        if history := list(getattr(self.source, "history", ())):
            about["history"] = history
        if isinstance(self.source, AssociationTable):
            return describe_source(self.source)
        if isinstance(self.source, Vectors):
            return about | {
                "kind": "vectors",
                "words": len(self.source),
                "dim": self.source.dim,
            }
        return about | {"kind": "encoder"}

    def run_tests(self, tests: Iterable[AnyTest]) -> None:
        new = {test.id: test for test in tests if test.id not in self._results}
        if isinstance(self.source, Vectors | AssociationTable):
            for id, test in new.items():
                result = self._run_on_vectors(self.source, test)
                # The grade of a finding is the same as in an audit.
                self._results[id] = replace(result, valence=self.valence())
            return
        chosen = [test for test in new.values() if isinstance(test, Test)]
        if self._failure is not None:
            raise self._failure
        if chosen:
            try:
                self._results |= {r.test: r for r in self._run_on_encoder(self.source, chosen)}
            except WeatherglassError as error:
                self._failure = error  # a dead endpoint is not asked again for every test
                raise

    def _run_on_encoder(self, encoder: Encoder, tests: Sequence[Test]) -> Results[SeatResult]:
        return seat(
            encoder,
            tests,
            alternative="two-sided",
            rng=self.rng,
            workers=self.workers,
            batch_size=self.batch_size,
            cluster=self.cluster,
        )

    def _run_on_vectors(self, vectors: Embedding, test: AnyTest) -> Measurement:
        if isinstance(test, FactualTest):
            return wefat(vectors, test)
        if isinstance(test, GroupsTest):
            return generalised_weat(vectors, test, alternative="two-sided", rng=self.rng)
        options: dict[str, Any] = {"rng": self.rng, "workers": self.workers, "baseline": False}
        options["influence"] = True  # leave-one-out is evidence of the finding, as in an audit
        result: Measurement = weat(vectors, test, alternative="two-sided", **options)
        return result

    def result(self, test: AnyTest) -> Measurement:
        if self.is_encoder and not isinstance(test, Test):
            raise CannotMeasure(f"a {test.kind} test needs word vectors.")
        self.run_tests([test])
        return self._results[test.id]

    def measure(self, rule: Rule) -> Measurement:
        known = measure_named(rule.measure)
        options = convert_options(rule.options, known.options | MEASURE_DEFAULTS)
        for name, value in (("rng", self.rng), ("alternative", "two-sided")):
            if name in known.options:
                options.setdefault(name, value)
        control = options.pop("control", "none")
        if control != "none":
            options["control"] = control
        vectors = self._embedding("a measure of word sets")
        sets = used_sets(rule.measure, rule.sets)
        result: Measurement = measure(vectors, rule.measure, sets, **options)
        return result

    def discover(self, rule: Rule) -> Discovery:
        from weatherglass.discovery import discover

        options = discovery_options(rule.discovery or {})
        key = repr(sorted(options.items()))
        if key not in self._others:
            vectors = self._embedding("a discovery")
            shared = {"rng": self.rng, "workers": self.workers}
            self._others[key] = discover(vectors, **options | shared)
        found: Discovery = self._others[key]
        return found

    def retrieve(self, rule: Rule) -> list[RetrievalResult]:
        from weatherglass.retrieval import retrieve

        if isinstance(self.source, Vectors | AssociationTable):
            raise CannotMeasure("a retrieval audit needs an encoder.")
        if self._failure is not None:
            raise self._failure
        options = {"seed": self.rng, **retrieval_options(rule.retrieval or {})}
        key = f"retrieve {sorted(options.items())}"
        if key not in self._others:
            self._others[key] = retrieve(
                self.source, batch_size=self.batch_size, cluster=self.cluster, **options
            )
        return list(self._others[key].results)

    def agreement(self, test: AnyTest) -> float | None:
        is_embedding = isinstance(self.source, Vectors | AssociationTable)
        if not is_embedding or not isinstance(test, Test):
            return None
        key = f"multiverse {test.id}"
        if key not in self._others:
            embedding = self._embedding("a multiverse")
            self._others[key] = multiverse(embedding, test, rng=self.rng).summary
        same_sign = self._others[key].same_sign["whole"]
        return same_sign.share if same_sign.of > 1 else None

    def health(self) -> Health:
        if isinstance(self.source, AssociationTable):
            raise CannotMeasure(f"{NOT_FOR_TABLES}.")
        if isinstance(self.source, Vectors):
            return vector_health(self.source)
        if self._failure is not None:
            raise self._failure
        return encoder_health(self.source, self.batch_size)

    def valence(self) -> SourceValence:
        if "valence" not in self._others:
            if self._failure is not None:
                raise self._failure
            self._others["valence"] = source_valence(self._rated_words())
        measured: SourceValence = self._others["valence"]
        return measured

    def _rated_words(self) -> Embedding:
        if isinstance(self.source, Vectors | AssociationTable):
            return self.source
        return encode_words(self.source, valence_words(), batch_size=self.batch_size)

    def _embedding(self, needs: str) -> Embedding:
        if not isinstance(self.source, Vectors | AssociationTable):
            raise CannotMeasure(f"{needs} needs word vectors.")
        return self.source


@dataclass(eq=False)
class AuditedSource(Subject):
    """A source of an audit: what the audit did not measure is not measured now."""

    name: str
    audited: AuditResult
    folder: Path

    @cached_property
    def _about(self) -> Mapping[str, Any]:
        sources = self.audited.about["sources"]
        return next(source for source in sources if source["name"] == self.name)

    @property
    def is_encoder(self) -> bool:
        return bool(self._about.get("kind") == "encoder")

    def describe(self) -> dict[str, Any]:
        names = ("name", "kind", "fingerprint", "words", "dim", "history")
        about = {name: self._about[name] for name in names if self._about.get(name)}
        return about | {
            "audit": str(self.folder),
            "audited_with": self.audited.about.get("weatherglass", ""),
            "seed": self.audited.about.get("options", {}).get("rng"),
        }

    @cached_property
    def _results(self) -> list[Measurement]:
        return [result for result in self.audited.results if result.source_name == self.name]

    def result(self, test: AnyTest) -> Measurement:
        for result in self._results:
            if result.test == test.id and result.section != "measures":
                return result
        raise CannotMeasure(self._missing(test.id))

    def _missing(self, name: str) -> str:
        """Say why the audit has no number: its steps failed, or it has none for this."""
        if reason := self._about.get("reason"):
            return str(reason)
        steps = [step for step in self.audited.about["steps"] if step["source"] == self.name]
        failed = next((step for step in steps if step["status"] != "done"), None)
        if failed is not None and not self._results:
            return str(failed["reason"])
        return f"the audit in {self.folder} did not measure {name}; add it to the suite."

    def measure(self, rule: Rule) -> Measurement:
        wanted = used_sets(rule.measure, rule.sets)
        for step in self.audited.about["suite"].get("steps", ()):
            if rule.measure not in step.get("measures", ()):
                continue
            if used_sets(rule.measure, step.get("sets", {})) == wanted:
                slug = "-".join(step["title"].lower().split())
                for result in self._results:
                    if (result.measure, result.test) == (rule.measure, slug):
                        return result
        raise CannotMeasure(self._missing(f"{rule.measure} with these sets"))

    def discover(self, rule: Rule) -> Discovery:
        for discovery in self.audited.discoveries:
            if discovery.source_name == self.name:
                wanted = {
                    name: value
                    for name, value in discovery_options(rule.discovery or {}).items()
                    if name in (rule.discovery or {})
                }
                other = [n for n, v in wanted.items() if discovery.options.get(n, v) != v]
                if other:
                    raise CannotMeasure(
                        f"the discovery in {self.folder} has another value of {other[0]}."
                    )
                return discovery
        raise CannotMeasure(self._missing("a discovery"))

    def retrieve(self, rule: Rule) -> list[RetrievalResult]:
        wanted = retrieval_options(rule.retrieval or {})
        found = [result for result in self._results if result.section == "retrieval"]
        if not found:
            raise CannotMeasure(self._missing("a retrieval audit"))
        other = [
            name for name, value in wanted.items() if found[0].options.get(name, value) != value
        ]
        if other:
            raise CannotMeasure(
                f"the retrieval audit in {self.folder} has another value of {other[0]}."
            )
        return cast(list[RetrievalResult], found)

    def agreement(self, test: AnyTest) -> float | None:
        for found in self.audited.multiverses:
            if (found.test, found.source_name) == (test.id, self.name):
                same_sign = found.summary.same_sign["whole"]
                return same_sign.share if same_sign.of > 1 else None
        return None

    def health(self) -> Health:
        health = self._about.get("health")
        if not health:
            raise CannotMeasure(
                self._about.get("reason")
                or f"the audit in {self.folder} does not say whether vectors are copies of each "
                "other; run it again with this version."
            )
        return Health(float(health["duplicates"]), float(health["alike"]))

    def valence(self) -> SourceValence:
        valence = self._about.get("valence")
        if not valence:
            raise CannotMeasure(
                self._about.get("reason")
                or f"the audit in {self.folder} does not say how far the source agrees with "
                "people; run it again with this version."
            )
        return from_plain(SourceValence, valence)
