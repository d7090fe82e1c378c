"""A question that names neither operation nor length nor key setup: nothing is pooled."""

from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.readings import Input


def call(operation: str, key_setup: str, length_bytes: int) -> Input:
    return Input(length_bytes, "", "digest", operation, key_setup)


BOTH = [call("encrypt", "apart", 64), call("encrypt", "included", 24), call("encrypt", "included", 64)]


def test_calls_with_the_key_set_apart_and_included_are_not_pooled() -> None:
    found = Question().narrowed(BOTH)
    assert [one for one in BOTH if found.includes(one)] == [call("encrypt", "apart", 64)]


def test_requested_key_setup_decides_the_default_length() -> None:
    found = Question(key_setup="included").narrowed(BOTH)
    assert [one for one in BOTH if found.includes(one)] == [call("encrypt", "included", 24)]


def test_run_that_timed_one_of_them_is_not_narrowed_by_it() -> None:
    included = [one for one in BOTH if one.key_setup == "included"]
    assert Question().narrowed(included).key_setup is None
    setups = [call("key-setup", "", 0), *included]
    assert Question(operation="key-setup").narrowed(setups).includes(setups[0])


def test_default_length_is_above_zero_where_there_is_one() -> None:
    empty, short = call("encrypt", "", 0), call("encrypt", "", 16)
    assert Question().narrowed([empty, empty, short]).length_bytes == 16
    assert Question().narrowed([empty]).length_bytes == 0
