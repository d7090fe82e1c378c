"""Rows of an agent with one generator and one number of shares, ranked by overhead and by time. Pure."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.compilation.evidence.forms import NO_EVIDENCE, FormEvidence
from orchestrator.results.answers.agents import AgentFacts, unranked_sentence
from orchestrator.results.answers.masking.schemas import MaskingRow, MaskingTable, MaskingTerm, MaskingTime
from orchestrator.results.answers.masking.sums import PROTECTED_BY_DESIGN, TERMS, UNIT, AgentSums, Summed
from orchestrator.results.answers.readings import Candidate, Input
from orchestrator.results.answers.table import place_fields
from orchestrator.results.schemas import Interval
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import MedianSummary, summarize
from orchestrator.statistics.paired import Comparison, compare_shared
from orchestrator.statistics.ranking import Field, Place

_NO_BASELINE = "the run has no calls of the unmasked cipher by this provider and build"
_BY_DESIGN = "protected by the design of its mode; it has no masked variant"


@dataclass(frozen=True, slots=True)
class Drawn:
    """Random bytes of one call, and the time that drawing them alone takes."""

    random_bytes: int | None
    random_wall_ns: float | None


Draws = Mapping[tuple[Candidate, Input], Drawn]
Examined = Mapping[Candidate, FormEvidence]
"""Evidence of the masked candidates whose build was examined."""
Places = Mapping[str, Place]
"""Candidate's name → place in one ranking."""


@dataclass(frozen=True)
class Entry:
    """One row before it is ranked."""

    name: str
    candidate: Candidate
    sums: Summed | None
    baseline: Summed | None
    """Unmasked variant of the same cipher; None for an unmasked row."""
    unit: Summed | None
    """Unmasked ChaCha20-Poly1305."""
    other_variants: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class MaskedTable:
    """The rows of one agent with one generator."""

    facts: AgentFacts
    generator: str
    secure: bool | None
    entries: tuple[Entry, ...]

    @classmethod
    def of(
        cls, facts: AgentFacts, sums: AgentSums, masked: Sequence[Candidate], generator: str, secure: bool | None
    ) -> "MaskedTable":
        """Return the table of these masked candidates, with the ciphers that are protected by their design.

        Of several masked variants of a cipher, the fastest is compared, like the fastest unmasked one.
        """
        designed = {
            one.candidate
            for candidate in sums.found
            if not candidate.form.shares
            and candidate.algorithm.startswith(PROTECTED_BY_DESIGN)
            and (one := sums.unmasked(candidate.algorithm, candidate)) is not None
        }
        chosen = (*_fastest_variants(masked, sums), *sorted(designed))
        others = _variants(masked)
        entries = tuple(_entry(f"{n:06d}", one, sums, others[_cipher(one)]) for n, one in enumerate(chosen))
        return cls(facts, generator, secure, entries)

    def fields(self) -> dict[str, Field]:
        """Return what is ranked, higher for less time: baseline / masked (overhead), and unit / masked (relative)."""
        if self.facts.unranked:
            return {}
        floor = self.facts.noise_floor.relative or 0.0
        return {
            name: Field(dict(_speeds((one.name, one.sums, getattr(one, base)) for one in self.entries)), floor)
            for name, base in (("overhead", "baseline"), ("relative", "unit"))
        }

    def answer(self, places: Mapping[str, Places], draws: Draws, examined: Examined) -> MaskingTable:
        """Return the table with its rows in the order of their overhead."""
        rows = [self._row(entry, places, draws, examined) for entry in self.entries]
        rows.sort(key=_order)
        units = {entry.unit.candidate.variant for entry in self.entries if entry.unit is not None}
        return MaskingTable.from_row(
            self.facts,
            generator=self.generator,
            secure=self.secure,
            chacha_variant=", ".join(sorted(units)) or None,
            rows=rows,
            sentence=_sentence(self, rows),
        )

    def _row(self, entry: Entry, places: Mapping[str, Places], draws: Draws, examined: Examined) -> MaskingRow:
        candidate = entry.candidate
        overhead, relative = _quotient(entry.sums, entry.baseline), _quotient(entry.sums, entry.unit)
        # A cipher that is protected by its design is its own unmasked variant.
        units = _quotient(entry.unit, entry.baseline if candidate.form.shares else entry.sums)
        place, other = (places.get(name, {}).get(entry.name) for name in ("overhead", "relative"))
        return MaskingRow(
            **(place_fields(place) if place else {}),
            **{f"relative_{name}": value for name, value in (place_fields(other) if other else {}).items()},
            **self.facts.identity(candidate),
            other_variants=list(entry.other_variants),
            blocks=next((one.blocks for one in (overhead, relative) if one), 0),
            overhead=overhead.ratio if overhead else None,
            overhead_interval=_limits(overhead),
            unmasked_variant=entry.baseline.candidate.variant if entry.baseline else None,
            chacha_units=units.ratio if units else None,
            chacha_units_interval=_limits(units),
            relative_time=relative.ratio if relative else None,
            relative_interval=_limits(relative),
            times=[_time(entry, place, term, draws) for place, term in enumerate(TERMS)] if entry.sums else [],
            evidence=examined.get(candidate),
            evidence_reason=NO_EVIDENCE if candidate.form.shares and candidate not in examined else "",
            reason=entry.reason or self.facts.unranked,
        )


