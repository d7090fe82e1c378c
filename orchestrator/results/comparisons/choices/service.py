"""The parts of a run that can be compared, and comparisons that a run suggests."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Run
from orchestrator.results.comparisons.choices import repository
from orchestrator.results.comparisons.choices.properties import count_values, sides_by
from orchestrator.results.comparisons.choices.schemas import (
    ComparedBy,
    RunSides,
    SideChoices,
    SideProperty,
    SideValue,
    SuggestedComparison,
)
from orchestrator.results.comparisons.measured import verified_cases
from orchestrator.results.comparisons.schemas import Property
from orchestrator.results.comparisons.sides import (
    PROPERTIES,
    MeasuredCase,
    SideName,
    language_label,
    library_label,
    parse_side,
)
from orchestrator.results.freshness.service import RunSnapshot, snapshot_of
from orchestrator.runs.repository import require_run
from orchestrator.shared.errors import Conflict

_NOT_CASES = ("description", "seed", "tags")
"""Keys of a plan that change nothing about its cases."""


def get_choices(session: Session, text: str) -> SideChoices:
    """Return the properties of a side with their values; raises InvalidRequest and NotFound.

    text: as in a comparison. The values of a property are those of the cases that have the side's other properties.
    """
    side = parse_side(text)
    return _choices(require_run(session, side.run_id), side, verified_cases(session, side.run_id))


def get_sides(database: Database, text: str) -> RunSides:
    """Return the properties of a side and the comparisons that its run suggests; raises as get_choices."""
    side = parse_side(text)
    with snapshot_of(database, side.run_id) as seen:
        session, run = seen.session, seen.run
        cases = verified_cases(session, run.id)
        by_property = {name: sides_by(run.id, cases, name) for name in PROPERTIES}
        return RunSides(
            **dict(_choices(run, side, cases)),
            suggested=[
                *(_suggested(name, sides) for name, sides in by_property.items() if sides),
                *([_suggested("former run", sides)] if (sides := _with_former(session, run)) else []),
            ],
        )


def suggested_sides(seen: RunSnapshot, by: ComparedBy) -> list[str]:
    """Return the sides that compare the values of a property, or the run with the one before it.

    Raises Conflict if the run has nothing to compare.
    """
    session, run = seen.session, seen.run
    if by == "former run":
        sides = _with_former(session, run)
        reason = "There is no earlier run of the same plan with a verified result."
    else:
        sides = sides_by(run.id, verified_cases(session, run.id), by)
        reason = f"Run {run.id} has no two values of {by} with a verified result of the same case."
    if not sides:
        raise Conflict(reason, remedy="Choose both sides yourself.")
    return [side.label for side in sides]


def list_comparable(session: Session, run: Run) -> list[ComparedBy]:
    """Return the properties of which a cipher of a run has several values, and whether there is a run before it.

    Reads no case, for pages that only offer the comparisons.
    """
    rows = repository.combinations(session, run.id)
    libraries = sorted({row.provider for row in rows if library_label(row.provider, "known")})
    builds = repository.build_labels(session, {row.build_id for row in rows}, libraries)
    values = defaultdict[tuple[Property, object], set[str]](set)
    for row in rows:
        build, provider = builds[row.build_id], row.provider
        library = library_label(provider, build.versions.get(provider, ""))
        values["agent", row.cipher].add(row.agent_id)
        values["toolchain", row.cipher].add(build.toolchain)
        values["library", (row.cipher, provider)].add(library)
        values["provider", row.cipher].add(provider)
        values["language", row.cipher].add(language_label(provider))
        values["variant", row.cipher].add(row.variant)
    several = {name for (name, _), found in values.items() if len(found - {""}) > 1}
    found: list[ComparedBy] = [name for name in PROPERTIES if name in several]
    return [*found, "former run"] if _with_former(session, run) else found


def _choices(run: Run, side: SideName, cases: Sequence[MeasuredCase]) -> SideChoices:
    properties = [
        SideProperty(
            name=name,
            selected=side.selected.get(name, ""),
            values=[
                SideValue(value=value, cases=count, label=side.narrowed(name, value).label)
                for value, count in count_values(cases, side.selected, name).items()
            ],
        )
        for name in PROPERTIES
    ]
    return SideChoices(
        label=side.label,
        run_id=run.id,
        run_name=run.name,
        submitted_at=run.submitted_at,
        cases=sum(case.is_of(side.selected) for case in cases),
        properties=[one for one in properties if one.values or one.selected],
    )


def _suggested(by: ComparedBy, sides: Sequence[SideName]) -> SuggestedComparison:
    return SuggestedComparison(by=by, sides=[side.label for side in sides])


def _with_former(session: Session, run: Run) -> list[SideName]:
    """Return the latest earlier run of the same plan and this run; empty if there is none."""
    plan = _cases_of_plan(run)
    for former in repository.former_runs(session, run):
        if _cases_of_plan(former) == plan:
            return [SideName(former.id, {}), SideName(run.id, {})]
    return []


def _cases_of_plan(run: Run) -> dict[str, object]:
    return {name: value for name, value in run.plan.items() if name not in _NOT_CASES}
