from collections.abc import Sequence

import pytest

from orchestrator.cli.adhoc.command_lines import GivenCommand
from orchestrator.cli.adhoc.expansion import Expanded, Given, expand
from orchestrator.cli.adhoc.parameters import Parameter
from orchestrator.shared.errors import InvalidRequest

N = Parameter("n", ("1", "2"))


def commands(*texts: str) -> list[GivenCommand]:
    return [GivenCommand(text) for text in texts]


def names(programs: Sequence[Expanded]) -> list[str]:
    return [program.name for program in programs]


class TestPrograms:
    def test_each_combination_is_a_program_with_its_values(self) -> None:
        found = expand(Given(commands("sleep {n}", "true"), parameters=[N]))

        assert [one.line.words[1:] for one in found] == [("1",), ("2",), ()]
        assert [one.values for one in found] == [{"n": "1"}, {"n": "2"}, {}]
        assert names(found) == ["sleep 1", "sleep 2", "true"]

    def test_value_is_split_in_quotes_only_and_never_after_the_dashes(self) -> None:
        value = Parameter("v", ("a b",))

        assert expand(Given(commands("echo {v} '{v}'"), parameters=[value]))[0].line.words[1:] == ("a", "b", "a b")
        after = GivenCommand("echo {v}", ("echo", "{v}", ";"))
        assert expand(Given([after], parameters=[value]))[0].line.words[1:] == ("a b", ";")

    def test_parameter_of_a_hook_makes_programs_too(self) -> None:
        found = expand(Given(commands("true"), parameters=[N], hooks={"prepare": ["touch {n}"]}))

        assert [one.hooks.prepare and one.hooks.prepare.text for one in found] == ["touch 1", "touch 2"]
        assert names(found) == ["true (n = 1)", "true (n = 2)"]

    def test_unused_parameter_and_too_many_programs_are_refused(self) -> None:
        with pytest.raises(InvalidRequest, match="is in no program"):
            expand(Given(commands("true"), parameters=[N]))
        many = Parameter("m", tuple(map(str, range(600))))
        with pytest.raises(InvalidRequest, match="1200 programs"):
            expand(Given(commands("true {m}", "sleep {m}"), parameters=[many]))


class TestNames:
    def test_names_are_those_of_command_lines_or_of_combinations(self) -> None:
        two = commands("sleep {n}", "true")

        assert names(expand(Given(two, parameters=[N], names=["s {n}"]))) == ["s 1", "s 2", "true"]
        assert names(expand(Given(two, parameters=[N], names=["s", "t"]))) == ["s (n = 1)", "s (n = 2)", "t"]
        assert names(expand(Given(two, parameters=[N], names=["x", "y", "z"]))) == ["x", "y", "z"]
        with pytest.raises(InvalidRequest, match="4 names for 3 programs"):
            expand(Given(two, parameters=[N], names=["x", "y", "z", "u"]))

    def test_reference_comes_first_with_its_own_name(self) -> None:
        given = Given(commands("sleep 1", "true"), has_reference=True, names=["t"], reference_name="r")

        assert names(expand(given)) == ["r", "t"]
        assert names(expand(Given(commands("sleep 1", "true"), has_reference=True, names=["t"]))) == ["sleep 1", "t"]


class TestAround:
    def test_hook_is_one_for_all_or_one_for_each(self) -> None:
        two = commands("true", "false")

        def setups(texts: list[str]) -> list[str]:
            found = expand(Given(two, hooks={"setup": texts}))
            return [one.hooks.setup.text if one.hooks.setup else "" for one in found]

        assert setups([]) == ["", ""]
        assert setups(["sleep 1"]) == ["sleep 1", "sleep 1"]
        assert setups(["sleep 1", "sleep 2"]) == ["sleep 1", "sleep 2"]
        with pytest.raises(InvalidRequest, match="3 --setup for 2 programs"):
            setups(["true"] * 3)
