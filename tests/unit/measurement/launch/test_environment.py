from random import Random

from orchestrator.measurement.launch.environment import MAXIMUM_PADDING_BYTES, draw_environment


class TestDrawEnvironment:
    def test_the_padding_is_as_long_as_it_says(self) -> None:
        environment = draw_environment(Random(1))

        assert len(environment.variables["CIPHERMARK_PADDING"]) == environment.padding_bytes

    def test_lengths_spread_over_a_page(self) -> None:
        random = Random(2)
        lengths = {draw_environment(random).padding_bytes for _ in range(500)}

        assert len(lengths) > 400
        assert 0 <= min(lengths) < 100
        assert MAXIMUM_PADDING_BYTES - 100 < max(lengths) < MAXIMUM_PADDING_BYTES

    def test_nothing_of_the_daemons_own_environment_is_passed_on(self) -> None:
        assert set(draw_environment(Random(3)).variables) == {"LC_ALL", "CIPHERMARK_PADDING"}
