"""Files and folders of ``up``, all in one data folder."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from orchestrator.shared.files.private import make_private

MAX_SOCKET_PATH_BYTES = 100
"""Maximum length of the socket's path: the kernel's limit of 107 bytes, minus some for temporary names."""


@dataclass(frozen=True)
class Layout:
    """The files and folders of one ``up``."""

    data_folder: Path

    @property
    def lock(self) -> Path:
        """Lock file, held while ``up`` is running; contains its process id and URL."""
        return self.data_folder / "up.json"

    @property
    def command_line_access(self) -> Path:
        """URL and token for the command line (mode 0600)."""
        return self.data_folder / "cli.json"

    @property
    def redis_folder(self) -> Path:
        """Configuration and append-only file of the private Redis."""
        return self.data_folder / "redis"

    @property
    def agent_folder(self) -> Path:
        """Data folder of the local daemon."""
        return self.data_folder / "agent"

    @property
    def log_folder(self) -> Path:
        """Log files of the child processes."""
        return self.data_folder / "logs"

    @property
    def redis_socket(self) -> Path:
        """Unix socket of the private Redis.

        In the Redis folder, unless the path exceeds the kernel's limit: then in the user's runtime directory or the
        temporary directory, in a folder named after the hash of the data folder.
        """
        inside = self.redis_folder / "redis.sock"
        if len(os.fsencode(inside)) <= MAX_SOCKET_PATH_BYTES:
            return inside
        name = hashlib.sha256(os.fsencode(self.data_folder)).hexdigest()[:16]
        runtime = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
        return Path(runtime) / f"ciphermark-{os.getuid()}-{name}" / "redis.sock"

    def make_folders(self) -> None:
        """Create all folders with mode 0700; existing ones lose the rights of other users."""
        make_private(self.data_folder)
        folders = (self.redis_folder, self.agent_folder, self.log_folder, self.redis_socket.parent)
        for folder in folders:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
