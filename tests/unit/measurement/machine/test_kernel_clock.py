from orchestrator.measurement.machine.kernel_clock import read_kernel_clock


class TestReadKernelClock:
    def test_this_machine_has_a_clock_state(self) -> None:
        clock = read_kernel_clock()

        assert clock is not None
        assert abs(clock.frequency_ppm) <= 500  # The kernel's own limit.
        assert clock.wall_minus_boot_ns > 0

    def test_difference_of_the_clocks_is_constant(self) -> None:
        """The difference is the time of boot; only a jump of the wall clock changes it."""
        first, second = read_kernel_clock(), read_kernel_clock()
        assert first is not None
        assert second is not None
        assert abs(first.wall_minus_boot_ns - second.wall_minus_boot_ns) < 1_000_000_000
