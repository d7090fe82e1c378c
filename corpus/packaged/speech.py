"""Speech from packages as an input of ffmpeg: recordings if they are installed, else text read by espeak-ng."""

import subprocess
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from corpus.material import MaterialMissing
from corpus.packaged.packages import Packages
from corpus.packaged.text import packaged_text

_RECORDINGS_PACKAGE = "asterisk-core-sounds-es-wav"
_NO_SPEECH = ("beep", "tone", "silence")


@dataclass(frozen=True)
class Speech:
    """Speech as an input of ffmpeg."""

    title: str
    license: str
    address: str | None
    arguments: tuple[str, ...]  # ffmpeg's arguments up to and including `-i`
    open: Callable[[], AbstractContextManager[IO[bytes]]]  # ffmpeg's standard input


def encoder_and_speech(packages: Packages) -> tuple[str, Speech]:
    """Return the path of ffmpeg and the speech; raise MaterialMissing with all packages that are not installed."""
    try:
        speech = packaged_speech(packages)
    except MaterialMissing as no_speech:
        try:
            packages.program("ffmpeg", "ffmpeg")
        except MaterialMissing as no_encoder:
            raise MaterialMissing(
                f"{no_encoder.detail} and {no_speech.detail}",
                packages=(*no_encoder.packages, *no_speech.packages),
                alternative=no_speech.alternative,
            ) from no_speech
        raise
    return packages.program("ffmpeg", "ffmpeg"), speech


def packaged_speech(packages: Packages) -> Speech:
    """Return the speech that installed packages provide.

    Raises MaterialMissing if neither the recordings nor espeak-ng with a text are installed.
    """
    recordings = _recordings(packages)
    if recordings:
        return Speech(
            title="Spanish telephone prompts, spoken by Allison Smith",
            license="CC-BY-SA-3.0",
            address="https://www.asterisk.org/",
            arguments=("-f", "concat", "-safe", "0", "-protocol_whitelist", "file,pipe", "-i", "pipe:0"),
            open=partial(_open_list, recordings),
        )
    if packages.has("espeak-ng") and packages.has("bible"):
        return Speech(
            title="The King James Bible, read by espeak-ng",
            license="public domain",
            address=None,
            arguments=("-f", "wav", "-i", "pipe:0"),
            open=partial(_open_reading, packages),
        )
    raise MaterialMissing(
        f"the recorded speech of {_RECORDINGS_PACKAGE} is not installed",
        packages=(_RECORDINGS_PACKAGE,),
        alternative="espeak-ng and bible-kjv can replace asterisk-core-sounds-es-wav",
    )


def _recordings(packages: Packages) -> Sequence[Path]:
    """Return each Spanish recording once: the package has several symbolic links to its folder."""
    found = {path.resolve() for path in (packages.usr / "share/asterisk/sounds").glob("es*/**/*.wav")}
    return sorted(path for path in found if not any(word in f"{path.parent.name}/{path.name}" for word in _NO_SPEECH))


@contextmanager
def _open_list(recordings: Sequence[Path]) -> Generator[IO[bytes]]:
    with tempfile.TemporaryFile() as listing:
        listing.writelines(f"file 'file:{path}'\n".encode() for path in recordings)
        listing.seek(0)
        yield listing


@contextmanager
def _open_reading(packages: Packages) -> Generator[IO[bytes]]:
    espeak = packages.program("espeak-ng", "espeak-ng")
    with tempfile.NamedTemporaryFile(suffix=".txt") as text:
        with packaged_text(packages).open() as prose:
            text.writelines(prose)
        text.flush()
        reader = subprocess.Popen([espeak, "-v", "en", "-f", text.name, "--stdout"], stdout=subprocess.PIPE)
        try:
            if reader.stdout is not None:
                yield reader.stdout
        finally:
            reader.kill()
            reader.communicate()
