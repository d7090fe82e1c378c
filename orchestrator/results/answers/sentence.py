"""Summary sentence of an agent's answer, with a warning if executions are wrong or disputed."""

from collections.abc import Sequence

from orchestrator.results.answers.agents import unranked_sentence
from orchestrator.results.answers.decision.constant_time import timing_warning
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import AgentAnswer, AnswerInputs, AnswerRow
from orchestrator.shared.units import format_quantity, format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.text import enumerated
from orchestrator.statistics.median import MIN_FOR_INTERVAL

NAMED_IN_A_TIE = 3


def summary_of(answer: AgentAnswer) -> str:
    """Return the summary of an answer with all its rows in order."""
    ranked = [row for row in answer.rows if row.rank is not None]
    if not ranked:
        return _warning(answer) + _nothing(answer)
    ties = [row for row in ranked if row.verdict == "tie"]
    where = f"On {answer.device}, " + ("" if _exact(answer) else f"over {_inputs_of(answer.inputs)}, ")
    what = _lead(ranked[0], answer)
    if ties:
        what += f" and ties with {_who(ties, answer)}"
    timing = timing_warning([ranked[0], *ties])
    return f"{_warning(answer)}{where}{what}{_distance(ranked, answer)}{_coverage(answer)}{timing}"


def _lead(first: AnswerRow, answer: AgentAnswer) -> str:
    """Return the first candidate with its figure, after a doubt whether it is the best."""
    figure = "" if first.value is None else f" ({format_quantity(first.value, answer.unit)})"
    superlative, doubt = MEASURES[answer.measure].superlative, _doubt(answer)
    if not doubt:
        return f"{_who([first], answer)} has the {superlative}{figure}"
    return (
        f"it is undecided which candidate has the {superlative}: {doubt}. "
        f"By the medians alone, {_who([first], answer)} leads{figure}"
    )


def _exact(answer: AgentAnswer) -> bool:
    return MEASURES[answer.measure].exact


def _nothing(answer: AgentAnswer) -> str:
    if answer.unranked:
        return unranked_sentence(answer.device, answer.unranked)
    if not answer.rows and answer.overheads:
        return f"On {answer.device} nothing is compared: only the overhead of a process (noop) was measured."
    title = MEASURES[answer.measure].title
    measured = any(row.ok and row.value is not None for row in answer.rows)
    if answer.rows and answer.measure not in {"encrypt", "pass", "call"} and not measured:
        return f"On {answer.device} nothing can be compared by {title}: no candidate has a reading of it."
    return f"On {answer.device} nothing can be compared yet: no candidates have results for the same inputs."


def _warning(answer: AgentAnswer) -> str:
    wrong, disputed = sum(row.wrong for row in answer.rows), sum(row.disputed for row in answer.rows)
    parts = [f"{count} {_plural(count, 'execution is', 'executions are')} {state}"
             for count, state in ((wrong, "wrong"), (disputed, "disputed")) if count]  # fmt: skip
    return f"Attention: {' and '.join(parts)}, and excluded. " if parts else ""


def _inputs_of(inputs: AnswerInputs) -> str:
    lengths = inputs.lengths_bytes
    sizes = format_size(lengths[0])
    if len(lengths) > 1:
        sizes += f" to {format_size(lengths[-1])}"
    count = inputs.count
    sorts = ", ".join(inputs.kinds) or inputs.calls
    return f"{count} {_plural(count, 'input', 'inputs')} of {sizes} ({sorts})"


def _who(rows: list[AnswerRow], answer: AgentAnswer) -> str:
    return listed([f"{row.algorithm} by {row.provider}" + _distinction(row, answer) for row in rows])


def listed(names: Sequence[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and 3 others``."""
    if len(names) > NAMED_IN_A_TIE:
        others = len(names) - NAMED_IN_A_TIE + 1
        names = [*names[: NAMED_IN_A_TIE - 1], f"{others} others"]
    return enumerated(names)


def _distinction(row: AnswerRow, answer: AgentAnswer) -> str:
    """Return variant, toolchain and copy as far as they distinguish the row from others in the table."""
    same = [one for one in answer.rows if (one.algorithm, one.provider) == (row.algorithm, row.provider)]
    several = len({(variant_label(one), one.toolchain) for one in same}) > 1
    label = f" [{variant_label(row)}, {row.toolchain}]" if several else ""
    copies = {one.copy_number for one in same}
    return label + (f" #{row.copy_number}" if len(copies) > 1 else "")


def _distance(ranked: list[AnswerRow], answer: AgentAnswer) -> str:
    following = next((row for row in ranked if row.verdict == "different"), None)
    if following is None:
        return "."
    if following.behind is None or (following.behind_interval is None and not _exact(answer)):
        return "."
    name = _who([following], answer)
    if following.behind_interval is None:
        return f"; the next that differs, {name}, needs {following.behind:.3g} times as much."
    ratio, low, high = _figures(following.behind, following.behind_interval.low, following.behind_interval.high)
    certainty = f"(95 % interval {low} to {high})"
    if MEASURES[answer.measure].rises:
        text = "; it has" if any(row.verdict in ("tie", "undecided") for row in ranked) else ","
        return f"{text} {ratio} times {certainty} that of the next that differs, {name}."
    verb, amount = ("takes", "as long") if answer.unit == "ns" else ("needs", "as much")
    return f"; the next that differs, {name}, {verb} {ratio} times {certainty} {amount}."


def _figures(*values: float) -> list[str]:
    """Return the values with three digits, or as many as distinguish the lowest from the highest."""
    for digits in range(3, 8):
        shown = [f"{value:.{digits}g}" for value in values]
        if f"{min(values):.{digits}g}" != f"{max(values):.{digits}g}":
            break
    return shown


def _doubt(answer: AgentAnswer) -> str:
    """Return why a candidate can neither be called worse than the first one nor tied with it; empty for none."""
    undecided = [row for row in answer.rows if row.verdict == "undecided"]
    if not undecided:
        return ""
    if answer.blocks < MIN_FOR_INTERVAL:
        count = answer.blocks
        return f"{count} {_plural(count, 'block is', 'blocks are')} too few to distinguish them; use 6 or more"
    return f"{_who(undecided[-1:], answer)} is {undecided[-1].reason}"


def _coverage(answer: AgentAnswer) -> str:
    """Return which candidates have fewer inputs than the table, and which are listed separately for that reason."""
    fewer = [row for row in answer.rows if row.estimated]
    separate = [row for row in answer.rows if row.rank is None and row.inputs.count]
    counts = sorted({row.inputs.count for row in fewer})
    text = ""
    if fewer:
        over = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
        text += f" {_who(fewer, answer)} {_plural(len(fewer), 'has', 'have')} results over {over} of them."
    if separate:
        text += f" Listed separately: {_who(separate, answer)}"
        text += f" (over {_inputs_of(separate[0].inputs)})." if len(separate) == 1 else "."
    return text


def _plural(count: int, one: str, many: str) -> str:
    return one if count == 1 else many
