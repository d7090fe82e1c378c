"""Times are an agent's word alone until another device of its declared model reports them (finding S106)."""

from sqlalchemy import select

from orchestrator.database.models import Agent, Case, Execution, Inventory
from tests.support.database import Shape, add_statistics, fill
from tests.support.live_service import Served

HONEST, OTHER = "pi-1", "pi-2"


def filled(served: Served) -> str:
    shape = Shape(run_id="both00000001", agents=(HONEST, OTHER), algorithms=("aes-128-ctr",), kinds=("text",))
    return fill(served.database, shape)


def shorten(served: Served, factor: float) -> None:
    """Multiply all times of the other agent."""
    with served.database.write() as session:
        mine = select(Case.id).join(Agent).where(Agent.name == OTHER).scalar_subquery()
        for execution in session.scalars(select(Execution).where(Execution.case_id.in_(mine))):
            walls = execution.phase_wall_ns or {}
            execution.phase_wall_ns = {phase: round(wall_ns * factor) for phase, wall_ns in walls.items()}
        cases = list(session.scalars(select(Case).where(Case.id.in_(mine))))
    add_statistics(served.database, cases)


def sentences(served: Served, run_id: str, measure: str = "encrypt") -> dict[str, str]:
    agents = served.json(f"/api/v1/runs/{run_id}/answer", measure=measure)["agents"]
    return {one["agent_name"]: one["times"] for one in agents}


def test_device_of_the_same_model_confirms_times(fresh: Served) -> None:
    found = sentences(fresh, filled(fresh))
    assert found[HONEST].startswith(f"Times: the word of {HONEST}. Of the same declared model, {OTHER} takes 1.0")
    assert "times as long over 3 candidates (" in found[HONEST]
    assert "disagree" not in found[HONEST]


def test_device_whose_times_are_halved_contradicts_the_others_of_its_model(fresh: Served) -> None:
    run_id = filled(fresh)
    shorten(fresh, 0.5)
    found = sentences(fresh, run_id)
    assert f"{OTHER} takes 0.5" in found[HONEST]
    assert f"{HONEST} takes 2." in found[OTHER]
    words = "they disagree, so one was disturbed, is configured differently or reports false times."
    assert all(words in one for one in found.values())


def test_other_models_and_withdrawn_results_confirm_nothing(fresh: Served) -> None:
    run_id = filled(fresh)
    with fresh.database.write() as session:
        agent = session.scalars(select(Agent).where(Agent.name == OTHER)).one()
        inventory = session.get_one(Inventory, agent.inventory_id)
        inventory.facts = inventory.facts | {"device_model": "Another board"}
    assert set(sentences(fresh, run_id).values()) == {
        f"Times: the word of {HONEST} alone.", f"Times: the word of {OTHER} alone."
    }  # fmt: skip


def test_sizes_are_no_times(fresh: Served) -> None:
    assert sentences(fresh, filled(fresh), "code-size") == {HONEST: "", OTHER: ""}
