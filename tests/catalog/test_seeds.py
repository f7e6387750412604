"""The seed catalogue is what was gathered, what the paper quotes, and described in our words."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import weatherglass as wg
from weatherglass import catalog
from weatherglass.catalog import pairings, pairs, seed_sets, seed_sources, seeds
from weatherglass.catalog.provenance import DATA, studies
from weatherglass.errors import CatalogError, UnknownEntry

SHARED = Path(__file__).resolve().parents[3] / "shared"
GATHERED = SHARED / "data" / "seeds" / "gathered_seeds.json"
PAPER = SHARED / "seeds" / "003_664bc59a4f1c47cb.txt"
needs_gathered = pytest.mark.skipif(
    not GATHERED.exists(), reason=f"the gathered seed sets are not at {GATHERED}"
)
needs_paper = pytest.mark.skipif(not PAPER.exists(), reason=f"the paper is not at {PAPER}")

CALISKAN, BOLUKBASI = "Caliskan_et_al_2017", "Bolukbasi_et_al_2016"
GARG, MANZINI, ZHAO = "Garg_et_al_2018", "Manzini_et_al_2019", "Zhao_et_al_2018"

# Table 1, table 4 and figures 2, 3 and 5 of Antoniak and Mimno (2021), from appendix A.2.
QUOTED = {
    f"unpleasant-{CALISKAN}": """abuse crash filth murder sickness accident death grief poison
        stink assault disaster hatred pollute tragedy divorce jail poverty ugly cancer kill rotten
        vomit agony prison""",
    f"african_american_names-{CALISKAN}": """Alonzo Jamel Theo Alphonse Jerome Leroy Torrance
        Darnell Lamar Lionel Tyree Deion Lamont Malik Terrence Tyrone Lavon Marcellus Wardell
        Nichelle Shereen Ebony Latisha Shaniqua Jasmine Tanisha Tia Lakisha Latoya Yolanda Malika
        Yvette""",
    "domestic_work-Fast_et_al_2016": """chore mom vacuum scrubbing cook washing baking wash morning
        meal house chef laundry bake organizing cooking spotless mum washer remodeling parent job
        nanny kitchen dishwasher cleaning family cleaner bathroom errand sitter housekeeper serve
        housekeeping tidy cleaned housework scrub organize home clean""",
    "ugliness-Fast_et_al_2016": """despise balding slimy acne grotesque degrading horrible fat
        diseased repulsive awful nasty brutish grotesquely distasteful unworthy scruffy chubby gross
        insulting crooked revolting unappealing hairy pathetic cockroach abnormally unsightly
        crippled lousy wrinkled freakish disfigured disgusting pudgy tacky obese disgust degrade
        horrid deformed hideous bloated ugly scum demeaning pig obnoxious blob wart disgraceful
        fatty bald overweight disgusted unattractive wrinkle filthy loathsome""",
    f"career-{CALISKAN}": "executive management professional corporation salary office business "
    "career",
    f"family-{CALISKAN}": "home parents children family cousins marriage wedding relatives",
    f"asian-{MANZINI}": "asian asian asian asia china asia",
    f"caucasian-{MANZINI}": "caucasian caucasian white america america europe",
    f"female_2-{CALISKAN}": "sister mother aunt grandmother daughter she hers her",
    f"male_2-{CALISKAN}": "brother father uncle grandfather son he his him",
    f"names_asian-{GARG}": "cho wong tang huang chu chung ng wu liu chen lin yang kim chang shah "
    "wang li khan singh hong",
    f"names_chinese-{GARG}": "chung liu wong huang ng hu chu chen lin liang wang wu yang tang "
    "chang hong li",
    f"names_black-{GARG}": """harris robinson howard thompson moore wright anderson clark jackson
        taylor scott davis allen adams lewis williams jones wilson martin johnson""",
    f"names_white-{GARG}": """harris nelson robinson thompson moore wright anderson clark jackson
        taylor scott davis allen adams lewis williams jones wilson martin johnson""",
    f"names_hispanic-{GARG}": """ruiz alvarez vargas castillo gomez soto gonzalez sanchez rivera
        mendoza martinez torres rodriguez perez lopez medina diaz garcia castro cruz""",
    "female-Kozlowski_et_al_2019": "woman women she her her hers girl girls female feminine",
    f"female_1-{CALISKAN}": "sister female woman girl daughter she hers her",
    f"definitional_female-{BOLUKBASI}": "woman girl she mother daughter gal female her herself "
    "Mary",
    "female_singular-Hoyle_et_al_2019": """woman girl mother daughter sister wife aunt niece empress
        queen princess duchess lady dame waitress actress goddess policewoman postwoman heroine
        witch stewardess she""",
    f"female_definition_words_2-{ZHAO}": """lady saleswoman noblewoman hostess coquette nun heroine
        actress chairwoman businesswoman spokeswoman waitress councilwoman stateswoman policewoman
        countrywomen horsewoman headmistress governess widow witch fiancee""",
    f"female_stereotype_words-{ZHAO}": """baker counselor nanny librarians socialite assistant
        tailor dancer hairdresser cashier secretary clerk stenographer optometrist housekeeper
        bookkeeper homemaker nurse stylist receptionist""",
    "upperclass-Kozlowski_et_al_2019": "rich richer richest affluence affluent expensive luxury "
    "opulent",
    "lowerclass-Kozlowski_et_al_2019": "poor poorer poorest poverty impoverished inexpensive cheap "
    "needy",
    "white_names-Knoche_et_al_2019": """adam chip harry josh roger alan frank ian justin ryan andrew
        fred jack matthew stephen brad greg jed paul todd brandon hank jonathan peter wilbur amanda
        courtney heather melanie sara amber crystal katie meredith shannon betsy donna kristin nancy
        stephanie bobbie-sue ellen lauren peggy sue-ellen colleen emily megan rachel wendy brendan
        geoffrey brett jay neil anne carrie jill laurie kristen sarah""",
    "black_names-Knoche_et_al_2019": """alonzo jamel lerone percell theo alphonse jerome leroy
        rasaan torrance darnell lamar lionel rashaun tyree deion lamont malik terrence tyrone everol
        lavon marcellus terryl wardell aiesha lashelle nichelle shereen temeka ebony latisha
        shaniqua tameisha teretha jasmine latonya shanise tanisha tia lakisha latoya sharise tashika
        yolanda lashandra malika shavonn tawanda yvette hakim jermaine kareem jamal rasheed aisha
        keisha kenya tamika""",
    f"black_roles-{MANZINI}": "slave musician runner criminal homeless",
    f"caucasian_roles-{MANZINI}": "manager executive redneck hillbilly leader farmer",
}
# Table 4 prints only the beginnings of these.
BEGINNINGS = {
    f"female_definition_words_1-{ZHAO}": """countrywoman sororal witches maidservant mothers diva
        actress spinster mama duchesses barwoman countrywomen dowry hostesses airwomen menopause
        clitoris princess governesses abbess women widow ladies sorceresses madam brides baroness
        housewives godesses niece widows lady sister""",
    f"male_definition_words_1-{ZHAO}": """countryman fraternal wizards manservant fathers divo actor
        bachelor papa dukes barman countrymen brideprice hosts airmen andropause penis prince
        governors abbot men widower gentlemen sorcerers sir bridegrooms baron househusbands gods
        nephew widowers lord brother""",
}
# Where the print differs from the file of the same authors, which other prints bear out: a word
# broken at the end of a line, a letter misread, a misspelling put right.
PRINTED = {
    "home-maker": "homemaker",
    "hill-billy": "hillbilly",
    "horsecwoman": "horsewoman",
    "fiancée": "fiancee",
    "terry": "terryl",
    "shanique": "shaniqua",
    "goddesses": "godesses",
}


def gathered() -> dict[str, dict[str, str]]:
    return {record["Seeds ID"]: record for record in json.loads(GATHERED.read_text())}


def test_there_are_178_seed_sets_from_18_studies() -> None:
    assert len(seed_sets()) == 178
    assert len({seed_set.id for seed_set in seed_sets()}) == 178
    assert len({seed_set.study.key for seed_set in seed_sets()}) == 18


@needs_gathered
def test_seed_words_equal_the_published_collection_in_order_and_with_repeats() -> None:
    records = gathered()
    assert {seed_set.id for seed_set in seed_sets()} == records.keys()
    for seed_set in seed_sets():
        assert list(seed_set.words) == ast.literal_eval(records[seed_set.id]["Seeds"]), seed_set.id


@needs_gathered
def test_provenance_equals_the_published_collection_or_is_marked_as_corrected() -> None:
    ours = {"prior-work": "re-used", "lexical-resources": "adapted-from-lexical-resources"}
    for seed_set in seed_sets():
        record = gathered()[seed_set.id]
        assert seed_set.link == (record["Link"] or "")
        names = re.split(", *", record["Source Categories"] or "unknown")
        named = tuple(ours.get(name, name) for name in names if name not in ("unknown", "other"))
        assert ("sources" in seed_set.corrected) == (seed_set.sources != named), seed_set.id
        *title, who = record["Used in Paper"].rpartition("(")
        assert str(seed_set.study.year) in who
        assert seed_set.study.authors[0].split()[-1] in who
        same = set(re.findall(r"\w{4,}", seed_set.study.title.lower()))
        assert same & set(re.findall(r"\w{4,}", "".join(title).lower())), seed_set.id


def test_corrections_and_missing_words_are_noted() -> None:
    assert sum(not seed_set.words for seed_set in seed_sets()) == 13
    for seed_set in seed_sets():
        assert set(seed_set.corrected) <= {"sources"}
        assert seed_set.notes or (seed_set.words and not seed_set.corrected), seed_set.id


def test_sources_per_study_equal_table_3_of_bad_seeds() -> None:
    papers = defaultdict(set)
    for seed_set in seed_sets():
        if not seed_set.corrected:
            for source in seed_set.sources:
                papers[source].add(seed_set.study.key)
    # The paper prints 5 for curated; its own file has 7.
    assert {source: len(keys) for source, keys in papers.items()} == {
        "corpus-derived": 7,
        "re-used": 7,
        "borrowed-from-social-sciences": 6,
        "curated": 7,
        "adapted-from-lexical-resources": 3,
        "crowd-sourced": 2,
        "population-derived": 2,
    }


@pytest.mark.parametrize("id", QUOTED)
def test_seed_sets_equal_those_quoted_in_the_paper(id: str) -> None:
    assert list(seeds(id).words) == QUOTED[id].split()


@pytest.mark.parametrize("id", BEGINNINGS)
def test_seed_sets_begin_as_quoted_in_the_paper(id: str) -> None:
    words = BEGINNINGS[id].split()
    assert list(seeds(id).words[: len(words)]) == words


@needs_paper
def test_quoted_seed_sets_are_in_the_text_of_the_paper() -> None:
    text = PAPER.read_text()
    appendix = text[text.index("### A.2 Seed Terms") :]
    lists = [
        [PRINTED.get(word.strip(), word.strip()) for word in re.split(r"[,.]", quoted)]
        for quoted in re.findall(
            r"(?<!\])\[([^\]]{10,}?)[,.]*(?: *\(see.*?)?\](?!\()", appendix, re.S
        )
    ]
    lists = [[word for word in words if word] for words in lists]
    for id, words in (QUOTED | BEGINNINGS).items():
        plain = [PRINTED.get(word, word) for word in words.split()]
        assert plain in lists, id


def test_pairs_equal_those_of_figure_3() -> None:
    printed = """she:he her:his woman:man Mary:John herself:himself daughter:son mother:father
        gal:guy girl:boy female:male"""
    pairs_of_words = pairs(f"definitional_female-{BOLUKBASI}", f"definitional_male-{BOLUKBASI}")
    assert {":".join(both) for both in pairs_of_words} == set(printed.split())
    rich = QUOTED["upperclass-Kozlowski_et_al_2019"].split()
    poor = QUOTED["lowerclass-Kozlowski_et_al_2019"].split()
    pairs_of_words = pairs("lowerclass-Kozlowski_et_al_2019", "upperclass-Kozlowski_et_al_2019")
    assert list(pairs_of_words) == list(zip(poor, rich, strict=True))


def test_documented_pairs_need_not_be_pairs_by_position() -> None:
    a, b = f"male_stereotype_words-{ZHAO}", f"female_stereotype_words-{ZHAO}"
    assert ("doctor", "nurse") in pairs(a, b)
    assert ("nurse", "doctor") in pairs(b, a)


def test_pairings_use_every_word_of_both_sets() -> None:
    sets = [frozenset(pairing.sets) for pairing in pairings()]
    assert len(set(sets)) == len(sets)
    for pairing in pairings():
        first, second = map(seeds, pairing.sets)
        assert first != second
        assert first.words
        assert second.words
        pairs_of_words = pairing.words()
        assert bool(pairs_of_words) == (pairing.match != "none")
        if pairs_of_words:
            assert Counter(x for x, _ in pairs_of_words) == Counter(first.words), pairing.sets
            assert Counter(y for _, y in pairs_of_words) == Counter(second.words), pairing.sets


def test_undocumented_pairs_are_refused_with_the_documented_ones() -> None:
    with pytest.raises(
        UnknownEntry, match=rf"No study pairs .+; female_1-{CALISKAN} is paired with m"
    ):
        pairs(f"female_1-{CALISKAN}", f"male_2-{CALISKAN}")
    with pytest.raises(UnknownEntry, match="is not paired with any set"):
        pairs("food-Kozlowski_et_al_2019", "sports-Kozlowski_et_al_2019")
    with pytest.raises(CatalogError, match=r"compares .+ as a whole"):
        pairs(f"flowers-{CALISKAN}", f"insects-{CALISKAN}")


# The tests of the catalogue and their sets under the ids of the survey.
SCIENCE = {
    "weat1": "flowers insects pleasant unpleasant",
    "weat2": "instruments weapons pleasant unpleasant",
    "weat5": "european_american_names_market_discrimination "
    "african_american_names_market_discrimination pleasantness unpleasantness",
    "weat6": "male_names_1 female_names_1 career family",
    "weat7": "math_1 arts_1 male_1 female_1",
    "weat8": "science_1 arts_2 male_2 female_2",
    "weat9": "depressed_1 physically_ill temporary permanent",
    "weat10": "young_names old_names pleasant_6 unpleasant_6",
}


@pytest.mark.parametrize("id", SCIENCE)
def test_seed_sets_of_the_science_paper_equal_the_sets_of_its_tests(id: str) -> None:
    entry = catalog.test(id)
    for words, name in zip(entry.sets.values(), SCIENCE[id].split(), strict=True):
        assert set(words.words) == set(seeds(f"{name}-{CALISKAN}").words), name


def test_every_concept_is_described_and_used() -> None:
    assert {seed_set.concept for seed_set in seed_sets()} == catalog.concepts().keys()
    listed = list(dict.fromkeys(seed_set.concept for seed_set in seed_sets()))
    assert listed == list(catalog.concepts())
    assert len(set(catalog.concepts().values())) == len(catalog.concepts())
    assert len(seed_sources()) == 7


def test_every_file_of_seed_sets_is_read() -> None:
    files = {path.stem for path in (DATA / "seeds").glob("*.yaml")}
    from weatherglass.catalog.seeds import _FILES

    assert files == {*_FILES, "concepts", "pairings", "sources", "survey"}


def test_seed_sets_with_names_are_flagged() -> None:
    named = [seed_set for seed_set in seed_sets() if seed_set.concept.endswith("-names")]
    assert all(seed_set.contains_names for seed_set in named)
    names = {word.lower() for seed_set in named for word in seed_set.words}
    for seed_set in seed_sets():
        if not seed_set.contains_names:
            assert not {word.lower() for word in seed_set.words} & names, seed_set.id


def test_seed_sets_without_words_have_no_flags() -> None:
    for seed_set in seed_sets():
        assert seed_set.words or not seed_set.flags, seed_set.id


def test_seed_sets_with_slurs_are_flagged() -> None:
    with_slurs = {seed_set.id for seed_set in seed_sets() if seed_set.contains_slurs}
    assert "final_identities-Joseph_et_al_2017" in with_slurs
    assert f"gender_specific-{BOLUKBASI}" in with_slurs
    assert f"female_1-{CALISKAN}" not in with_slurs


def test_descriptions_of_seed_sets_are_single_different_sentences() -> None:
    descriptions = [seed_set.description for seed_set in seed_sets()]
    assert len(set(descriptions)) == 178
    for text in descriptions:
        assert text.endswith(".")
        assert len(text) <= 130
        assert text[0].isupper()


def shingles(text: str) -> set[tuple[str, ...]]:
    """Return all sequences of five words."""
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[k : k + 5]) for k in range(len(words) - 4)}


@needs_gathered
@needs_paper
def test_no_description_copies_five_words_in_a_row_from_the_paper() -> None:
    prose = [record["Source / Justification"] or "" for record in gathered().values()]
    text = PAPER.read_text()
    prose.append(text[: text.index("## References")])
    theirs = set().union(*map(shingles, prose))
    for seed_set in seed_sets():
        ours = shingles(seed_set.description) | shingles(seed_set.notes)
        # A list of words is a fact, whoever writes it down.
        if seed_set.id != "neutral_identity_terms-Sweeney_&_Najafian_2019":
            assert not ours & theirs, seed_set.id
    for text in (*catalog.concepts().values(), *seed_sources().values()):
        assert not shingles(text) & theirs, text


def test_every_study_of_a_seed_set_has_year_and_journal() -> None:
    used = {seed_set.study.key for seed_set in seed_sets()} | {
        pairing.study.key for pairing in pairings()
    }
    assert used <= studies().keys()
    for key in used:
        assert studies()[key].year
        assert studies()[key].journal


def test_unknown_seed_set_gets_suggestions() -> None:
    female = seeds(f"female_1-{CALISKAN}")
    assert (len(female), female.label, female.repeated) == (8, f"female_1-{CALISKAN}", ())
    with pytest.raises(UnknownEntry, match=r"'female_1' in the catalogue. Did you mean female_1-C"):
        seeds("female_1")
    with pytest.raises(UnknownEntry, match=f"Did you mean female_1-{CALISKAN}"):
        seeds("female_1-Caliskan_2017")
    with pytest.raises(UnknownEntry, match="See `weatherglass seeds list`"):
        seeds("zzz")


def test_filters_of_seed_sets_are_combined() -> None:
    by_hand = [seed_set for seed_set in seed_sets(concept="male") if "curated" in seed_set.sources]
    assert list(seed_sets(concept="male", source="curated")) == by_hand
    assert [seed_set.id for seed_set in seed_sets("*names*", concept="asian-names")] == [
        f"names_asian-{GARG}"
    ]
    twice = seed_sets("female-*", "*Garg*", "female-*")
    assert len(twice) == len(set(twice)) == 4 + 21


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"concept": "femal"}, "has the concept 'femal'. Did you mean female"),
        ({"source": "crowd-source"}, "has the source 'crowd-source'. Did you mean crowd-sourced"),
        ({"source": "hearsay"}, "Choose one of borrowed-from-social-sciences, crowd-sourced"),
        ({"study": "garg2019"}, "has the study 'garg2019'. Did you mean garg2018"),
        ({"concept": "female", "study": "bhatia2018"}, "No seed set of the concept female of the"),
    ],
)
def test_seed_filters_without_a_match_are_refused_with_suggestions(
    filters: dict[str, str], message: str
) -> None:
    with pytest.raises(UnknownEntry, match=message):
        seed_sets(**filters)


def test_seed_pattern_without_a_match_is_refused() -> None:
    with pytest.raises(UnknownEntry, match=r"No seed set matches 'famale\*'"):
        seed_sets("famale*")


def test_seed_set_can_be_used_as_a_word_set() -> None:
    a, b = seeds(f"male_1-{CALISKAN}"), seeds(f"female_1-{CALISKAN}")
    mine = wg.Test(x=["doctor", "surgeon"], y=["nurse", "midwife"], a=a, b=b)
    assert mine.a.words == a.words
    assert (mine.a.label, mine.a.source) == (a.id, a.study)
    assert mine.title == f"doctor, surgeon vs nurse, midwife; {a.id} vs {b.id}"
    factual = wg.FactualTest(a=a, b=b, targets=["nurse"], facts=[90.0])
    assert factual.b.words == b.words
    assert mine.notes == factual.notes == ""


def test_repeated_seed_words_are_used_once_and_noted() -> None:
    black, white = seeds(f"black-{MANZINI}"), seeds(f"caucasian-{MANZINI}")
    mine = wg.Test(x=black, y=white, a=["good"], b=["bad"], notes="Mine.")
    assert mine.x.words == ("black", "african", "africa")
    assert mine.notes == (
        f"Mine. {black.id} repeats 'black', 'africa'; each word is used once. "
        f"{white.id} repeats 'caucasian', 'america'; each word is used once."
    )


def test_seed_set_without_words_cannot_be_used_in_a_test() -> None:
    with pytest.raises(
        CatalogError, match=r"'neutral-Park_et_al_2018' has no words. The collection"
    ):
        wg.Test(x=seeds("neutral-Park_et_al_2018"), y=["b"], a=["c"], b=["d"])


def test_a_test_of_seed_sets_gives_the_published_effect(glove840b: str) -> None:
    x, y, a, b = (seeds(f"{name}-{CALISKAN}") for name in SCIENCE["weat6"].split())
    mine = wg.Test(x=x, y=y, a=a, b=b)
    vectors = wg.open_vectors(glove840b)
    result = wg.weat(vectors, mine)
    assert f"{result.effect:.2f}" == "1.81"
    # Own tests are two-sided; published ones have the one-sided p of the paper.
    assert result.p == wg.weat(vectors, "weat6").p_two_sided
