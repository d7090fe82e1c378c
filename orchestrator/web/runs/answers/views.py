"""Data of the pages that answer questions about one run."""

from orchestrator.results.answers.masking.schemas import MaskingAnswer
from orchestrator.results.answers.scaling.schemas import ScalingAnswer
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import RunAnswer
from orchestrator.results.traffic.schemas import TrafficAnswer
from orchestrator.web.runs.views import RunCard
from orchestrator.web.views import View


class AnswerPage(View):
    """Ranking: for each agent of a run."""

    run: RunCard
    answer: RunAnswer

    @property
    def protocols(self) -> set[str]:
        """Protocols of the run's measures."""
        return {MEASURES[measure].protocol for measure in self.answer.measures}


class ScalingPage(View):
    """Start-up and cost per byte of a run's candidates."""

    run: RunCard
    scaling: ScalingAnswer


class MaskingPage(View):
    """Overhead of masking, for one number of shares."""

    run: RunCard
    masking: MaskingAnswer


class TrafficPage(View):
    """Cost of a traffic with the candidates of a run."""

    run: RunCard
    traffic: TrafficAnswer | None
    """Null before a histogram is entered."""
