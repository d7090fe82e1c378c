"""Java: the provider ``java`` on the JVM."""

from orchestrator.wire.languages.base import Language, Tool

LANGUAGE = Language(
    provider="java",
    label="Java",
    tools=(
        Tool(
            name="java",
            programs=r"java",
            version_arguments=("-version",),
            version=r'version "(\d+(?:\.\d+)*)',
            min_version="17",
            package="openjdk-17-jdk-headless",
            companions=("javac",),
        ),
    ),
    sources=("src/**/*.java",),
    # Joined strings at run time would cost start-up time.
    build=(
        (
            *("{javac}", "-encoding", "UTF-8", "-XDstringConcat=inline", "-d", "{folder}/classes"),
            *("-sourcepath", "{folder}/src", "{folder}/src/ciphermark/Main.java"),
        ),
    ),
    # The collector that the JVM selects for one core, on every machine.
    start=("{tool}", "-XX:+UseSerialGC", "{options}", "-cp", "{folder}/classes", "ciphermark.Main"),
    options={"O2": (), "O1": ("-XX:TieredStopAtLevel=1",), "O0": ("-Xint",)},
)
