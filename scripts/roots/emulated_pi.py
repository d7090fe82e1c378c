"""Execute the README's steps for a Raspberry Pi in Debian roots of its architectures, under emulation.

    python -m scripts.roots.emulated_pi [arm64|armhf …]

This machine is the server and the first agent. The commands are read from README.md: those for the server are executed
here, and the line that ``agents invite`` prints is executed in the root, by a user with sudo. The trial succeeds if the
emulated agent passes its known answers, a run of both agents finishes, and only the agent of this machine is ranked.
"""

import argparse
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from scripts.roots import markdown, root, trial
from scripts.roots.local_service import LocalService
from scripts.roots.machines import MACHINES, Machine, TrialError
from scripts.roots.root import OpenRoot
from scripts.roots.steps import Steps, wait_for

DEVICES = ("arm64", "armhf")
PLAN = """\
version: 1
name: emulated-pi
repetitions: 6
timeout_seconds: 120

matrix:
  - providers: [own, cryptopp, botan]
    algorithms: [aes-128-ctr, chacha20-256]
    inputs: {kinds: [text], sizes: [16 KiB]}
"""
"""Small, because an emulated processor is slow."""
USER = "pi"
_READY_SECONDS = 1800.0
_DAEMON = r"\bdaemon start\b"
_MIB = 1024 * 1024


def execute(machine: Machine, steps: Steps) -> None:
    """Join an emulated device, measure a run on it and on this machine, and verify the answer."""
    print(f"== {machine.architecture}")
    with steps.step("(preparation) a Debian root, made or reused") as log:
        pristine = root.made(machine, root.DEVICE_PACKAGES, trial.folder(), log)
        folder = root.copied(pristine, f"pi-{machine.architecture}")
        data = trial.folder() / f"trial-data-{machine.architecture}"
        shutil.rmtree(data, ignore_errors=True)
    service = LocalService(data)
    section = markdown.below(trial.REPOSITORY / "README.md", "Raspberry Pi")
    commands = [command for block in section for command in block.commands]
    (start,) = (number for number, command in enumerate(commands) if markdown.keeps_running(command))
    with root.opened(folder, machine, "raspberrypi") as device:
        with steps.step("(preparation) current package lists, and the user pi") as log:
            device.refresh_lists(log)
            device.run(
                f"useradd --create-home --shell /bin/bash {USER}"
                f" && echo '{USER} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{USER}",
                log.with_suffix(".user.log"),
            )
        for command in commands[:start]:
            with steps.step(markdown.without_comment(command)) as log:
                service.output(command, log)
        with _server(service, commands[start], steps):
            invitation = _invitation(service, commands[start + 1 :], steps)
            _join(service, device, invitation, steps)
            _measure(service, device, steps)
    root.remove(folder)
    shutil.rmtree(data)


@contextmanager
def _server(service: LocalService, command: str, steps: Steps) -> Iterator[None]:
    """Execute the command that starts the service until it printed the address, and end it as a reader would."""
    running = service.running(command, steps.folder / "up.log")
    with ExitStack() as stack:
        with steps.step(markdown.without_comment(command)):
            stack.enter_context(running)
        yield
        with steps.step("Ctrl-C"):
            stack.close()


def _invitation(service: LocalService, commands: list[str], steps: Steps) -> str:
    """Execute the README's other commands for the server, and return the line for the device with its code."""
    printed = ""
    for command in commands:
        with steps.step(markdown.without_comment(command)) as log:
            printed += service.output(command, log)
    return trial.joining(printed)


def _join(service: LocalService, device: OpenRoot, invitation: str, steps: Steps) -> None:
    with steps.step("on the Pi: the line that agents invite printed") as log:
        device.run(invitation, log, user=USER)
    with steps.step("until the Pi is ready: runners taken, every known answer passed"):
        agent = wait_for(lambda: _ready(service), _READY_SECONDS, "a ready emulated agent")
    if not agent["emulated"]:
        raise TrialError(f"{agent['name']} is not marked as emulated.")
    for build in service.json(f"agents show {agent['id']}")["builds"]:
        print(
            f"  build {build.get('toolchain_words')}: {build['proofs_passed']} known answers passed, "
            f"{build['proofs_failed']} failed"
        )
        # Failures that the cross-build found and names in its manifest: these implementations are never measured.
        announced = (build["cross_built"] or {}).get("known_answers_failed", [])
        for line in announced:
            print(f"    failed, as the manifest of the cross-build names it: {line}")
        if build["proofs_failed"] != len(announced) or not build["proofs_passed"]:
            raise TrialError(f"Known answers failed that passed where the build was made: {build}")
    print(f"  daemon, idle: {_memory(device) / _MIB:.1f} MiB PSS, with the emulator")


