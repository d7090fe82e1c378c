"""The parts of scripts/roots that decide what a trial executes, without a root."""

import os
from pathlib import Path

import pytest

from scripts.roots import host, markdown
from scripts.roots.emulated_pi import pss_bytes
from scripts.roots.machines import TrialError
from scripts.roots.steps import Steps
from tests.support.paths import REPOSITORY

PAGE = """# Top
```yaml
no: commands
```
## First steps
```sh
# a whole line of comment
one --option   # it's a comment
two \\
  --continued
for i in 1 2; do
  echo $i
done
```
<!-- not executed: needs
a network -->
```sh
three
```
```sh
cat <<END
# not a heading
END
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    return path


class TestMarkdown:
    def test_blocks_have_the_heading_above(self, page: Path) -> None:
        assert [block.heading for block in markdown.blocks(page)] == ["First steps"] * 3

    def test_commands_of_several_lines_stay_whole(self, page: Path) -> None:
        first, _, last = markdown.blocks(page)
        assert [len(command.splitlines()) for command in first.commands] == [1, 2, 3]
        assert last.commands == ("cat <<END\n# not a heading\nEND",)

    def test_incomplete_command_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="incomplete"):
            list(markdown.split("if true; then\n  one\n"))

    @pytest.mark.parametrize(
        ("command", "keeps"),
        [("make up   # stays", True), (".venv/bin/ciphermark up --listen 0.0.0.0", True), ("make update", False)],
    )
    def test_commands_that_start_the_service_keep_running(self, command: str, keeps: bool) -> None:
        assert markdown.keeps_running(command) is keeps


def test_readme_starts_the_service_for_a_pi_and_invites_then() -> None:
    commands = [c for block in markdown.below(REPOSITORY / "README.md", "Raspberry Pi") for c in block.commands]
    keep_running = [markdown.keeps_running(command) for command in commands]
    invites = ["agents invite" in command for command in commands]
    assert keep_running.count(True) == 1
    assert keep_running.index(True) < invites.index(True)


class TestHost:
    DEBIAN_13 = "http://a/debian/ trixie Debian\nhttp://a/security/ trixie-security Debian\nhttp://b/ nodistro Other\n"

    def test_archives_of_another_release_are_used_for_bookworm(self) -> None:
        archives = host.debian_archives(self.DEBIAN_13, None)
        assert host.sources_list(archives) == (
            "deb http://a/debian/ bookworm main\ndeb http://a/security/ bookworm-security main\n"
        )

    def test_machine_without_a_debian_archive_is_refused_with_what_to_do(self) -> None:
        with pytest.raises(TrialError, match="DEBIAN_MIRROR="):
            host.debian_archives("http://u/ noble Ubuntu\n", None)

    def test_only_variables_of_package_access_reach_a_root(self) -> None:
        environment = {"PIP_INDEX_URL": "i", "https_proxy": "p", "SSL_CERT_FILE": "c", "CIPHERMARK_TOKEN": "secret"}
        assert set(host.inherited(environment)) == {"PIP_INDEX_URL", "https_proxy", "SSL_CERT_FILE"}


class TestSteps:
    def test_table_has_the_time_and_the_failure_of_each_step(self, tmp_path: Path) -> None:
        seconds = iter([0.0, 1.5, 2.0, 12.0])
        steps = Steps("a trial", tmp_path / "logs", clock=lambda: next(seconds))
        with steps.step("works") as first:
            first.write_text("output")
        with pytest.raises(TrialError), steps.step("fails \\\n   twice"):
            raise TrialError("because")
        assert steps.table().splitlines()[2:] == [
            "  1       1.5 s  works",
            "  2      10.0 s  fails twice   FAILED",
            "         11.5 s  in all",
        ]


def test_memory_is_that_of_matching_processes_in_the_namespace() -> None:
    # A worker of pytest-xdist does not have pytest in its command line, but every Python process has its program.
    found = pss_bytes(os.getpid(), "python")
    own = [value for name, value in found.items() if name.startswith(f"{os.getpid()} ")]
    assert own
    assert own[0] > 1_000_000
