"""Where ``up`` keeps what: one data folder, everything under it."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

LONGEST_SOCKET_PATH = 100
"""The kernel takes 107 bytes; a few are left for temporary names."""


@dataclass(frozen=True)
class Layout:
    """The files and folders of one ``up``."""

    data_folder: Path

    @property
    def lock(self) -> Path:
        """Held while ``up`` works; says which process and which address."""
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
        """The local daemon's own data folder."""
        return self.data_folder / "agent"

    @property
    def log_folder(self) -> Path:
        """What each part printed."""
        return self.data_folder / "logs"

    @property
    def redis_socket(self) -> Path:
        """The unix socket of the private Redis.

        In the Redis folder, unless the path is longer than the kernel allows: then in a folder of this user's runtime
        directory (or of the temporary one) that is named by the data folder.
        """
        inside = self.redis_folder / "redis.sock"
        if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
            return inside
        name = hashlib.sha256(os.fsencode(self.data_folder)).hexdigest()[:16]
        runtime = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
        return Path(runtime) / f"ciphermark-{os.getuid()}-{name}" / "redis.sock"

    def make_folders(self) -> None:
        """Make every folder, for this user alone."""
        folders = (self.data_folder, self.redis_folder, self.agent_folder, self.log_folder, self.redis_socket.parent)
        for folder in folders:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
