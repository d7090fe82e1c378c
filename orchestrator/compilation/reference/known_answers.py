"""The known answers of an algorithm, read from the runners' vector files: the text that ``kat`` prints for them.

Every provider and variant prints the same text for an algorithm, because it contains the answers and nothing about who
computed them. Its SHA-256 is therefore known to the service without a runner.
"""

import hashlib
import re
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path

from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.shared.resources import shipped

_ALGORITHM = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_BYTES = ("Key", "Nonce", "PT", "AD", "CT")


@dataclass
class KnownAnswer:
    """One vector; bytes are hexadecimal in upper case."""

    values: dict[str, str] = field(default_factory=lambda: dict.fromkeys(_BYTES, ""))
    offset: int = 0
    """Position of the plaintext in the keystream, bytes."""
    result: str = "valid"
    """``invalid`` and ``bad-length``: the inputs must be refused."""

    def text(self, count: int) -> str:
        """Return the vector as ``kat`` prints it."""
        lines = [f"Count = {count}", *(f"{name} = {self.values[name]}" for name in _BYTES)]
        if self.offset:
            lines.append(f"Offset = {self.offset}")
        if self.result != "valid":
            lines.append(f"Result = {self.result}")
        return "\n".join(lines) + "\n\n"


@dataclass(frozen=True)
class KnownAnswers:
    """The known answers of one algorithm."""

    answers: tuple[KnownAnswer, ...]
    generated_sha256: str | None
    """SHA-256 of the published file that ``kat`` generates in place of the vectors, if there is one."""

    @cached_property
    def output_sha256(self) -> str:
        """SHA-256 of the output of ``kat``."""
        if self.generated_sha256 is not None:
            return self.generated_sha256
        text = "".join(answer.text(count) for count, answer in enumerate(self.answers, start=1))
        return hashlib.sha256(text.encode()).hexdigest()


def parse(text: str) -> KnownAnswers:
    """Return the known answers of a vector file (``runners/vectors/*.vec``)."""
    answers: list[KnownAnswer] = []
    generated: str | None = None
    inside = False
    for line in text.splitlines():
        content = line.strip()
        if not content:
            inside = False
        if not content or content.startswith("#"):
            continue
        name, _, value = (part.strip() for part in content.partition("="))
        if name == "Genkat":
            generated = value.split()[-1].lower()
        else:
            if not inside:
                answers.append(KnownAnswer())
            _set(answers[-1], name, value)
        inside = True
    return KnownAnswers(tuple(answers), generated)


def _set(answer: KnownAnswer, name: str, value: str) -> None:
    if name == "Offset":
        answer.offset = int(value)
    elif name == "Result":
        answer.result = value
    else:
        answer.values[name] = value.upper()


@lru_cache(maxsize=512)
def known_answers(algorithm: str) -> KnownAnswers | None:
    """Return the known answers of an algorithm; None if this service's sources have none.

    The name can come from an agent, so only names of algorithms are looked up.
    """
    if not _ALGORITHM.fullmatch(algorithm):
        return None
    try:
        return parse((shipped("runners") / "vectors" / f"{algorithm}.vec").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


@cache
def own_source_sha256() -> str:
    """Return the SHA-256 of the runners' sources that this service offers, read once per process."""
    folder: Path = shipped("runners")
    return source_sha256(folder)
