"""Clauses of laws and frameworks that ask for a record of bias tests, in our own words.

They are paraphrased, and none is complete: the texts themselves decide. What an audit contributes
to a clause and what it leaves open are stated side by side, because a list of contributions alone
would read like a claim of compliance.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Clause:
    """A clause: what it asks for, what an audit contributes, and what is still missing."""

    place: str
    asks: str
    contributes: str
    missing: str


@dataclass(frozen=True)
class Text:
    """A law or framework, to whom it applies, and its clauses."""

    title: str
    applies: str
    clauses: tuple[Clause, ...]


EU_AI_ACT = Text(
    "EU Artificial Intelligence Act, Regulation (EU) 2024/1689",
    "Articles 10 and 11 and Annex IV apply to providers of high-risk AI systems (Article 6). "
    "Word and sentence embeddings are components of such systems, not systems. Amendments of 2026 "
    "concern, among other things, the dates of application: read the consolidated text.",
    (
        Clause(
            "Article 10(2)(f)",
            "Examine data sets for biases that are likely to affect health and safety or "
            "fundamental rights, or to lead to discrimination that Union law prohibits.",
            "Associations that an embedding has learned from its training text, for the groups "
            "named in the tests: indirect evidence about that text.",
            "The data sets of the system themselves, and whether a bias is likely to affect "
            "anybody in its use.",
        ),
        Clause(
            "Article 10(2)(g)",
            "Take measures to detect, prevent and mitigate the biases that were found.",
            "Detection that can be repeated, with its uncertainty; the same audit after a "
            "measure shows what changed.",
            "Prevention and mitigation. Removing a direction from an embedding is not known to be "
            "sufficient (Gonen and Goldberg 2019).",
        ),
        Clause(
            "Article 10(2)(h)",
            "Identify gaps and shortcomings of the data, and how they can be addressed.",
            "The words that the source lacks, and the tests that could not be run, with reasons.",
            "All other gaps: languages, places, groups that no test names.",
        ),
        Clause(
            "Article 10(3) and (4)",
            "Use data sets that are relevant, sufficiently representative and, as far as "
            "possible, free of errors and complete, with the statistical properties that the "
            "purpose, the people and the place of use require.",
            "Nothing. An audit measures associations of words, not the composition of data.",
            "The whole clause.",
        ),
        Clause(
            "Annex IV, point 2(g)",
            "Describe validation and testing: procedures, test data, metrics, also of potentially "
            "discriminatory impacts, and dated and signed test reports.",
            "The procedure, the words, the metrics with their uncertainty, the date, and a field "
            "for a signature.",
            "Tests of the system itself and of its impacts; the signature.",
        ),
        Clause(
            "Annex IV, point 3",
            "Describe capabilities and limitations, also for particular people and groups, and "
            "foreseeable unintended outcomes and sources of risk, such as discrimination.",
            "A possible source of risk, its size and its limits.",
            "Accuracy for groups of people, and outcomes in use.",
        ),
        Clause(
            "Annex IV, point 4",
            "Say why the metrics are appropriate for the system.",
            "What each metric measures and does not measure (see Limits).",
            "The argument for this system and its purpose.",
        ),
    ),
)
NIST_AI_RMF = Text(
    "NIST AI Risk Management Framework 1.0 (NIST AI 100-1)",
    "A voluntary framework for organisations that design, develop, deploy or use AI systems.",
    (
        Clause(
            "MEASURE 2.11",
            "Evaluate fairness and bias, as identified in the MAP function, and document the "
            "results.",
            "A documented evaluation of one kind of bias in one component, with its uncertainty.",
            "The link to the risks that were identified in MAP, and an evaluation of the system "
            "in its context and for the people whom it affects.",
        ),
    ),
)
NYC_LAW_144 = Text(
    "New York City Local Law 144 of 2021 (Administrative Code § 20-870 to § 20-874; 6 RCNY § 5-300 "
    "to § 5-304)",
    "Employers and employment agencies that use an automated employment decision tool. This audit "
    "is not the bias audit that the law requires.",
    (
        Clause(
            "§ 20-870 and 6 RCNY § 5-301",
            "Have an independent auditor compute selection or scoring rates and impact ratios by "
            "sex, by race or ethnicity, and by both together.",
            "Nothing. Associations of words are not rates of selection, and Weatherglass is not "
            "an independent auditor. If the tool uses this embedding, the findings can suggest "
            "where an auditor should look.",
            "The whole clause.",
        ),
        Clause(
            "6 RCNY § 5-302",
            "Use historical data of the tool, or test data if there is not enough of it, and "
            "explain the choice.",
            "Nothing: the data here are lists of words.",
            "The whole clause.",
        ),
        Clause(
            "§ 20-871 and 6 RCNY § 5-303",
            "Repeat the audit every year, and publish its date, its data and a summary of its "
            "results before the tool is used.",
            "Nothing towards the summary, whose contents are the rates and ratios above.",
            "The whole clause.",
        ),
    ),
)
TEXTS = (EU_AI_ACT, NIST_AI_RMF, NYC_LAW_144)
