"""Compressed speech: an MP3 in the format of LibriVox (mono, 22.05 kHz, 64 kbit/s), made by ffmpeg."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial

from corpus.material import Material
from corpus.packaged.packages import Packages
from corpus.packaged.process import output_of
from corpus.packaged.speech import Speech, encoder_and_speech

# Digital silence, which recordings in a room do not have, would be encoded as padding (the output of espeak-ng then
# deflates by 11 % instead of 2 %), so pauses are cut to a tenth of a second.
_SHORT_PAUSES = "silenceremove=stop_periods=-1:stop_duration=0.1:stop_threshold=-50dB"
# 22.05 kHz because at 8 kHz, the rate of the recordings, LAME fills 64 kbit/s with padding that deflates by 15 %.
SPEECH_ENCODING = ("-af", _SHORT_PAUSES, "-ac", "1", "-ar", "22050", "-c:a", "libmp3lame", "-b:a", "64k")
# The file contains neither dates nor versions, so the same packages make the same bytes.
_STREAM = ("-map_metadata", "-1", "-bitexact", "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3", "pipe:1")


def packaged_audio(packages: Packages) -> Material:
    """Return one continuous MP3 of the packaged speech; raise MaterialMissing if a package is not installed."""
    ffmpeg, speech = encoder_and_speech(packages)
    return Material(
        origin="generated",
        title=speech.title,
        license=speech.license,
        address=speech.address,
        offset_bytes=0,
        note="MP3, mono, 22.05 kHz, 64 kbit/s, encoded by ffmpeg",
        open=partial(_open, ffmpeg, speech),
    )


@contextmanager
def _open(ffmpeg: str, speech: Speech) -> Generator[Iterator[bytes]]:
    command = [ffmpeg, "-v", "error", *speech.arguments, *SPEECH_ENCODING, *_STREAM]
    with speech.open() as spoken, output_of(command, spoken) as blocks:
        yield blocks
