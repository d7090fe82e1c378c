import os

import pytest

from orchestrator.errors import SetupError
from orchestrator.measurement.affinity import choose_measured_core


class TestChooseMeasuredCore:
    def test_the_highest_core_is_the_default(self) -> None:
        assert choose_measured_core(None) == max(os.sched_getaffinity(0))

    def test_a_core_that_is_not_there_is_refused_with_those_that_are(self) -> None:
        with pytest.raises(SetupError, match="Core 4095") as caught:
            choose_measured_core(4095)
        assert "CIPHERMARK_MEASURED_CORE" in str(caught.value)
