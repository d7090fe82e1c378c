"""Install the units of service, scheduler, Redis and daemon under a real systemd, by the steps of their README.

    python3 -m scripts.roots.units

systemd boots in a Debian root (systemd-nspawn). The ``sh`` blocks of deploy/systemd/README.md are executed there, then
the command that ``agents invite`` printed. The trial succeeds if systemd accepts the units, the service is ready, the
daemon's heartbeat arrives, and the units come back after their processes were killed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.roots import host, markdown, root, trial
from scripts.roots.machines import TrialError, native
from scripts.roots.root import OpenRoot
from scripts.roots.steps import Steps, wait_for

PAGE = trial.REPOSITORY / "deploy/systemd/README.md"
PACKAGES = ("ca-certificates", "curl", "dbus", "hostname", "procps", "sudo", "systemd", "systemd-sysv")
UNITS = ("ciphermark-redis", "ciphermark-service", "ciphermark-scheduler", "ciphermark-daemon")
_BOOT_SECONDS = 60.0
_READY_SECONDS = 300.0
_PORT = 18451


@contextmanager
def booted(folder: Path, log: Path) -> Iterator[OpenRoot]:
    """Boot systemd in a root; at the end it is shut down, with everything that it started."""
    host.name(folder, "server")
    command = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot", "--console=pipe", "-D"]
    with log.open("wb") as output:
        nspawn = subprocess.Popen(
            [*command, str(folder)], stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        init = wait_for(lambda: _first_process(nspawn), _BOOT_SECONDS, f"systemd's start ({log})")
        # The mount namespace's own root folder is the Debian root.
        opened = OpenRoot(Path("/"), init, host.inherited(os.environ), user_namespace=False)
        wait_for(lambda: _is_booted(opened), _BOOT_SECONDS, f"the end of the boot ({log})")
        yield opened
    finally:
        nspawn.terminate()
        try:
            nspawn.wait(90)
        except subprocess.TimeoutExpired:
            nspawn.terminate()  # a second SIGTERM ends the container immediately
            nspawn.wait(60)


def install(steps: Steps) -> None:
    """Install the server and a daemon in one root by the README; raises TrialError at the first failure."""
    machine = native()
    with steps.step("(preparation) a Debian root with systemd, made or reused") as log:
        pristine = root.made(machine, PACKAGES, trial.folder(), log)
        folder = root.copied(pristine, "units")
        trial.place(folder)
    with booted(folder, steps.folder / "boot.log") as opened:
        with steps.step("(preparation) current package lists") as log:
            opened.refresh_lists(log)
        try:
            _install_server(opened, steps)
            _join(opened, steps)
            _verify(opened, steps)
        except TrialError:
            print(opened.output(f"journalctl --no-pager -n 60 {' '.join(f'-u {unit}' for unit in UNITS)}; true"))
            raise
    root.remove(folder)


def _install_server(opened: OpenRoot, steps: Steps) -> None:
    place = ""
    for command in markdown.below(PAGE, "The server")[0].commands:
        typed = command.replace(trial.PLACEHOLDER, trial.INSIDE)
        if "install-server.sh" in command:
            typed += f" --port {_PORT}"  # this machine's network is shared, where a service may run already
        with steps.step(markdown.without_comment(command)) as log:
            opened.run(typed, log, folder=place)
            if command.startswith("cd "):
                place = command.removeprefix("cd ").strip()
            if "install-server.sh" in command:
                wait_for(lambda: _is_ready(opened), _READY_SECONDS, "the service's readiness")


def _join(opened: OpenRoot, steps: Steps) -> None:
    invitation = ""
    for command in markdown.below(PAGE, "The server")[1].commands:
        with steps.step(markdown.without_comment(command)) as log:
            opened.run(command, log)
            if "agents invite" in command:
                invitation = trial.joining(log.read_text(encoding="utf-8"))
    with steps.step("the line that agents invite printed") as log:
        opened.run(invitation, log, folder="/root")
    with steps.step("until the daemon's heartbeat arrives"):
        wait_for(lambda: _agent(opened)["liveness"] == "live", _READY_SECONDS, "the daemon's heartbeat")
    agent = _agent(opened)
    print(f"  agent {agent['name']}: {agent['liveness']}, {agent['state']}, {agent['activity'] or 'idle'}")


def _verify(opened: OpenRoot, steps: Steps) -> None:
    with steps.step("systemd-analyze verify on the installed units") as log:
        opened.run(f"systemd-analyze verify {' '.join(f'{unit}.service' for unit in UNITS)}", log)
        remarks = [line for line in log.read_text(encoding="utf-8").splitlines() if "ciphermark" in line]
        if remarks:
            raise TrialError("\n".join(remarks))
    with steps.step("every unit comes back after kill -9"):
        before = {unit: _main_process(opened, unit) for unit in UNITS}
        opened.output(f"kill -9 {' '.join(before.values())}")
        wait_for(
            lambda: all(_main_process(opened, unit) not in ("0", old) for unit, old in before.items()),
            _READY_SECONDS,
            "new processes of the units",
        )
        wait_for(lambda: _is_ready(opened), _READY_SECONDS, "the service's readiness")
    for unit in UNITS:
        facts = opened.output(f"systemctl show {unit} -p ActiveState,NRestarts,User,SupplementaryGroups")
        print(f"  {unit}: {', '.join(facts.split())}")
    print(opened.output("ls -ld /etc/ciphermark/* /var/lib/ciphermark* /var/cache/ciphermark* /run/ciphermark-server"))
    groups = opened.output(f"grep ^Groups: /proc/{_main_process(opened, 'ciphermark-daemon')}/status")
    video = opened.output("getent group video | cut -d: -f3").strip()
    if video not in groups.split():
        raise TrialError(f"The daemon is not in the group video ({video}): {groups}")


def _first_process(nspawn: "subprocess.Popen[bytes]") -> int:
    """Return the process id of the root's systemd, or 0 while there is none."""
    if nspawn.poll() is not None:
        raise TrialError(f"systemd-nspawn ended with exit code {nspawn.returncode}.")
    children = Path(f"/proc/{nspawn.pid}/task/{nspawn.pid}/children").read_text(encoding="utf-8").split()
    for child in children:
        if Path(f"/proc/{child}/exe").readlink().name == "systemd":
            return int(child)
    return 0


def _is_booted(opened: OpenRoot) -> bool:
    state = opened.output("systemctl is-system-running 2>&1; true")
    return state.strip() in {"running", "degraded"}


def _is_ready(opened: OpenRoot) -> bool:
    document = opened.output("/usr/local/sbin/ciphermark-server agents list --json >/dev/null 2>&1 && echo ready; true")
    return document.strip() == "ready"


def _agent(opened: OpenRoot) -> dict[str, Any]:
    document = json.loads(opened.output("/usr/local/sbin/ciphermark-server agents list --json"))
    if len(document) != 1:
        raise TrialError(f"{len(document)} agents are enrolled, expected 1.")
    return dict(document[0])


def _main_process(opened: OpenRoot, unit: str) -> str:
    return opened.output(f"systemctl show {unit} -p MainPID --value").strip()


def main() -> int:
    """Execute the trial."""
    trial.become_root("units")
    return trial.conclude(install, Steps("units under systemd", trial.logs("units")))


if __name__ == "__main__":
    sys.exit(main())
