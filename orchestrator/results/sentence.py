"""An agent's answer in one sentence, and a second one where something must not be overlooked."""

from orchestrator.results.schemas import AgentAnswer, AnswerRow
from orchestrator.units import format_size, format_throughput

NAMED_IN_A_TIE = 3
_MEASURES = {"encrypt": "encryption throughput", "pass": "pass throughput (process included)"}


def of(answer: AgentAnswer) -> str:
    """Return the sentence for an answer whose rows are all there, in order."""
    ranked = [row for row in answer.rows if row.rank is not None]
    if not ranked:
        return _warning(answer) + _nothing(answer)
    first = [row for row in ranked if row.rank == 1]
    where = f"On {answer.device}, over {_inputs(answer)}, "
    what = f"{_who(first)} {'has' if len(first) == 1 else 'share'} the highest {_MEASURES[answer.measure]}"
    level = first[0].throughput_bytes_per_second
    figure = f" ({format_throughput(level)})" if level is not None else ""
    return _warning(answer) + where + what + figure + _distance(first, ranked[len(first) :]) + _certainty(answer, first)


def _nothing(answer: AgentAnswer) -> str:
    if answer.emulated:
        return f"{answer.device} is emulated: its times say nothing about a real one, so nothing is ranked."
    return f"On {answer.device} nothing can be compared yet: there is no candidate with results for the same inputs."


def _warning(answer: AgentAnswer) -> str:
    wrong, disputed = sum(row.wrong for row in answer.rows), sum(row.disputed for row in answer.rows)
    parts = [f"{count} {_plural(count, 'execution is', 'executions are')} {state}"
             for count, state in ((wrong, "wrong"), (disputed, "disputed")) if count]  # fmt: skip
    return f"Attention: {' and '.join(parts)}, and left out. " if parts else ""


def _inputs(answer: AgentAnswer) -> str:
    lengths = answer.inputs.lengths_bytes
    sizes = format_size(lengths[0])
    if len(lengths) > 1:
        sizes += f" to {format_size(lengths[-1])}"
    count = answer.inputs.count
    return f"{count} {_plural(count, 'input', 'inputs')} of {sizes} ({', '.join(answer.inputs.kinds)})"


def _who(rows: list[AnswerRow]) -> str:
    names = [f"{row.algorithm} by {row.provider}" + _distinction(row, rows) for row in rows]
    if len(names) > NAMED_IN_A_TIE:
        others = len(names) - NAMED_IN_A_TIE + 1
        names = [*names[: NAMED_IN_A_TIE - 1], f"{others} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _distinction(row: AnswerRow, rows: list[AnswerRow]) -> str:
    """Return variant and toolchain where the group has the same algorithm and provider more than once."""
    same = sum((one.algorithm, one.provider) == (row.algorithm, row.provider) for one in rows)
    return f" [{row.variant}, {row.toolchain}]" if same > 1 else ""


def _distance(first: list[AnswerRow], others: list[AnswerRow]) -> str:
    if not others:
        return "."
    following = others[0]
    interval = following.behind_interval
    if following.behind is None or interval is None:
        return "."
    ratio, low, high = _figures(following.behind, interval.low, interval.high)
    return f", {ratio} times (95 % interval {low} to {high}) that of the next, {_who([following])}."


def _figures(*values: float) -> list[str]:
    """Return the values with three digits, or with as many as it takes to tell the lowest from the highest."""
    for digits in range(3, 8):
        shown = [f"{value:.{digits}g}" for value in values]
        if f"{min(values):.{digits}g}" != f"{max(values):.{digits}g}":
            break
    return shown


def _certainty(answer: AgentAnswer, first: list[AnswerRow]) -> str:
    if any(row.undecided for row in first):
        count = answer.blocks
        return f" {count} {_plural(count, 'block is', 'blocks are')} too few to tell them apart; take 6 or more."
    if len(first) == 1:
        return ""
    number = "two" if len(first) == 2 else str(len(first))
    return f" The {number} are a tie: the difference is within what chance and the noise floor explain."


def _plural(count: int, one: str, many: str) -> str:
    return one if count == 1 else many
