"""Compressed video: H.264 with a sound track in Matroska, made by ffmpeg from a moving test picture with film grain.

No package contains a recorded film, so this is labeled `generated`. The bytes have the same nature: the entropy-coded
output of a real encoder. The container is Matroska because its beginning can be played without its end.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial

from corpus.material import Material
from corpus.packaged.audio import SPEECH_ENCODING
from corpus.packaged.packages import Packages
from corpus.packaged.process import output_of
from corpus.packaged.speech import Speech, encoder_and_speech

# The grain makes about 2 Mbit/s: 8 MiB are half a minute of video, encoded in 1.7 s of CPU time (x86-64, 2 cores,
# November 2026). The seed is fixed: the same packages make the same picture.
_PICTURE = "testsrc2=size=720x480:rate=24,noise=all_seed=2000:alls=7:allf=t,format=yuv420p"
# Two threads on every machine, because the output of x264 depends on the number of threads.
_ENCODING = ("-c:v", "libx264", "-preset", "ultrafast", "-crf", "26", "-g", "48", "-threads:v", "2")
_STREAM = ("-map", "0:v", "-map", "1:a", "-map_metadata", "-1", "-bitexact", "-f", "matroska", "pipe:1")


def packaged_video(packages: Packages) -> Material:
    """Return a video with the packaged speech as its sound; raise MaterialMissing if a package is not installed."""
    ffmpeg, speech = encoder_and_speech(packages)
    return Material(
        origin="generated",
        title=f"Moving test picture with film grain; sound: {speech.title}",
        license=f"picture: none needed; sound: {speech.license}",
        address=None,
        offset_bytes=0,
        note="H.264 720x480 at 24 frames a second and MP3, in Matroska, encoded by ffmpeg",
        open=partial(_open, ffmpeg, speech),
    )


@contextmanager
def _open(ffmpeg: str, speech: Speech) -> Generator[Iterator[bytes]]:
    picture = ("-f", "lavfi", "-i", _PICTURE)
    command = [ffmpeg, "-v", "error", *picture, *speech.arguments, *_ENCODING, *SPEECH_ENCODING, *_STREAM]
    with speech.open() as spoken, output_of(command, spoken) as blocks:
        yield blocks
