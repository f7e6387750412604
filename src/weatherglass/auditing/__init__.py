"""Audits: many measures over one or more sources, kept as one result set."""

from .policy import Policy, Verdict, load_policy
from .reading import open_audit

__all__ = ["Policy", "Verdict", "load_policy", "open_audit"]
