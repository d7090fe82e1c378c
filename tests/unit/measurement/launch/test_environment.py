from random import Random

from orchestrator.measurement.launch.environment import MAX_PADDING_BYTES, draw_environment


class TestDrawEnvironment:
    def test_padding_has_the_reported_length(self) -> None:
        environment = draw_environment(Random(1))

        assert len(environment.variables["CIPHERMARK_PADDING"]) == environment.padding_bytes

    def test_lengths_cover_a_page(self) -> None:
        random = Random(2)
        lengths = {draw_environment(random).padding_bytes for _ in range(500)}

        assert len(lengths) > 400
        assert 0 <= min(lengths) < 100
        assert MAX_PADDING_BYTES - 100 < max(lengths) < MAX_PADDING_BYTES

    def test_environment_of_the_daemon_is_not_inherited(self) -> None:
        assert set(draw_environment(Random(3)).variables) == {"LC_ALL", "CIPHERMARK_PADDING"}
