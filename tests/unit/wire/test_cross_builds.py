"""Manifests and offers of cross-built runners: limits, tolerance of newer services, and the key of the build."""

import pytest
from pydantic import ValidationError

from orchestrator.wire.builds import Toolchain, build_words
from orchestrator.wire.cross_builds import MAX_ARCHIVE_BYTES, CrossBuildManifest, CrossBuildOffer, CrossBuildOffers
from tests.support.cross_builds import FILES, archive, manifest, offer


class TestManifest:
    @pytest.mark.parametrize("name", ["../ciphermark-own", "/ciphermark-own", "sub/ciphermark-own", "own", "a\nb", ""])
    def test_names_with_folders_and_foreign_names_are_rejected(self, name: str) -> None:
        with pytest.raises(ValidationError, match="name"):
            manifest(FILES | {name: b"x"})

    def test_a_file_listed_twice_is_rejected(self) -> None:
        document = manifest().model_dump()
        document["files"].append(document["files"][0])

        with pytest.raises(ValidationError, match="twice"):
            CrossBuildManifest.model_validate(document)

    def test_files_that_are_too_large_together_are_rejected(self) -> None:
        document = manifest().model_dump()
        for file in document["files"]:
            file["size_bytes"] = MAX_ARCHIVE_BYTES // 2

        with pytest.raises(ValidationError, match="at most"):
            CrossBuildManifest.model_validate(document)

    def test_an_archive_beyond_the_limit_is_rejected(self) -> None:
        document = offer("armhf", archive(), manifest()).model_dump() | {"size_bytes": MAX_ARCHIVE_BYTES + 1}

        with pytest.raises(ValidationError, match="size_bytes"):
            CrossBuildOffer.model_validate(document)

    def test_fields_of_a_newer_service_are_ignored(self) -> None:
        document = offer("armhf", archive(), manifest()).model_dump()
        document["signature"] = document["manifest"]["origin"]["signature"] = "later"

        assert CrossBuildOffers.model_validate({"offers": [document], "kind": "later"}).offers[0].path


class TestBuildKey:
    def test_equal_programs_have_equal_keys_whenever_and_wherever_they_were_made(self) -> None:
        assert manifest(host_name="a", emulator=None).build_key == manifest(host_name="b").build_key

    @pytest.mark.parametrize(
        "other",
        [
            manifest(FILES | {"ciphermark-own": b"changed"}),
            manifest(source_sha256="6" * 64),
            manifest(compiler_version="g++ 14"),
            manifest(packages=[]),
            manifest(machine="aarch64"),
        ],
    )
    def test_other_files_sources_compilers_and_packages_have_other_keys(self, other: CrossBuildManifest) -> None:
        assert other.build_key != manifest().build_key


def test_origin_names_host_time_and_compiler() -> None:
    words = manifest().origin.words

    assert words == "cross-built on box at 2026-11-22 08:30 UTC by arm-linux-gnueabihf-g++ (Debian 12.2.0-14) 12.2.0"


def test_label_of_a_build_distinguishes_a_cross_build_from_one_of_the_same_toolchain() -> None:
    toolchain = Toolchain(link="static").model_dump(mode="json")

    assert build_words(toolchain, None) == "gcc -O2 static"
    assert build_words(toolchain, manifest().origin.model_dump(mode="json")) == "gcc -O2 static cross-built"