def _measure(service: LocalService, device: OpenRoot, steps: Steps) -> None:
    with steps.step("until the agent of this machine is ready, too"):
        wait_for(lambda: _all_ready(service), _READY_SECONDS, "two ready agents")
    agents = " ".join(f"--agent {agent['id']}" for agent in service.json("agents list"))
    plan = steps.folder / "plan.yaml"
    plan.write_text(PLAN, encoding="utf-8")
    largest = _Largest(device)
    with steps.step("submit a plan for both agents, until it is finished") as log, largest:
        service.output(f".venv/bin/ciphermark submit {plan} {agents} --watch", log)
    print(root.tail(log, 40))
    print(f"  daemon, during the run: at most {largest.bytes / _MIB:.1f} MiB PSS, with the emulator")
    with steps.step("the answer and the page"):
        run = service.json("runs show latest")
        _verify_answer(service.json("runs answer latest"))
        run_id = (run.get("run") or run)["id"]
        page = service.page(f"/runs/{run_id}")
        if "emulated" not in page:
            raise TrialError(f"The page /runs/{run_id} does not mark the emulated agent.")
        print(f"  page /runs/{run_id}: {len(page)} characters, with the mark 'emulated'")


def _verify_answer(answer: dict[str, Any]) -> None:
    tables = {table["emulated"]: table for table in answer["agents"]}
    if set(tables) != {False, True}:
        raise TrialError(f"The answer has tables of {len(answer['agents'])} agents, expected both.")
    ranks = {emulated: [row["rank"] for row in table["rows"]] for emulated, table in tables.items()}
    for emulated, table in tables.items():
        print(f"  {table['agent_name']} (emulated: {emulated}): ranks {ranks[emulated]}; {table['sentence']}")
    if any(rank is not None for rank in ranks[True]):
        raise TrialError("The emulated agent is ranked.")
    if not ranks[False] or None in ranks[False]:
        raise TrialError("The agent of this machine is not ranked.")


def _ready(service: LocalService) -> dict[str, Any] | None:
    for agent in service.json("agents list"):
        if agent["emulated"] and agent["state"] in {"ready", "executing"} and agent["liveness"] == "live":
            return dict(agent)
        if agent["emulated"] and agent["state"] == "refusing":
            raise TrialError(f"The emulated agent cannot measure: {agent['activity']}")
    return None


def _all_ready(service: LocalService) -> bool:
    agents = service.json("agents list")
    return len(agents) == 2 and all(agent["state"] in {"ready", "executing"} for agent in agents)


def pss_bytes(init: int, pattern: str) -> dict[str, int]:
    """Return the proportional set size of each process in the namespaces of `init` whose command line matches.

    Under emulation it includes the emulator's own memory: its code, translated blocks and tables.
    """
    space = Path(f"/proc/{init}/ns/pid").readlink()
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "ns/pid").readlink() != space:
                continue
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            rollup = (process / "smaps_rollup").read_text(encoding="utf-8")
        except OSError:  # it ended while it was read
            continue
        kib = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
        if kib and re.search(pattern, words):
            found[f"{process.name} {words}"] = int(kib.group(1)) * 1024
    return found


def _memory(device: OpenRoot) -> int:
    """Return the PSS of the daemon's processes, bytes."""
    return sum(pss_bytes(device.init, _DAEMON).values())


class _Largest:
    """The largest PSS of the daemon while this context is open."""

    def __init__(self, device: OpenRoot) -> None:
        self.bytes = 0
        self._device = device
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self) -> None:
        while not self._ended.wait(0.5):
            self.bytes = max(self.bytes, _memory(self._device))

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()


def main() -> int:
    """Execute the trial for the architectures of the command line, by default for both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("machine", nargs="*", help=f"{' or '.join(DEVICES)}; default: both")
    names = parser.parse_args().machine or DEVICES
    for name in names:
        if name not in DEVICES:
            parser.error(f"'{name}' is not an architecture of a Raspberry Pi; expected {' or '.join(DEVICES)}")
    trial.become_root("emulated_pi")
    code = 0
    for name in names:
        steps = Steps(f"an emulated Raspberry Pi ({name})", trial.logs(f"pi-{name}"))
        code |= trial.conclude(partial(execute, MACHINES[name]), steps)
    return code


if __name__ == "__main__":
    sys.exit(main())
