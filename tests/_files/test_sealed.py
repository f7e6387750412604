"""Records with a checksum."""

import json

import pytest

from weatherglass._files import seal, unseal


def test_a_record_is_the_same_after_it_was_sealed():
    record = {"a": [1, 2.5, 1e-300, None, True], "b": {"ü": "naïve ☃ \udce9", "2": {}}, "": ""}
    assert unseal(seal(record)) == record
    assert unseal(seal(record, indent=1).encode()) == record


def test_a_change_of_any_byte_is_noticed_or_without_meaning():
    record = {"effect": 1.08, "words": ["x", "y"], "n": 8}
    text = seal(record)
    for at in range(len(text)):
        for byte in '0x "}':
            changed = text[:at] + byte + text[at + 1 :]
            try:
                assert unseal(changed) == record  # white space between values
            except ValueError:
                continue


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", "null", json.dumps({"checksum": ""})])
def test_what_was_never_sealed_is_refused(text):
    with pytest.raises(ValueError, match=r"checksum|Expecting"):
        unseal(text)
