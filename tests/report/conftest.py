"""Results to report: discoveries, as published and of random words, and a small audit."""

from __future__ import annotations

import dataclasses
import random

import pytest

import weatherglass as wg
from weatherglass.discovery.result import (
    Category,
    Cell,
    Change,
    Comparison,
    Discovery,
    Group,
    Indirect,
    Proxy,
    Rotations,
)
from weatherglass.measures import MEASURES
from weatherglass.report.audit.data import AuditResult
from weatherglass.report.audit.findings import with_seed_choices
from weatherglass.significance import PValue
from weatherglass.vectors import Control

# Table 3 of Swinger et al. (2019): names, size, % female, mean year, % Black, Hispanic, Asian,
# White.
GROUPS = """\
F1 Amanda Renee Lynnea Zoe Erika 581 98 1983 4 4 3 89
F2 Janice Jeanette Lenna Mattie Marylynn 840 98 1968 8 4 3 84
F3 Marquisha Latisha Tyrique Marygrace Takiyah 692 89 1978 48 3 1 47
F4 Mia Keva Hillary Penelope Savanna 558 85 1982 10 9 11 69
F5 Kayla Carsyn Aislynn Cj Kaylei 890 78 1993 2 1 1 95
F6 Kamal Nailah Kya Maryam Rohan 312 65 1991 7 4 32 56
F7 Daniela Lucien Marko Emelie Antonia 391 59 1985 4 9 4 83
F8 Miguel Deisy Violeta Emilio Yareli 577 56 1986 2 70 8 21
F9 Yael Moses Michal Shai Yehudis 120 40 1989 5 10 5 79
F10 Randall Dashiell Randell Jordan Chace 432 27 1981 10 3 4 83
F11 Dashaun Jamell Marlon Davonta Demetrius 393 5 1984 32 5 3 59
F12 Keith Gabe Alfred Shane Stan 494 4 1976 6 3 5 86"""

# Most of table 5, whose rows have no labels; the last two rows are ours and not significant.
# Scores and p-values are not printed in the paper: those below are made up, in its order.
CELLS = """\
food, meal, dish
 F2 cookbook, baking, baked_goods
 F3 sweet_potatoes, macaroni, green_beans
 F6 saffron, halal, sweets
 F7 mozzarella, foie_gras, caviar
 F8 tortillas, salsa, tequila
 F9 kosher, hummus, bagel
 F11 fried_chicken, crawfish, grams
 F12 beef, beer, hams
family, relatives, parents
 F1 herself, hers, moms
 F2 husband, homebound, grandkids
 F3 aunt, niece, grandmother
 F4 hubby, socialite, cuddle
 F5 twin_sister, girls, classmate
 F6 elder_brother, dowry, refugee_camp
 F9 bereaved, immigrated, emigrated
 F11 younger_brother, twin_brother, mentally_retarded
 F12 buddy, boyhood, fatherhood
occupation, worker, clerk
 F1 hostess, cheerleader, dietitian
 F2 registered_nurse, homemaker, chairwoman
 F4 supermodel, beauty_queen, stripper
 F6 shopkeeper, villager, cricketer
 F8 translator, interpreter, smuggler
 F11 cab_driver, jailer, schoolboy
 F12 pitchman, retired, pundit
building, house, street
 F2 log_cabin, library, fairgrounds
 F3 front_porch, carport, duplex
 F4 racecourse, plush, tenements
 F5 picnic_tables, bleachers, concession_stand
 F6 locality, mosque, slum
 F7 prefecture, chalet, sauna
 F9 synagogues, constructions, hilltop
 F11 apartment_complex, barbershop, nightclub
religious, faith, spiritual
 F2 parish, church, pastoral
 F3 pastor, baptized, mourners
 F4 goddess, celestial, mystical
 F6 fatwa, mosques, martyrs
 F7 monastery, papal, convent
 F8 rosary, parish_priest, patron_saint
 F9 rabbis, synagogue, biblical
player, team, season
 F1 volleyball, gymnast, setter
 F2 athletic_director, winningest_coach, officiating
 F3 leading_rebounder, played_sparingly, incoming_freshman
 F4 hooker, footy, stud
 F5 sophomore, junior, freshman
 F6 leftarm_spinner, dayers, leg_spinner
 F11 cornerback, tailback, wide_receiver
school, students, teaching
 F1 sorority, gymnastics, majoring
 F3 guidance_counselor, prekindergarten, graduate
 F5 seventh_grader, eighth_grade, seniors
 F6 lecturers, institutes, syllabus
 F11 incoming_freshmen, schoolyard, recruiting
 F12 fulltime, professional, apprenticeship
politics, government, regime
 F3 civil_rights, poverty_stricken, nonviolent
 F6 subcontinent, tribesmen, miscreants
 F7 xenophobia, anarchist, oligarchs
 F8 leftist, drug_traffickers, undocumented
 F9 disengagement, intifada, settlers
 F11 blacks, segregation, lynching
dress, wearing, skirt
 F1 tiara, blonde, sparkly
 F2 knitting, sewing, beaded
 F3 brown_eyes, cream_colored, wore
 F4 girly, feminine, flirty
 F5 brown_hair, pair, skates
 F6 sari, turban, hijab
 F11 dreadlocks, shoulderpads, waistband
 F12 mullet, gear, helmet
money, currency, cash
 F6 dirhams, lakhs, rupees
 F7 rubles, kronor, roulette
 F8 pesos, remittances, gross_receipts
 F9 shekels, settlements, corpus
crime, court, charges
 F3 grand_jury_indicted, degree_murder, violating_probation
 F5 child_endangerment, vehicular_homicide, unlawful_possession
 F7 absentia, tax_evasion, falsification
 F8 illegal_immigrant, drug_trafficking, deported
 F11 aggravated_robbery, aggravated_assault, felonious_assault
people, colleagues, members
 F2 volunteers, crafters, baby_boomers
 F3 caseworkers, evacuees, attendants
 F4 beauties, celebs, paparazzi
 F5 setters, helpers, captains
 F6 mediapersons, office_bearers, newsmen
 F11 recruits, reps, sheriffs
weather, rain, wind
 F5* snow, chilly, drizzle
 F10* gusts, squalls, forecasters
engine, wheel, brake
 F10* carburetor, throttle, torque
 F12* pickup, truck, horsepower"""

