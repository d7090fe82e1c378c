"""The complete system, encrypted: one for all tests that leave it as they found it, and one build cache for all."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.cli.supervisor.ports import address_for_others
from orchestrator.shared.settings import CommonSettings
from tests.support.authority import Authority
from tests.support.paths import FIXTURES
from tests.support.system import System, a_plan

EVERYWHERE = "0.0.0.0"
SEED = 7
"""Of the shared run."""
TWO_WATTS = FIXTURES / "programs" / "two_watts.py"


@pytest.fixture(scope="session")
def cache_folder() -> Path:
    """Use the cache filled by `ciphermark runners build`; the build key detects outdated builds."""
    return CommonSettings().cache_folder


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="package")
def system(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path, authority: Authority) -> Iterator[System]:
    """`ciphermark up` on the network, with a meter; it ends with these tests, because it works until its end."""
    meter = shlex.join([sys.executable, "-S", str(TWO_WATTS)])
    pair = authority.sign("service", address_for_others(EVERYWHERE))
    encryption = {"host": EVERYWHERE, "tls_certificate": str(pair.certificate), "tls_key": str(pair.key)}
    with System(tmp_path_factory.mktemp("data"), cache_folder, meter_command=meter, **encryption) as running:
        yield running


@pytest.fixture(scope="package")
def run_id(system: System) -> str:
    """Return the finished run of 36 executions that all files share."""
    run_id = system.submit(a_plan(seed=SEED))
    assert system.wait_for_run(run_id)["state"] == "finished"
    return run_id
