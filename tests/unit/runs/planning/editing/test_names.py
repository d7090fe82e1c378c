"""Names to complete: those that agents, corpus and languages offer, by the path of their key."""

from orchestrator.runs.planning.editing.names import plan_keys
from orchestrator.runs.planning.offers import AgentOffer, BuildOffer, ChunkOffer, OfferedFacts, OfferedImplementation


def offer(name: str, **given: object) -> AgentOffer:
    rows = (
        OfferedImplementation("aes-128-ctr", "ni", available=True),
        OfferedImplementation("gone-1", None, available=False),
        OfferedImplementation("noop", "ref", available=True),
    )
    facts = OfferedFacts(frozenset({"aes", "avx2"}), counters=True, counters_reason="", meter=False, memory_bytes=None)
    build = BuildOffer(1, {"botan": rows, "empty": ()})
    versions = {"botan": ("3.7.1", "2.19.3")}
    return AgentOffer(name, name, "x86_64", build=build, facts=facts, library_versions=versions, **given)  # type: ignore[arg-type]


def values(**chunks: int) -> dict[str, list[str]]:
    agents = [offer("pi", labels=("kitchen",)), offer("old", revoked=True, labels=("attic",))]
    index = {("text", length): ChunkOffer(1, "text", length, "0" * 64) for length in (1024, 1_048_576, 1500)}
    return {key.path: key.values for key in plan_keys(agents, index)}


def test_names_are_those_that_exist() -> None:
    found = values()
    assert (found["agents"], found["requires.labels"]) == (["pi"], ["kitchen"])
    assert (found["requires.features"], found["architectures"]) == (["aes", "avx2"], ["x86_64"])
    assert {"botan", "python", "rust"} <= set(found["matrix.providers"])
    assert "empty" not in found["matrix.providers"]
    assert "gone-1" not in found["matrix.algorithms"]
    assert found["matrix.algorithms"][-1] == "noop"
    assert found["matrix.variants"][:3] == ["default", "smallest", "*"]
    assert found["libraries.botan"] == ["2.19.3", "3.7.1"]
    assert found["matrix.inputs.sizes"] == ["1 KiB", "1500", "1 MiB"]
