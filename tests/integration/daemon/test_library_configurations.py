"""Libraries in other configurations than the distribution's: what they lack is an omission, not a failed build."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.native.build import build
from orchestrator.compilation.native.cmake import OnlyLibrary
from orchestrator.compilation.native.libraries import TABLE
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.shared.errors import BuildFailed
from orchestrator.wire.builds import BuildLibrary, Toolchain
from tests.support.compiler_cache import compiled_before
from tests.support.paths import FIXTURES, REPOSITORY

SILENT = BuildObserver(lambda _: None)
INCLUDE = Path("/usr/include")


def object_file(name: str) -> Path:
    """Return the distribution's shared object of a library, and skip the test where it is not installed."""
    found = sorted(Path("/usr/lib").glob(f"*-linux-*/lib{name}.so"))
    if not found:
        pytest.skip(f"lib{name} is not installed here: make libraries")
    return found[0]


def make_prefix(folder: Path, headers: str, name: str) -> Path:
    """Return a prefix with a copy of the distribution's headers and its object."""
    library = object_file(name)
    shutil.copytree(INCLUDE / headers, folder / "include" / headers)
    (folder / "lib").mkdir()
    shutil.copy(library.resolve(), folder / "lib" / library.resolve().name)
    soname = subprocess.run(["objdump", "-p", str(library)], capture_output=True, text=True, check=True).stdout
    real = soname.split("SONAME")[1].split()[0]
    if not (folder / "lib" / real).exists():
        (folder / "lib" / real).symlink_to(library.resolve().name)
    (folder / "lib" / library.name).symlink_to(real)
    return folder


def made(provider: str, version: str, prefix: Path, cache: Path) -> InstalledBuild:
    toolchain = Toolchain(library=BuildLibrary(provider=provider, version=version))
    library = OnlyLibrary(provider, version, prefix, next((prefix / "lib").glob("*.so")))
    with compiled_before():  # what is common to all runners; their own files include the changed headers
        return build(REPOSITORY / "runners", toolchain, cache, SILENT, library)


def remove_lines(path: Path, *names: str) -> None:
    lines = path.read_text(encoding="latin-1").splitlines()
    kept = [line for line in lines if not (line.startswith("#define") and line.split()[1] in names)]
    path.write_text("\n".join([*kept, ""]), encoding="latin-1")


def reduce_mbedtls(prefix: Path) -> None:
    config = prefix / "include/mbedtls/config.h"  # version 2; mbedtls_config.h in version 3
    config = config if config.is_file() else config.with_name("mbedtls_config.h")
    remove_lines(config, "MBEDTLS_CHACHAPOLY_C", "MBEDTLS_CIPHER_MODE_OFB")


def reduce_wolfssl(prefix: Path) -> None:
    remove_lines(prefix / "include/wolfssl/options.h", "HAVE_POLY1305", "WOLFSSL_AES_OFB")


@pytest.mark.long
@pytest.mark.parametrize(
    ("provider", "name", "reduce", "macros"),
    [
        ("mbedtls", "mbedcrypto", reduce_mbedtls, ("MBEDTLS_CHACHAPOLY_C", "MBEDTLS_CIPHER_MODE_OFB")),
        ("wolfssl", "wolfssl", reduce_wolfssl, ("HAVE_POLY1305", "WOLFSSL_AES_OFB")),
    ],
)
def test_missing_feature_is_an_absence_with_its_option(
    tmp_path: Path, provider: str, name: str, reduce: Callable[[Path], None], macros: tuple[str, str]
) -> None:
    prefix = make_prefix(tmp_path / "prefix", provider, name)
    if provider == "mbedtls" and (INCLUDE / "psa").is_dir():
        shutil.copytree(INCLUDE / "psa", prefix / "include/psa")
    reduce(prefix)
    version = distribution_version(provider, prefix)

    found = made(provider, version, prefix, tmp_path / "cache")

    (runner,) = found.report.runners
    assert Path(runner.library_path or "").is_relative_to(prefix.resolve())
    rows = {row.algorithm: row for row in runner.listing.implementations}
    for algorithm, macro in zip(("chacha20-poly1305", "aes-128-ofb"), macros, strict=True):
        assert (rows[algorithm].variant, rows[algorithm].available) == (None, False)
        assert macro in (rows[algorithm].reason or "")
    assert rows["aes-128-cbc"].available
    assert rows["chacha20-ietf"].available


def distribution_version(provider: str, prefix: Path) -> str:
    """Return the version in the headers."""
    path, macro = {
        "mbedtls": ("mbedtls/version.h", "MBEDTLS_VERSION_STRING "),
        "wolfssl": ("wolfssl/version.h", "LIBWOLFSSL_VERSION_STRING "),
    }[provider]
    texts = [(prefix / "include" / path).read_text(), *(one.read_text() for one in prefix.rglob("build_info.h"))]
    lines = [line for text in texts for line in text.splitlines() if f"define {macro}" in line]
    return lines[0].split('"')[1]


@pytest.mark.long
def test_headers_of_another_version_are_a_failed_build_with_both(tmp_path: Path) -> None:
    prefix = make_prefix(tmp_path / "prefix", "wolfssl", "wolfssl")
    version = prefix / "include/wolfssl/version.h"
    version.write_text(version.read_text().replace(distribution_version("wolfssl", prefix), "99.1.0"))

    with pytest.raises(BuildFailed, match=r"runner of wolfssl 99\.1\.0 loads version"):
        made("wolfssl", "99.1.0", prefix, tmp_path / "cache")


def test_runner_that_does_not_compile_costs_no_other_runner(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(FIXTURES / "small-runners", source)
    (source / "src/baselines").mkdir()
    (source / TABLE).write_text("wolfssl wolfssl/options.h wolfssl libwolfssl-dev wolfssl GPL-3.0-or-later libraries\n")
    (source / "src/wolfssl.cpp").write_text("#error no AES in this build\n")
    with (source / "CMakeLists.txt").open("a") as file:
        file.write("add_executable(ciphermark-wolfssl src/wolfssl.cpp)\n")

    found = build(source, Toolchain(), tmp_path / "cache", SILENT)

    assert [runner.provider for runner in found.report.runners] == ["own"]
    assert "does not compile with this version of the library" in found.report.missing_providers["wolfssl"]
    assert "no AES in this build" in found.report.missing_providers["wolfssl"]
    library = OnlyLibrary("wolfssl", "5")
    toolchain = Toolchain(library=BuildLibrary(provider="wolfssl", version="5"))
    with pytest.raises(BuildFailed, match="wolfssl 5: its runner does not compile with this version of the library"):
        build(source, toolchain, tmp_path / "cache", SILENT, library)
