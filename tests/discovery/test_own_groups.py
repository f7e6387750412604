"""Discovery with groups that a file of names states."""

import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure, UsageError

TABLE = """name,region,births
Giovanni,South,100
Francesca,South,90
Marco,South,80
Luca,South,70
Hans,North,60
Greta,North,50
Klaus,North,40
Ingrid,North,30
Ivan,East,20
Olga,East,10
Vladimir,East,5
Nobody,,1
"""
FEW = {"categories": 6, "words": 1500, "rotations": 49, "control": "none", "workers": 1}


@pytest.fixture
def names(tmp_path):
    file = tmp_path / "names.csv"
    file.write_text(TABLE)
    return file


@pytest.fixture(scope="module")
def vectors():
    return wg.open_vectors("default")


def test_a_text_column_states_the_groups_and_results_use_its_values(vectors, names):
    found = wg.discover(vectors, names=names, keep_names=1, **FEW)
    assert {group.id: group.size for group in found.groups} == {"South": 4, "North": 4, "East": 3}
    assert set(found.groups[-1].names) == {"ivan", "olga", "vladimir"}
    assert {cell.group for cell in found.cells} <= {"South", "North", "East"}
    assert found.names["without group"] == 1
    assert "The groups are the values of 'region'" in found.notes[0]


def test_groups_are_clustered_if_that_is_asked_for(vectors, names):
    found = wg.discover(vectors, names=names, group_by="none", groups=3, **FEW)
    assert [group.id for group in found.groups] == ["G1", "G2", "G3"]
    assert any("could state the groups: 'region'" in note for note in found.notes)


def test_names_that_are_cleaned_away_or_missing_are_named(run, names):
    line = ["discover", "default", "--names", names, "--categories", 6, "--words", 1500]
    ran = run(*line, "--rotations", 49, "--control", "none", "--workers", 1)
    assert ran.code == 0
    text = " ".join(ran.out.split())
    assert "Cleaned away" in text
    assert "'ingrid'" in text or "'giovanni'" in text
    assert "--keep-names 1 keeps all names; --group-by none clusters them." in text
    assert "not numeric" not in text
    assert "South" in text


def test_placebos_of_stated_groups_have_their_sizes(vectors, names):
    found = wg.discover(vectors, names=names, keep_names=1, placebo=1, **FEW)
    (placebo,) = found.placebos
    assert placebo.names == 11
    assert len(placebo.examples) == 3


def test_an_unknown_column_or_a_single_group_is_refused(vectors, names, tmp_path):
    with pytest.raises(UsageError, match=r"no text column 'nation'.*It has 'region'"):
        wg.discover(vectors, names=names, group_by="nation", **FEW)
    single = tmp_path / "single.csv"
    single.write_text("name,region\nMarco,South\nLuca,South\nZzyzx,North\n")
    with pytest.raises(CannotMeasure, match="one group only"):
        wg.discover(vectors, names=single, **FEW)