COLUMNS = {
    "share_female": {"label": "Female", "unit": "share"},
    "mean_year": {"label": "Year of birth", "unit": "year"},
    "share_black": {"label": "Black", "unit": "share"},
    "share_hispanic": {"label": "Hispanic", "unit": "share"},
    "share_asian": {"label": "Asian", "unit": "share"},
    "share_white": {"label": "White", "unit": "share"},
}
DONE = 10_000


def p_value(count: int) -> PValue:
    value = (count + 1) / (DONE + 1)
    return PValue(value, value / 2, min(1.0, 2 * value), "rotation")


def paper_groups() -> tuple[Group, ...]:
    groups = []
    for line in GROUPS.splitlines():
        name, *names, size, female, year, black, hispanic, asian, white = line.split()
        shares = [int(share) / 100 for share in (female, black, hispanic, asian, white)]
        facts = [shares[0], float(year), *shares[1:]]
        known = dict(zip(COLUMNS, facts, strict=True))
        groups.append(Group(name, tuple(names), int(size) + 5, tuple(names), known))
    return tuple(groups)


@pytest.fixture(scope="session")
def paper() -> Discovery:
    categories, cells = [], []
    for line in CELLS.splitlines():
        if not line.startswith(" "):
            categories.append(Category(f"C{len(categories) + 1}", line, 300 + 7 * len(categories)))
            continue
        group, words = line.strip().split(" ", 1)
        is_significant = not group.endswith("*")
        score = (0.3 - 0.002 * len(cells)) * (1 if is_significant else 0.3)
        p = p_value(len(cells) // 8 if is_significant else 2000)
        cell_words = tuple(words.split(", "))
        cells.append(
            Cell(group.strip("*"), categories[-1].id, cell_words, score, p, is_significant)
        )
    strongest = (
        Proxy(("F1", "F11"), "C3", ("hostess", "cab_driver"), 0.41, 5, 6),
        Proxy(("F1", "F11"), "C6", ("volleyball", "cornerback"), 0.39, 6, 6),
    )
    return Discovery(
        groups=paper_groups(),
        categories=tuple(categories),
        cells=tuple(cells),
        order=tuple(category.id for category in categories[:12]),
        alpha=0.05,
        threshold=0.0153,
        control=Control("none", 0.21, None, "auto"),
        rotations=Rotations(DONE, 4000, "no verdict could change"),
        indirect=Indirect(2713, 0.99, strongest),
        columns=COLUMNS,
        names={"listed": 7850, "missing": 1, "dropped": 1569, "used": 6280},
        words={"asked": 30_000, "used": 30_000},
        notes=("The names file has 12 names twice.",),
        source={"name": "w2v", "fingerprint": "0f" * 16, "dim": 300},
        options={
            "names": "ssa",
            "groups": 12,
            "categories": 64,
            "words": 30_000,
            "per_cell": 3,
            "rotations": DONE,
            "alpha": 0.05,
            "rng": 0,
            "keep_names": 0.8,
            "control": "auto",
            "name_rank": None,
            "voronoi": True,
            "alphabet": "english",
            "stop_early": True,
        },
    )


@pytest.fixture(scope="session")
def large() -> Discovery:
    """Twelve groups and 64 categories of made-up words, a third of the cells significant."""
    chance = random.Random(0)
    syllables = ("ba", "con", "der", "el", "gra", "hun", "jo", "lu", "mar", "per", "sto", "ze")

    def word() -> str:
        return "".join(chance.choices(syllables, k=chance.choice((2, 2, 3, 3, 4))))

    categories = tuple(
        Category(f"C{k}", ", ".join(word() for _ in range(3)), chance.randint(90, 900))
        for k in range(64)
    )
    cells = []
    for category in categories:
        for group in paper_groups():
            is_significant = chance.random() < 0.33
            score = chance.betavariate(2, 5) * 0.3 + (0.08 if is_significant else 0)
            p = p_value(chance.randrange(60) if is_significant else chance.randrange(400, 9000))
            words = tuple(word() for _ in range(3))
            cells.append(Cell(group.id, category.id, words, score, p, is_significant))
    total = {
        category.id: sum(
            cell.score for cell in cells if cell.significant and cell.category == category.id
        )
        for category in categories
    }
    order = sorted((id for id, score in total.items() if score), key=lambda id: -total[id])
    return Discovery(
        groups=paper_groups(),
        categories=categories,
        cells=tuple(cells),
        order=tuple(order),
        alpha=0.05,
        threshold=0.0061,
        control=Control("frequency", 0.88, 0.04, "auto"),
        rotations=Rotations(DONE, DONE),
        indirect=Indirect(8112, 0.873),
        columns=COLUMNS,
        source={"name": "default", "dim": 50},
        options={"names": "ssa", "rng": 1, "voronoi": False},
    )


@pytest.fixture(scope="session")
def comparison(paper: Discovery) -> Comparison:
    """The published table, and a table in which a third of its cells vanish and a few appear."""
    after, changes = [], []
    for index, cell in enumerate(paper.cells):
        is_significant = index % 3 > 0 if cell.significant else index % 2 == 0
        words = (*cell.words[:2], "newcomer") if index % 4 == 0 else cell.words
        p = p_value(20 if is_significant else 3000)
        cell_after = Cell(
            cell.group,
            cell.category,
            words,
            cell.score * (0.8 if is_significant else 0.3),
            p,
            is_significant,
        )
        after.append(cell_after)
        kinds = {(True, True): "stays", (True, False): "vanishes", (False, True): "appears"}
        kind = kinds.get((cell.significant, is_significant))
        if kind:
            changes.append(Change(kind, cell, cell_after))
    discovery_after = dataclasses.replace(
        paper,
        cells=tuple(after),
        order=tuple(dict.fromkeys(cell.category for cell in after if cell.significant)),
        indirect=Indirect(1200, 0.95),
        source={"name": "w2v-debiased", "dim": 300},
    )
    return Comparison(before=paper, after=discovery_after, changes=tuple(changes))


ABOUT = {
    "weatherglass": wg.__version__,
    "suite": {"id": "standard", "title": "Standard suite"},
    "sources": [
        {
            "name": "default",
            "kind": "vectors",
            "fingerprint": "8fc4",
            "words": 400_000,
            "dim": 50,
        }
    ],
    "options": {"suite": "standard", "rng": 0, "budget": None},
    "machine": {"python": "3.11", "platform": "Linux", "packages": {"numpy": "2.1"}},
    "started": "2026-01-05T08:09:10+00:00",
    "seconds": 94.2,
    "command": "weatherglass audit default --suite standard",
    "steps": [
        {"id": "weat", "title": "All WEATs", "source": "default", "kind": "weat", "status": "done"},
        {
            "id": "seat",
            "title": "Sentences",
            "source": "default",
            "kind": "seat",
            "status": "failed",
            "reason": "no encoder was given",
        },
    ],
}


@pytest.fixture(scope="session")
def audit(paper: Discovery) -> AuditResult:
    """A little of everything, measured on real vectors; the discovery is the published one."""
    vectors = wg.open_vectors("default")
    tests = [
        wg.weat(vectors, "weat6", intervals=True, control="frequency"),
        wg.weat(vectors, "weat4", control="top:2"),
        wg.weat(vectors, "weat5"),
        wg.weat(vectors, "weat9", alternative="less", intervals=True),
        wg.weat(vectors, "weat3b"),
        wg.weat(vectors, "weat1"),
    ]
    sets = {"X": ["nurse", "pilot", "clerk"], "A": ["she", "her"], "B": ["he", "his"]}
    measures = [
        MEASURES["rnd"](vectors, sets, test="gender", title="Occupations"),
        MEASURES["mac"](vectors, {"X": sets["X"], "A": sets["A"]}),
    ]
    encoder = wg.open_encoder("cbow:default")
    sentences = wg.seat([encoder], wg.tests("sent-weat6", "sent-weat7")).correct()
    results = [*tests, wg.wefat(vectors, "wefat1"), *measures]
    corrected = [*wg.Results.of(results).correct(), *sentences]
    multiverse = wg.multiverse(vectors, "weat6", samples=1)
    return AuditResult(
        ABOUT,
        wg.Results.of(with_seed_choices(corrected, [multiverse])),
        (dataclasses.replace(paper, source={"name": "default", "dim": 50}),),
        (multiverse,),
        (wg.lint(["career-Caliskan_et_al_2017", "black_roles-Manzini_et_al_2019"]),),
    )


HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)",
    "safe\u202egnp.exe\u2028",
    "<!--</style></title>",
    "\ud800\x00\x1b[31m",
    "&amp;&lt;]]>",
    "x" * 500,
)


