"""A Debian root: made once by debootstrap, copied for a trial, and entered through namespaces of its own."""

import fcntl
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scripts.roots import host
from scripts.roots.machines import Machine, TrialError

_OPEN = Path(__file__).with_name("open.sh")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Debian's own, except on a device: Raspberry Pi OS comes with these.
NATIVE_PACKAGES = ("ca-certificates",)
DEVICE_PACKAGES = ("ca-certificates", "curl", "python3", "sudo")


@dataclass(frozen=True)
class Mount:
    """A folder of this machine in a root, read-only."""

    source: Path
    target: str

    def __str__(self) -> str:
        return f"{self.source}:{self.target}"


@dataclass
class OpenRoot:
    """A root whose namespaces exist; commands in it share processes, mounts and host name, and use this network."""

    folder: Path
    init: int  # process id of the first process, as this machine numbers it
    environment: dict[str, str]
    user_namespace: bool
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def command(self, script: str, user: str = "root", folder: str = "") -> list[str]:
        """Return the command line that executes a bash script in the root as a user, in a folder or at home."""
        home = "/root" if user == "root" else f"/home/{user}"
        variables = {
            "PATH": _PATH, "HOME": home, "USER": user, "LOGNAME": user, "LANG": "C.UTF-8", "TERM": "dumb",
        } | self.environment  # fmt: skip
        enter = ["nsenter", f"--target={self.init}", "--mount", "--pid", "--uts", "--ipc"]
        if self.user_namespace:
            enter.append("--user")
        text = f"cd {shlex.quote(folder or home)}\n{script}"
        words = [f"{name}={value}" for name, value in variables.items()]
        as_user = ["chroot", f"--userspec={user}", str(self.folder), "env", "-i", *words]
        return [*enter, "--", *as_user, "bash", "-c", text]

    def start(self, script: str, log: Path, user: str = "root", folder: str = "") -> "subprocess.Popen[bytes]":
        """Start a script in the background; its output goes to a file. It ends with the root at the latest."""
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.command(script, user, folder), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )
        self._started.append(process)
        return process

    def run(self, script: str, log: Path, user: str = "root", folder: str = "") -> None:
        """Execute a script; raises TrialError with the last lines of its output if it fails."""
        process = self.start(script, log, user, folder)
        if process.wait() != 0:
            raise TrialError(f"Exit code {process.returncode}: {script}\n{tail(log)}")

    def refresh_lists(self, log: Path) -> None:
        """Fetch the package lists; one that the mirror does not have complete is reported and not an error."""
        self.run("apt-get update || apt-get update || echo 'Some package lists are not current.'", log)
        if "not current" in log.read_text(encoding="utf-8"):
            print(f"  Some package lists are not current: see {log}")

    def output(self, script: str, user: str = "root", folder: str = "") -> str:
        """Execute a script and return its standard output; raises TrialError if it fails."""
        done = subprocess.run(
            self.command(script, user, folder), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise TrialError(f"Exit code {done.returncode}: {script}\n{done.stdout}{done.stderr}")
        return done.stdout

    def wait_for_started(self) -> None:
        """Reap the processes that `start` left, after the namespaces ended."""
        for process in self._started:
            process.wait()


def tail(log: Path, lines: int = 20) -> str:
    """Return the end of a log and its path."""
    last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]
    return "\n".join([*last, f"(complete: {log})"])


@contextmanager
def opened(
    folder: Path, machine: Machine, host_name: str, mounts: Sequence[Mount] = (), more: Mapping[str, str] | None = None
) -> Iterator[OpenRoot]:
    """Enter a root; at the end, every process in it is ended and every mount is gone.

    more: environment variables of the commands, besides those that reach package archives.
    """
    emulator = machine.emulator
    host.name(folder, host_name)
    command = [str(_OPEN), str(folder), host_name, str(emulator or "none"), *map(str, mounts)]
    # A session of its own: Ctrl-C reaches only this process, which ends the others in order.
    opener = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert opener.stdin
    assert opener.stdout
    line = opener.stdout.readline()
    if not line.strip().isdigit():
        raise TrialError(f"{folder} could not be entered (exit code {opener.wait()}): see the lines above.")
    environment = host.inherited(os.environ) | dict(more or {})
    root = OpenRoot(folder, int(line), environment, user_namespace=emulator is not None)
    try:
        yield root
    finally:
        opener.stdin.close()
        opener.wait()
        opener.stdout.close()
        root.wait_for_started()


def made(machine: Machine, packages: Sequence[str], folder: Path, log: Path) -> Path:
    """Return the pristine root of a machine with packages; makes it on the first call. Do not change it: copy it."""
    folder.mkdir(parents=True, exist_ok=True)
    name = "-".join((host.SUITE, machine.architecture, *sorted(packages)))
    target = folder / name
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            # Renamed when complete, so that an interrupted call leaves no root that a later one takes.
            partial = folder / f"{name}.partial"
            remove(partial)
            _debootstrap(machine, packages, partial, log)
            _configure(machine, partial, log)
            partial.rename(target)
    return target


def copied(pristine: Path, name: str) -> Path:
    """Return a fresh copy of a pristine root, next to it, with this machine's present configuration."""
    target = pristine.parent / f"trial-{name}"
    remove(target)
    subprocess.run(["cp", "-a", "--reflink=auto", str(pristine), str(target)], check=True)
    host.configure(target)
    return target


def remove(folder: Path) -> None:
    """Delete a root, unless something is mounted in it, which deleting would reach."""
    mounted = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    if any(point == str(folder) or point.startswith(f"{folder}/") for point in mounted):
        raise TrialError(f"Something is mounted in {folder}. Unmount it, then repeat.")
    if folder.exists():
        shutil.rmtree(folder)


def _debootstrap(machine: Machine, packages: Sequence[str], target: Path, log: Path) -> None:
    if shutil.which("debootstrap") is None:
        raise TrialError("debootstrap is not installed. Install it: scripts/setup.sh roots")
    archive = host.read_archives()[0]
    command = [
        "debootstrap", f"--arch={machine.architecture}", "--variant=minbase", f"--include={','.join(packages)}",
        *([] if machine.is_native else ["--foreign"]), archive.code_name, str(target), archive.address,
    ]  # fmt: skip
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        code = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    if code != 0:
        raise TrialError(f"debootstrap failed with exit code {code}:\n{tail(log)}")
    if machine.is_native:
        return
    proc = target / "proc"
    if proc.is_symlink():  # --foreign leaves a link to the machine's own
        proc.unlink()
        proc.mkdir()
    with opened(target, machine, "debootstrap") as root:
        # Device files cannot be made in a user namespace. Like lxc, open.sh mounts them, which debootstrap accepts.
        root.run("container=lxc /debootstrap/debootstrap --second-stage", log.with_suffix(".second-stage.log"))


def _configure(machine: Machine, target: Path, log: Path) -> None:
    host.configure(target)
    with opened(target, machine, "configure") as root:
        root.run(
            '[ -z "$(ls /usr/local/share/ca-certificates)" ] || update-ca-certificates; apt-get clean',
            log.with_suffix(".configure.log"),
        )