_Cipher = tuple[str, str, str, int, int]
"""Algorithm, degree, provider, build id, copy."""


def _cipher(one: Candidate) -> _Cipher:
    return one.algorithm, one.form.degree, one.provider, one.build_id, one.copy


def _variants(masked: Iterable[Candidate]) -> Mapping[_Cipher, list[str]]:
    found: dict[_Cipher, list[str]] = defaultdict(list)
    for one in masked:
        found[_cipher(one)].append(one.variant)
    return found


def _fastest_variants(masked: Iterable[Candidate], sums: AgentSums) -> Iterable[Candidate]:
    fastest: dict[_Cipher, tuple[float, Candidate]] = {}
    for one in masked:
        found = sums.found.get(one)
        place = (found.middle if found is not None else math.inf, one)
        fastest[_cipher(one)] = min(place, fastest.get(_cipher(one), place))
    return [one for _, one in fastest.values()]


def _entry(name: str, candidate: Candidate, sums: AgentSums, variants: Iterable[str]) -> Entry:
    others = tuple(sorted(set(variants) - {candidate.variant}))
    found, unit = sums.found.get(candidate), sums.unmasked(UNIT, candidate)
    if not candidate.form.shares:
        return Entry(name, candidate, found, None, unit, (), _BY_DESIGN)
    baseline = sums.unmasked(candidate.algorithm, candidate)
    reason = "" if baseline is not None else _NO_BASELINE
    return Entry(name, candidate, found, baseline, unit, others, sums.missing.get(candidate, reason))


def _speeds(rows: Iterable[tuple[str, Summed | None, Summed | None]]) -> Iterator[tuple[str, Floats]]:
    """Yield the blocks' quotients of each row that has one, shape (blocks, 1)."""
    for name, one, base in rows:
        if one is not None and base is not None:
            speeds = (base.sums / one.sums)[:, None]
            if np.isfinite(speeds).any():
                yield name, speeds


def _quotient(one: Summed | None, base: Summed | None) -> Comparison | None:
    """Return how many times the base's sums fit into the sums of the same blocks; None without a common block."""
    return compare_shared(one.sums[:, None], base.sums[:, None]) if one and base else None


def _limits(found: Comparison | None) -> Interval | None:
    return Interval.of(found.interval) if found else None


def _time(entry: Entry, place: int, term: MaskingTerm, draws: Draws) -> MaskingTime:
    own = _median(entry.sums, place)
    base = _median(entry.baseline, place)
    drawn = Drawn(None, None)
    if entry.sums is not None:
        drawn = draws.get((entry.candidate, entry.sums.inputs[place]), drawn)
    call_wall_ns = own.median if own else None
    share = drawn.random_wall_ns / call_wall_ns if drawn.random_wall_ns is not None and call_wall_ns else None
    return MaskingTime(
        operation=term.operation,
        length_bytes=term.length_bytes,
        call_wall_ns=call_wall_ns,
        interval=Interval.of(own.interval) if own else None,
        unmasked_call_wall_ns=base.median if base else None,
        random_bytes=drawn.random_bytes,
        random_wall_ns=drawn.random_wall_ns,
        generator_share=share,
    )


def _median(one: Summed | None, place: int) -> MedianSummary | None:
    if one is None:
        return None
    times = one.times[:, place]
    return summarize(times[np.isfinite(times)].tolist())


def _order(row: MaskingRow) -> tuple[bool, float, str, str]:
    time = row.overhead if row.overhead is not None else row.relative_time
    return row.rank is None, np.inf if time is None else time, row.algorithm, row.masking or ""


def _sentence(table: MaskedTable, rows: Sequence[MaskingRow]) -> str:
    """Return the summary of a table: its extremes, and what may mislead."""
    ranked = [row for row in rows if row.rank is not None and row.overhead is not None]
    device, generator = table.facts.device, table.generator
    if not ranked:
        if unranked := table.facts.unranked:
            return unranked_sentence(device, unranked)
        return f"On {device}, no masked cipher with the generator {generator} has an overhead; each row has the reason."
    first, last = ranked[0], ranked[-1]
    alike = sum(not set(row.groups).isdisjoint(first.groups) for row in ranked[1:])
    certainty = "by the medians alone, " if alike else ""
    text = f"On {device} with the generator {generator}, {certainty}{_named(first)} has the lowest overhead"
    if alike:
        text += f", not proven to differ from {alike} other{'s' if alike > 1 else ''}"
    if last is not first:
        text += f", {_named(last)} the highest"
    return f"{text}." + (" This generator is not secure." if table.secure is False else "")


def _named(row: MaskingRow) -> str:
    return f"{row.algorithm} {row.masking} ({row.overhead:.3g} times)"
