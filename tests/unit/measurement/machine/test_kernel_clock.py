from orchestrator.measurement.machine.kernel_clock import read_kernel_clock


class TestReadKernelClock:
    def test_this_machine_has_a_clock_state(self) -> None:
        clock = read_kernel_clock()

        assert clock is not None
        assert abs(clock.frequency_ppm) <= 500  # The kernel's own limit.
        assert clock.wall_minus_boot_ns > 0
