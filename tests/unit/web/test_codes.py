from itertools import combinations

import pytest

from orchestrator.shared.values.palette import COLORS
from orchestrator.web.codes import PROVIDERS, provider_code
from orchestrator.wire.languages.all_languages import LANGUAGES
from tests.support.colors import contrast, difference, smallest_difference
from tests.support.paths import REPOSITORY

EQUAL_SHAPES = 13.0
ALL_COLORS = 10.0
"""Smallest differences (CIEDE2000) under normal vision, protanopia, deuteranopia and tritanopia; 2.3 is just
noticeable next to each other."""


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Table 1 of Sharma, Wu and Dalal, pairs 1, 7, 13, 17, 20 and 25.
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, -0.001, 2.49), (50.0, 0.0009, -2.49), 4.8045),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0), 19.4535),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ],
)
def test_differences_are_those_of_the_publication(
    first: tuple[float, float, float], second: tuple[float, float, float], expected: float
) -> None:
    assert difference(first, second) == pytest.approx(expected, abs=5e-5)


def test_every_provider_of_the_repository_has_a_place() -> None:
    table = (REPOSITORY / "runners/src/baselines/libraries.txt").read_text().splitlines()
    libraries = {line.split()[0] for line in table if line and not line.startswith("#")}
    assert {"own", *libraries, *(language.provider for language in LANGUAGES)} == set(PROVIDERS)


def test_providers_differ_in_color_or_shape() -> None:
    # Nettle's and our own green once differed by 4, wolfSSL's and BearSSL's brown by 0.3 under deuteranopia.
    assert len({provider_code(name) for name in PROVIDERS}) == len(PROVIDERS)


def test_colors_of_providers_with_equal_shapes_differ_for_every_vision() -> None:
    codes = {name: provider_code(name) for name in PROVIDERS}
    found = {
        (first, second): smallest_difference(codes[first].color, codes[second].color)
        for first, second in combinations(PROVIDERS, 2)
        if codes[first].shape == codes[second].shape
    }
    assert {pair: value for pair, value in found.items() if value < EQUAL_SHAPES} == {}
    assert len(found) == 18


def test_all_colors_differ_for_every_vision() -> None:
    assert min(smallest_difference(first, second) for first, second in combinations(COLORS, 2)) > ALL_COLORS


def test_colors_are_visible_on_light_and_dark_cards() -> None:
    assert min(contrast(color, card) for color in COLORS for card in ("#ffffff", "#191f27")) > 2.2


def test_unlisted_provider_has_a_code_that_no_listed_one_has() -> None:
    listed = {provider_code(name) for name in PROVIDERS}
    found = {provider_code(f"library-{number}") for number in range(200)}
    assert not found & listed
    assert provider_code("library-1") == provider_code("library-1")
    assert len(found) > 20
