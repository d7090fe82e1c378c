"""Difference in the order of rows between two generators on one agent, or between two agents. Pure."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from orchestrator.results.answers.masking.schemas import (
    MaskingMove,
    MaskingOrder,
    MaskingRow,
    MaskingTable,
    OrderOf,
)
from orchestrator.statistics.rankings.correlation import Agreement, agreement

MAX_MOVES = 5
MAX_ORDERS = 60
"""Pairs of tables that are compared; a fleet of many agents has thousands."""

_Row = tuple[str, str | None, str, str, int]
"""Algorithm, degree, provider, build key, copy; the last three empty between agents, whose builds differ."""


def compare_orders(tables: Sequence[MaskingTable]) -> list[MaskingOrder]:
    """Return the agreement of each two tables of one agent, then of each two agents with the same generator."""
    found: list[MaskingOrder] = []
    for first, second in _pairs(tables):
        for of in _KINDS:
            if len(found) < MAX_ORDERS:
                found.append(_compare(of, first, second))
    return [order for order in found if order.rows > 1]


def _pairs(tables: Sequence[MaskingTable]) -> Iterator[tuple[MaskingTable, MaskingTable]]:
    pairs = list(combinations(tables, 2))
    yield from ((one, two) for one, two in pairs if one.agent_id == two.agent_id)
    yield from ((one, two) for one, two in pairs if one.agent_id != two.agent_id and one.generator == two.generator)


_KINDS: dict[OrderOf, Callable[[MaskingRow], int | None]] = {
    "overhead": lambda row: row.rank,
    "relative": lambda row: row.relative_rank,
}


def _compare(of: OrderOf, first: MaskingTable, second: MaskingTable) -> MaskingOrder:
    same_agent = first.agent_id == second.agent_id
    found = agreement(*(_ranks(table, of, same_agent) for table in (first, second)))
    return MaskingOrder.from_row(
        found,
        of=of,
        first_agent=first.agent_name,
        first_generator=first.generator,
        second_agent=second.agent_name,
        second_generator=second.generator,
        moves=[
            MaskingMove.from_row(move, algorithm=move.row[0], masking=move.row[1]) for move in found.moves[:MAX_MOVES]
        ],
        sentence=_sentence(of, first, second, found),
    )


def _ranks(table: MaskingTable, of: OrderOf, same_agent: bool) -> dict[_Row, float]:
    """Return the rank of each row; between agents, builds differ, and the first of a cipher counts."""
    found: dict[_Row, float] = {}
    for row in table.rows:
        rank = _KINDS[of](row)
        if rank is None:
            continue
        rest = (row.provider, row.build_key, row.copy_number) if same_agent else ("", "", 0)
        key: _Row = (row.algorithm, row.masking, *rest)
        found[key] = min(rank, found.get(key, rank))
    return found


def _sentence(of: OrderOf, first: MaskingTable, second: MaskingTable, found: Agreement[_Row]) -> str:
    what = "overhead" if of == "overhead" else "time relative to ChaCha20-Poly1305"
    if first.agent_id == second.agent_id:
        between = f"the generators {first.generator} and {second.generator} on {first.agent_name}"
    else:
        between = f"{first.agent_name} and {second.agent_name} with the generator {first.generator}"
    if found.kendall_tau is None:
        return f"Between {between}, the order by {what} cannot be compared: one table has a single rank."
    text = f"Between {between}, the order of {found.rows} rows by {what} has Kendall's tau {found.kendall_tau:.2f}"
    text += f" and Spearman's rho {found.spearman_rho:.2f}" if found.spearman_rho is not None else ""
    if not found.moves:
        return f"{text}; no row moves."
    move = found.moves[0]
    name = " ".join(word for word in move.row[:2] if word)
    return f"{text}; {name} moves most, from rank {move.first_rank:g} to {move.second_rank:g}."
