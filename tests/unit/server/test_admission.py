"""Work beyond the slots is refused immediately, with a pause."""

import pytest

from orchestrator.errors import Overloaded
from orchestrator.server.admission import WorkSlots


class TestWorkSlots:
    def test_second_piece_of_work_is_refused_with_a_pause(self) -> None:
        slots = WorkSlots(1, 0.01, 7, "plans")
        with slots.taken(), pytest.raises(Overloaded, match="busy with other plans") as refusal, slots.taken():
            pass
        assert refusal.value.facts == {"retry_after_seconds": 7}

    def test_slot_is_free_after_an_error(self) -> None:
        slots = WorkSlots(1, 0.01, 7, "plans")
        with pytest.raises(ValueError, match="planned"), slots.taken():
            raise ValueError("planned")
        with slots.taken():
            pass
