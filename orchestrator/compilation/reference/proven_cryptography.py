"""Python's ``cryptography`` after a proof: an algorithm is used only if it gives the known answers of our files."""

from functools import cache

from orchestrator.compilation.reference import third_party
from orchestrator.compilation.reference.known_answers import KnownAnswer, known_answers

NAME = "Python's cryptography"


@cache
def is_proven(algorithm: str) -> bool:
    """Return whether ``cryptography`` has the algorithm and gives at least one known answer, and none differently."""
    found = known_answers(algorithm)
    if found is None or not third_party.supports(algorithm):
        return False
    checked = [_gives(algorithm, answer) for answer in found.answers if _is_plain(answer)]
    return bool(checked) and all(checked)


def _is_plain(answer: KnownAnswer) -> bool:
    """Return whether the streaming reference covers the vector: a valid one, from 0, without associated data."""
    return answer.result == "valid" and not answer.offset and not answer.values["AD"]


def _gives(algorithm: str, answer: KnownAnswer) -> bool:
    values = {name: bytes.fromhex(value) for name, value in answer.values.items()}
    secrets = third_party.Secrets(given_key=values["Key"], given_nonce=values["Nonce"])
    state = third_party.encryption(algorithm, secrets)
    if state is None:
        return False
    return state.update(values["PT"]) + state.finish() == values["CT"]
