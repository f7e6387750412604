import dataclasses
from types import SimpleNamespace

import weatherglass as wg
from weatherglass.auditing import find_changes


def audited(*results, fingerprint="same"):
    return SimpleNamespace(
        about={"sources": [{"name": "s", "fingerprint": fingerprint}]},
        results=results,
        discoveries=(),
        multiverses=(),
        lints=(),
    )


def test_effects_that_changed_sign_come_first_then_the_largest_changes(glove840b):
    first, second = (wg.open_vectors(source) for source in ("default", glove840b))
    before = [wg.weat(first, id) for id in ("weat6", "weat4", "weat9")]
    after = [wg.weat(second, id) for id in ("weat6", "weat4", "weat9")]
    flipped = {
        side: tuple(-value for value in values) for side, values in after[2].associations.items()
    }
    after[2] = dataclasses.replace(after[2], effect=-after[2].effect, associations=flipped)
    changes = find_changes(audited(*before), audited(*after, fingerprint="other"))
    assert changes[1].number == "fingerprint"
    effects = [change for change in changes if change.number == "effect"]
    assert [change.test for change in effects] == ["weat9", "weat4", "weat6"]
    assert [changes[0], *changes[2:4]] == effects
    agreement = wg.agree([first, second], "weat4")
    assert effects[1].p == agreement.pairs[0].difference.p.value
    assert all(change.p is None for change in changes[4:])


def test_a_change_is_not_tested_where_the_words_have_no_associations():
    vectors = wg.open_vectors("default")
    before, after = (
        wg.measure(vectors, "mac", {"X": ["doctor", "nurse"], "A": words})
        for words in (["she"], ["he"])
    )
    changes = find_changes(audited(before), audited(after))
    assert [(change.number, change.p) for change in changes] == [("value", None)]


def test_a_correction_over_another_number_of_tests_is_no_change():
    vectors = wg.open_vectors("default")
    two = [wg.weat(vectors, id, baseline=False) for id in ("weat6", "weat7")]
    alone = wg.Results.of(two[:1]).correct()
    together = wg.Results.of(two).correct()
    assert alone[0].p_holm != together[0].p_holm
    assert find_changes(audited(*alone), audited(together[0])) == ()


def test_changes_of_sentence_tests_count_each_word_once():
    (before,) = wg.seat(wg.open_encoder("cbow:default"), "sent-weat6")
    after = dataclasses.replace(before, effect_by_word=-before.effect_by_word)
    (change,) = find_changes(audited(before), audited(after))
    assert (change.number, change.before) == ("effect", before.effect_by_word)
    assert change.is_sign_flip
