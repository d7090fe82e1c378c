"""Changes between the sides of a comparison, and the matching of their cases, without a database."""

import numpy as np
import pytest

from orchestrator.results.answers.readings import Candidate, Input
from orchestrator.results.comparisons.changes import (
    ComparedCompiler,
    MeasuredFigure,
    SideFacts,
    changes,
    compiler_name,
    same_compiler,
)
from orchestrator.results.comparisons.sides import MeasuredCase, match
from orchestrator.shared.errors import Conflict


def case(provider: str = "own", agent: str = "pi4", toolchain: str = "gcc -O2", length: int = 64) -> MeasuredCase:
    candidate = Candidate(f"id of {agent}", provider, "ascon-aead128", "ref", 1)
    return MeasuredCase(candidate, Input(length, "text", "a" * 64), np.ones(6), agent, toolchain)


def facts(**topics: dict[str, object]) -> SideFacts:
    found = SideFacts()
    for topic, values in topics.items():
        for subject, value in values.items():
            found.add(topic, subject, value)
    return found


class TestChanges:
    def test_they_are_ordered_by_relevance(self) -> None:
        first = facts(hashes={"runner": "1"}, kernel={"kernel": "6.1"}, plan={"repetitions": 6})
        other = facts(hashes={"runner": "2"}, kernel={"kernel": "6.6"}, plan={"repetitions": 8})
        assert [(one.topic, one.before, one.after) for one in changes(first, other)] == [
            ("plan", "6", "8"), ("kernel", "6.1", "6.6"), ("hashes", "1", "2"),
        ]  # fmt: skip

    def test_fact_of_one_side_only_is_a_change(self) -> None:
        (one,) = changes(facts(plan={"precision": 0.01}), facts())
        assert (one.before, one.after) == ("0.01", None)

    def test_prebuilt_programs_of_one_compiler_are_no_change_of_compiler_flags_and_sources(self) -> None:
        made = facts(
            compiler={"build": ComparedCompiler("g++ (Debian 12.2.0-14+deb12u1) 12.2.0"), "build, options": "gcc -O3"},
            flags={"build, own": "g++ -O3 -c x.cpp"}, sources={"build": "1" * 12}, hashes={"runner own": "2" * 12},
        )  # fmt: skip
        prebuilt = facts(
            compiler={"build": ComparedCompiler("GNU 12.2.0"), "build, options": "gcc -O2"},
            hashes={"runner own": "3" * 12},
        )
        assert [one.subject for one in changes(made, prebuilt)] == ["build, options", "runner own"]

    @pytest.mark.parametrize(("celsius", "differs"), [(52.9, False), (53.2, True)])
    def test_temperature_changes_by_more_than_its_tolerance(self, celsius: float, differs: bool) -> None:
        first, other = (facts(temperature={"mean": MeasuredFigure(one, f"{one} °C")}) for one in (50.0, celsius))
        assert bool(changes(first, other)) == differs

    def test_sensor_that_only_one_side_read_is_no_change(self) -> None:
        assert changes(facts(temperature={"mean": MeasuredFigure(50.0, "50 °C")}), facts()) == []

    def test_long_commands_are_reduced_to_the_words_that_differ(self) -> None:
        objects = " ".join(f"CMakeFiles/parts.dir/src/part{n}.cpp.o" for n in range(20))
        command = "/usr/bin/g++ -Wl,--gc-sections {} -o runner {} -lpthread"
        first, other = (
            facts(flags={"runner": command.format(objects, library)})
            for library in ("/usr/lib/libsodium.so", "/opt/s.a")
        )
        (one,) = changes(first, other)
        assert (one.before, one.after) == ("… /usr/lib/libsodium.so …", "… /opt/s.a …")

    @pytest.mark.parametrize(("after", "differs"), [("unknown: no cpu0/governor", False), ("good: performance", True)])
    def test_unknown_governor_of_another_core_is_no_change(self, after: str, differs: bool) -> None:
        first, other = (facts(governor={"check": text}) for text in ("unknown: no cpu1/governor", after))
        assert bool(changes(first, other)) == differs


class TestMatching:
    def test_property_in_which_the_sides_differ_as_a_whole_is_ignored(self) -> None:
        found = match([case(provider="own"), case(provider="own", length=128)], [case(provider="botan")])
        assert (found.crossed, len(found.pairs), found.only_first, found.only_other) == (["provider"], 1, 1, 0)

    def test_shared_property_must_be_equal(self) -> None:
        both = [case(agent="pi4"), case(agent="pi5")]
        found = match(both, both[::-1])
        assert [(one.agent, other.agent) for one, other in found.pairs] == [("pi4", "pi4"), ("pi5", "pi5")]

    def test_ambiguous_sides_are_refused_with_what_to_select(self) -> None:
        with pytest.raises(Conflict) as refusal:
            match([case(agent="pi4"), case(agent="pi5")], [case(agent="x86")])
        assert "share no agent: one has pi4, pi5, the other one x86" in str(refusal.value)
        assert "RUN,agent=pi4" in str(refusal.value.remedy)

    def test_values_with_most_common_cases_are_offered(self) -> None:
        first = [case(agent="pi4"), case(agent="pi5", length=128), case(agent="pi5", length=256)]
        other = [case(agent="x86", length=512), *(case(agent="x64", length=length) for length in (64, 128, 256))]
        with pytest.raises(Conflict) as refusal:
            match(first, other, ("one", "two"))
        assert refusal.value.remedy == "Select one of each: one,agent=pi5 and two,agent=x64."


DEBIAN = "g++ (Debian 12.2.0-14+deb12u1) 12.2.0"


@pytest.mark.parametrize(
    ("described", "name"),
    [
        (DEBIAN, "gcc 12.2.0"),
        ("GNU 12.2.0", "gcc 12.2.0"),
        ("g++-12 (Ubuntu 12.3.0-1ubuntu1~22.04) 12.3.0", "gcc 12.3.0"),
        ("Debian clang version 14.0.6", "clang 14.0.6"),
        ("Clang 14.0.6", "clang 14.0.6"),
        ("Intel(R) oneAPI DPC++/C++ Compiler 2024.0.2 (2024.0.2.20231213)", "icpx 2024.0.2"),
        ("IntelLLVM 2024.0.2", "icpx 2024.0.2"),
        ("Python 3.11.2", "Python 3.11.2"),
        ("", ""),
    ],
)
def test_one_compiler_has_one_name(described: str, name: str) -> None:
    assert compiler_name(described) == name


def test_revisions_differ_only_where_both_are_known() -> None:
    assert same_compiler(DEBIAN, "GNU 12.2.0")
    assert not same_compiler(DEBIAN, DEBIAN.replace("-14+", "-15+"))
    assert not same_compiler(DEBIAN, "GNU 12.3.0")
    assert not same_compiler("GNU 14.0.6", "Clang 14.0.6")
