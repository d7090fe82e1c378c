"""Plans of the suspects: valid, with at least their cases and few others."""

from typing import Any

from orchestrator.runs.planning.plan import validate
from orchestrator.watches.narrowing import MAX_ENTRIES, narrowed
from orchestrator.watches.schemas import WatchedCase

PROCESS = {"providers": ["*"], "algorithms": ["aes-*", "chacha20-ietf"], "inputs": {"sizes": ["1 KiB", "1 MiB"]}}
LATENCY = {
    "protocol": "latency", "providers": ["own"], "algorithms": ["ascon-*"], "variants": ["*"],
    "messages": {"lengths": [16, 64], "associated_data_lengths": [0, 32], "operations": ["encrypt", "key-setup"],
                 "timings": 5},
}  # fmt: skip
MASKED = LATENCY | {"masking": {"shares": [2, 3], "degrees": "full"}}


def document(*matrix: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {"version": 1, "name": "test", "repetitions": 3, "matrix": list(matrix), **given}


def case(**given: Any) -> WatchedCase:
    values: dict[str, Any] = {
        "agent_id": "agent0000001", "agent_name": "pi", "toolchain": "gcc -O2", "provider": "botan",
        "algorithm": "aes-128-ctr", "variant": "default", "input_kind": "text", "length_bytes": 1024, "operation": "",
        "key_setup": "", "associated_data_bytes": 0,
    }  # fmt: skip
    return WatchedCase(**(values | given))


def narrow(plan: dict[str, Any], *cases: WatchedCase) -> dict[str, Any]:
    found = narrowed(plan, validate(plan), cases)
    validate(found)
    return found


def test_chunk_of_an_implementation_is_one_entry() -> None:
    found = narrow(document(PROCESS, LATENCY, seed=7), case())
    assert found["matrix"] == [
        PROCESS
        | {"providers": ["botan"], "algorithms": ["aes-128-ctr"], "variants": ["default"]}
        | {"inputs": {"kinds": ["text"], "sizes": [1024]}}
    ]
    assert (found["name"], found["agents"], "seed" in found) == ("test-confirm", ["agent0000001"], False)


def test_timed_call_keeps_how_it_is_timed() -> None:
    call = case(provider="own", algorithm="ascon-128", variant="opt64", input_kind="", length_bytes=64,
                operation="encrypt", key_setup="apart", associated_data_bytes=32)  # fmt: skip
    (entry,) = narrow(document(PROCESS, LATENCY), call)["matrix"]
    assert entry["messages"] == {"lengths": [64], "associated_data_lengths": [32], "operations": ["encrypt"],
                                 "timings": 5, "key_setup": ["apart"]}  # fmt: skip


def test_key_setup_is_one_case_for_all_lengths() -> None:
    setup = case(provider="own", algorithm="ascon-128", variant="opt64", input_kind="", length_bytes=16,
                 operation="key-setup", key_setup="apart", has_message=False)  # fmt: skip
    (entry,) = narrow(document(LATENCY), setup)["matrix"]
    assert entry["messages"] == LATENCY["messages"] | {"operations": ["key-setup"]}


def test_masked_case_keeps_its_form() -> None:
    masked = case(provider="own", algorithm="ascon-128", variant="masked64", input_kind="", length_bytes=16,
                  operation="encrypt", key_setup="apart", shares=3, masking="full", generator="chacha20")  # fmt: skip
    (entry,) = narrow(document(LATENCY, MASKED), masked)["matrix"]
    assert entry["masking"] == {"shares": [3], "degrees": ["full"], "generators": ["chacha20"]}


def test_same_case_with_several_toolchains_is_one_entry() -> None:
    found = narrow(document(PROCESS, toolchains=[{"optimization": ["O2", "O3"]}]), case(), case(toolchain="gcc -O3"))
    assert len(found["matrix"]) == 1
    assert found["toolchains"] == [{"optimization": ["O2", "O3"]}]


def test_more_cases_than_entries_and_cases_of_no_entry_keep_the_whole_matrix() -> None:
    kinds = ("random", "audio", "video", "text")
    sizes = {"sizes": list(range(1, 1 + MAX_ENTRIES))}
    plan = document(PROCESS | {"inputs": sizes})
    many = [case(input_kind=kind, length_bytes=size) for kind in kinds for size in sizes["sizes"]]
    assert narrow(plan, *many)["matrix"] == plan["matrix"]
    assert narrow(plan, case(algorithm="des"))["matrix"] == plan["matrix"]


def test_long_name_stays_valid() -> None:
    assert narrow(document(PROCESS, name="a" * 64), case())["name"] == "a" * 56 + "-confirm"
