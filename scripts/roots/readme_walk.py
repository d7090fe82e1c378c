"""Walk through the README from an empty Debian root, as root and as a user with sudo.

    python3 -m scripts.roots.readme_walk [--suite bookworm|trixie] [--user root|sam]

Every command of every ``sh`` block is executed in its order, in one terminal per block that keeps running, as a reader
would, also of the blocks that the tests do not execute because they need an empty machine. A command that fails ends
the walk. The table has the time of each command.
"""

import argparse
import re
import sys
from functools import partial
from pathlib import Path

from scripts.roots import host, markdown, root, trial
from scripts.roots.machines import TrialError, native
from scripts.roots.root import OpenRoot
from scripts.roots.steps import Steps, wait_for

USERS = ("root", "sam")
_UP = re.compile(r"The agent is ready")
_UP_SECONDS = 600.0


class Terminal:
    """A terminal of the user in the root: a working folder that lasts, and commands that keep running."""

    def __init__(self, opened: OpenRoot, user: str, steps: Steps) -> None:
        self.opened = opened
        self.user = user
        self.steps = steps
        self.folder = ""  # home
        self._up: int | None = None

    def type(self, command: str) -> None:
        """Execute a command of the README; raises TrialError if it fails."""
        if self.user == "root":  # the README: root types the same without sudo
            command = re.sub(r"\bsudo ", "", command)
        command = command.replace(trial.PLACEHOLDER, trial.INSIDE)
        with self.steps.step(markdown.without_comment(command)) as log:
            if markdown.keeps_running(command):
                self._keep_running(command, log)
                return
            place = f"/tmp/.place-{self.user}"
            self.opened.run(f"{command}\ncode=$?; pwd >{place}; exit $code", log, self.user, self.folder)
            self.folder = self.opened.output(f"cat {place}", self.user).strip()

    def _keep_running(self, command: str, log: Path) -> None:
        self.stop()
        pid_file = f"/tmp/.up-{self.user}"
        process = self.opened.start(f"echo $$ >{pid_file}\n{command}", log, self.user, self.folder)

        def is_up() -> bool:
            if process.poll() is not None:
                raise TrialError(f"It ended with exit code {process.returncode}: {command}\n{root.tail(log)}")
            return _UP.search(log.read_text(encoding="utf-8", errors="replace")) is not None

        wait_for(is_up, _UP_SECONDS, f"the line of a ready agent that '{command}' prints")
        self._up = int(self.opened.output(f"cat {pid_file}", self.user))
        self._process = process

    def stop(self) -> None:
        """Press Ctrl-C in the terminal in which `up` runs, and wait for its end."""
        if self._up is not None:
            # Ctrl-C reaches every process of the terminal; make and its children among them.
            self.opened.output(f"pkill -INT -f 'ciphermark up' || kill -INT {self._up}; true", self.user)
            self._process.wait(60)
            self._up = None


def walk(user: str, steps: Steps) -> None:
    """Walk through the README as a user; raises TrialError at the first command that fails."""
    machine = native()
    packages = ("ca-certificates", "procps")
    with steps.step("(preparation) an empty Debian root, made or reused") as log:
        pristine = root.made(machine, packages, trial.folder(), log)
        folder = root.copied(pristine, f"readme-{user}")
        trial.place(folder)
    with root.opened(folder, machine, "laptop") as opened:
        with steps.step("(preparation) current package lists, and the user") as log:
            opened.refresh_lists(log)
            if user != "root":
                opened.run(
                    f"apt-get install -y --no-install-recommends sudo && useradd --create-home --shell /bin/bash {user}"
                    f" && echo '{user} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{user}",
                    log.with_suffix(".user.log"),
                )
                opened.output(f"chown -R {user}: {trial.INSIDE}")  # git refuses the repository of another user
        terminal = Terminal(opened, user, steps)
        for block in markdown.blocks(trial.REPOSITORY / "README.md"):
            for command in block.commands:
                terminal.type(command)
        with steps.step("Ctrl-C"):
            terminal.stop()
        left = opened.output("pgrep -fa '[c]iphermark|[r]edis-server' || true")
        if left:
            raise TrialError(f"These processes are left after Ctrl-C:\n{left}")
    root.remove(folder)


def main() -> int:
    """Walk as the users of the command line, by default as both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--user", choices=USERS, action="append")
    parser.add_argument("--suite", choices=host.SUITES, default=host.SUITE)
    arguments = parser.parse_args()
    host.SUITE = arguments.suite
    trial.become_root("readme_walk")
    code = 0
    for user in arguments.user or USERS:
        steps = Steps(f"README on {arguments.suite} as {user}", trial.logs(f"readme-{arguments.suite}-{user}"))
        code |= trial.conclude(partial(walk, user), steps)
    return code


if __name__ == "__main__":
    sys.exit(main())
