"""Find logic that two families of ciphers repeat; it belongs in src/{modes,sponge,aead,words,simd}.

Lizard compares the shape of the code, and names only between many numbers. Lines without logic are removed first:
preprocessor lines, namespaces and descriptors. The exit code is 1 if something is found.

Usage: .venv/bin/python scripts/repetition.py [FOLDER]
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CIPHERS = ROOT / "runners" / "src" / "ciphers"

_NO_LOGIC = re.compile(
    r"^(?:#[^\n]*|CIPHERMARK_TARGET_\w+[^\n]*|(?:inline )?namespace [^\n]*\{|\}  // namespace[^\n]*"
    # Descriptors: from their first line to the line that ends with a semicolon.
    r"|(?:template <[^\n]*>\n)?(?:using \w+ =|constexpr (?:Variant|std::array|auto k|bool kPrefers))[^;]*;)$",
    re.MULTILINE,
)
_BLOCK = re.compile(r"Duplicate block:\n-+\n(.*?)\n\^+", re.DOTALL)
_PLACE = re.compile(r"(.*):(\d+) ~ (\d+)")


def without_descriptors(text: str) -> str:
    """Return the text with empty lines instead of lines without logic, so that line numbers are unchanged."""
    return _NO_LOGIC.sub(lambda found: "\n" * found[0].count("\n"), text)


def family(path: Path) -> str:
    """Return the family of a source, which is the name of its folder: ``isap`` for ``aead/isap/over_keccak.h``."""
    return path.parent.name


def repeated(folder: Path) -> list[list[str]]:
    """Return the places of each block of logic that several families have."""
    sources = sorted((*folder.rglob("*.h"), *folder.rglob("*.cpp")))
    if not sources:
        raise SystemExit(f"{folder} contains no C++ source; expected the ciphers of runners/src/ciphers")
    with tempfile.TemporaryDirectory() as scratch:
        for path in sources:
            copy = Path(scratch) / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            # Lizard reads only one of several identical files; the name makes them differ.
            text = f"{without_descriptors(path.read_text(encoding='utf-8'))}\n// {copy}\n"
            copy.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "lizard", "-Eduplicate", scratch]
        output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        places = [_PLACE.findall(block.replace(f"{scratch}/", "")) for block in _BLOCK.findall(output)]
    if f"{len(sources)} file analyzed" not in output:
        raise SystemExit(f"lizard did not read the {len(sources)} files of {folder}: {output[-500:]}")
    return [
        [f"{path}:{first}-{last}" for path, first, last in block]
        for block in places
        if len({family(Path(path)) for path, _, _ in block}) > 1
    ]


def main() -> int:
    """Print the repeated blocks; return 1 if there are any."""
    found = repeated(Path(sys.argv[1]) if len(sys.argv) > 1 else CIPHERS)
    for block in found:
        print("the same logic in several families: " + "  ".join(block))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