@pytest.fixture(scope="session")
def hostile_audit(audit) -> AuditResult:
    """The same audit, in which every text from a file is an attack."""
    hostile_texts = iter(HOSTILE * 1000)
    words = [f"{text}{k}" for k, text in enumerate(HOSTILE * 2)]
    # X is associated with A and Y with B, so that a finding quotes the hostile labels, too.
    is_first_axis = [k % 8 < 4 if k < 8 else k < 11 for k in range(len(words))]
    rows = [[1, 0.05 * k] if first else [0.05 * k, 1] for k, first in enumerate(is_first_axis)]
    vectors = wg.Vectors.of(words, rows)
    test = wg.Test(
        x={"label": HOSTILE[0], "words": words[:4]},
        y={"label": HOSTILE[1], "words": words[4:8]},
        a={"label": HOSTILE[2], "words": words[8:11]},
        b={"label": HOSTILE[4], "words": words[11:14]},
        title="".join(HOSTILE[:3]),
    )
    facts = wg.FactualTest(
        targets={"label": HOSTILE[0], "words": words[:6]},
        a=words[8:11],
        b=words[11:14],
        facts={"name": HOSTILE[1], "unit": HOSTILE[2], "values": [3.0, 1.0, 4.0, 1.5, 9.0, 2.0]},
        title=HOSTILE[0],
    )
    results = [
        wg.weat(vectors, test, intervals=True),
        wg.wefat(vectors, facts),
        dataclasses.replace(audit.results[4], missing={"X": HOSTILE}, reason=HOSTILE[1]),
    ]
    source = {"name": HOSTILE[0], "dim": 2}
    results = [dataclasses.replace(result, source=source) for result in results]
    (lint,), (multiverse,), (discovery,) = audit.lints, audit.multiverses, audit.discoveries
    sentences = tuple(
        dataclasses.replace(finding, sentence=next(hostile_texts), sets=(next(hostile_texts),))
        for finding in lint.findings
    )
    cells = tuple(
        dataclasses.replace(cell, words=tuple(next(hostile_texts) for _ in cell.words))
        for cell in discovery.cells
    )
    about = {
        **audit.about,
        "suite": {"id": HOSTILE[0], "title": HOSTILE[1]},
        "sources": [{"name": HOSTILE[0], "kind": HOSTILE[1], "fingerprint": HOSTILE[2]}],
        "command": HOSTILE[1],
        "steps": [
            {"title": text, "source": text, "status": "failed", "reason": text} for text in HOSTILE
        ],
    }
    return AuditResult(
        about,
        wg.Results.of(results).correct(),
        (dataclasses.replace(discovery, cells=cells, source=source),),
        (dataclasses.replace(multiverse, title=HOSTILE[0] + HOSTILE[4], source=source),),
        (dataclasses.replace(lint, findings=sentences, source=source),),
    )
