from orchestrator.measurement.kernel_clock import read_kernel_clock, wall_minus_boot_ns


class TestReadKernelClock:
    def test_this_machine_tells(self) -> None:
        clock = read_kernel_clock()

        assert clock is not None
        assert abs(clock.frequency_ppm) <= 500  # The kernel's own limit.
        assert clock.wall_minus_boot_ns > 0

    def test_the_difference_of_the_clocks_does_not_run(self) -> None:
        """It is the moment of boot: only a step of the wall clock may change it."""
        assert abs(wall_minus_boot_ns() - wall_minus_boot_ns()) < 1_000_000_000
