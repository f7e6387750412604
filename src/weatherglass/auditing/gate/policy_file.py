"""The file of a policy: its reader, the lines of its rules, and the tests that they name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import list_lines, printable_path, read_text, read_yaml
from weatherglass.catalog import NamedTests, load_tests, tests, validate
from weatherglass.errors import CatalogError, PolicyError, UsageError, quote_safe

from .policy import AnyTest, Controls, Policy, Rule, Waiver


@dataclass(frozen=True)
class PolicyFile:
    """A policy with everything that it names.

    Attributes
    ----------
    policy
        The policy.
    path
        The file that it was read from; None for a policy in memory.
    sha256
        The checksum of the file, or of the policy as JSON.
    lines
        The line of each rule.
    controls_line
        The line of the controls; 1 if the file does not state them.
    own
        Tests of the policy's own files, by id.
    own_files
        The checksums of these files.
    """

    policy: Policy
    path: Path | None
    sha256: str
    lines: tuple[int, ...]
    controls_line: int = 1
    own: Mapping[str, AnyTest] = field(default_factory=dict)
    own_files: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What messages call it."""
        return printable_path(self.path) if self.path else "the policy"

    @property
    def needs_baseline(self) -> bool:
        """Whether a rule compares with a baseline that the policy does not name."""
        return not self.policy.baseline and self.policy.is_relative

    @cached_property
    def rule_tests(self) -> tuple[tuple[AnyTest, ...], ...]:
        """The tests of each rule."""
        return tuple(self.find_tests(rule.tests) for rule in self.policy.rules)

    @cached_property
    def family_tests(self) -> tuple[tuple[AnyTest, ...], ...]:
        """The tests that the p-values of each rule are corrected over."""
        return tuple(
            self.find_tests((*rule.tests, *rule.family)) if rule.family else own
            for rule, own in zip(self.policy.rules, self.rule_tests, strict=True)
        )

    def control_tests(self, is_encoder: bool) -> tuple[AnyTest, ...]:
        """The tests of the controls; for an encoder their versions in sentences."""
        words = self.find_tests(self.policy.controls.tests if self.policy.controls else ())
        if not is_encoder:
            return words
        sentences = {test.id: test for test in tests("sent-*")}
        return tuple(sentences.get(f"sent-{test.id}", test) for test in words)

    def all_tests(self, is_encoder: bool) -> tuple[AnyTest, ...]:
        """All tests that a source is measured with, each once: those of rules and of controls."""
        chosen = [test for family in self.family_tests for test in family]
        chosen += self.control_tests(is_encoder)
        return tuple({test.id: test for test in chosen}.values())

    def find_tests(self, patterns: Iterable[str]) -> tuple[AnyTest, ...]:
        """Return the tests that patterns match: own ones, or else those of the catalogue."""
        chosen: dict[str, AnyTest] = {}
        for pattern in patterns:
            own = {id: test for id, test in self.own.items() if fnmatchcase(id, pattern)}
            chosen |= own or {test.id: test for test in tests(pattern)}
        return tuple(chosen.values())


def load_policy(path: str | PathLike[str], own: NamedTests = ()) -> PolicyFile:
    """Read a policy from a YAML file.

    Parameters
    ----------
    path
        The file. Tests and baseline that it names are relative to its folder.
    own
        More tests of your own: files, tests, or several of these.

    Raises
    ------
    PolicyError
        The file is no policy, or names a test that does not exist.
    """
    path = Path(path)
    try:
        text = read_text(path)
        documents: list[Any] = list(read_yaml(text, printable_path(path)))
    except CatalogError as error:
        raise PolicyError(str(error)) from None
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise PolicyError(f"{printable_path(path)}: expected one policy, with rules.")
    name = f"policy in {printable_path(path)}"
    policy = parse_policy(documents[0], name)
    lines = list_lines(text, "rules") if policy.rules else []
    return _with_tests(
        PolicyFile(
            policy,
            path,
            hashlib.sha256(text.encode()).hexdigest(),
            tuple(lines) if len(lines) == len(policy.rules) else (1,) * len(policy.rules),
            next(iter(list_lines(text, "controls")), 1),
        ),
        [*(path.parent / file for file in policy.files), *_list_own(own)],
    )


def parse_policy(content: Mapping[str, Any], name: str = "policy") -> Policy:
    """Return the policy that a mapping describes; `name` begins the message of an error."""
    try:
        policy = validate(Policy, content, name, nested=[Rule, Controls, Waiver])
    except CatalogError as error:
        problem = PolicyError(str(error))
        for note in getattr(error, "__notes__", ()):
            problem.add_note(note)
        raise problem from None
    if not policy.rules:
        raise PolicyError(f"{name}: it has no rules.")
    return policy


def as_policy_file(
    policy: PolicyFile | Policy | Mapping[str, Any] | str | PathLike[str],
    own: NamedTests = (),
) -> PolicyFile:
    """Return a policy with everything that it names, from any form of a policy."""
    if isinstance(policy, PolicyFile):
        return policy
    if isinstance(policy, str | PathLike):
        return load_policy(policy, own)
    parsed = policy if isinstance(policy, Policy) else parse_policy(policy)
    digest = hashlib.sha256(parsed.model_dump_json().encode()).hexdigest()
    lines = (1,) * len(parsed.rules)
    read = PolicyFile(parsed, None, digest, lines)
    return _with_tests(read, [*map(Path, parsed.files), *_list_own(own)])


def _list_own(named: NamedTests) -> list[AnyTest | Path]:
    """Return each test, and each file of tests as a path."""
    items = [named] if isinstance(named, str | PathLike | AnyTest) else list(named)
    return [item if isinstance(item, AnyTest) else Path(item) for item in items]


def _with_tests(read: PolicyFile, files: Iterable[AnyTest | Path]) -> PolicyFile:
    """Add own tests and those of files, and check that every test exists."""
    own: dict[str, AnyTest] = {}
    digests: dict[str, str] = {}
    try:
        for file in files:
            for test in (file,) if isinstance(file, AnyTest) else load_tests(file):
                if own.setdefault(test.id, test) != test:
                    id = quote_safe(test.id)
                    raise PolicyError(f"{read.name}: two different tests have the id {id}.")
            if isinstance(file, Path) and file.is_file():
                digests[str(file)] = hashlib.sha256(file.read_bytes()).hexdigest()
        clash = next((id for id in own if any(t.id == id for t in tests())), None)
        if clash is not None:
            raise PolicyError(
                f"{read.name}: the catalogue has a test with the id {quote_safe(clash)}; rename "
                "yours."
            )
        complete = PolicyFile(
            read.policy, read.path, read.sha256, read.lines, read.controls_line, own, digests
        )
        # Every name is looked up now, so that a typo is found before anything is measured.
        _ = complete.family_tests
        for rule in read.policy.rules:
            rule.check_names()
        complete.control_tests(is_encoder=False)
    except PolicyError:
        raise
    except (CatalogError, UsageError) as error:
        raise PolicyError(f"{read.name}: {error}") from None
    except OSError as error:
        raise PolicyError(f"{read.name}: {error.strerror or error}.") from None
    return complete
