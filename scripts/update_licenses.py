"""Write orchestrator/web/licenses/chart_library.json: the JavaScript packages in vl-convert, with their licenses.

    .venv/bin/python scripts/update_licenses.py

Needs npm, which installs the packages in the embedded versions into a temporary folder, without their scripts. Execute
it after a change of vl-convert's version; a test compares the file with the installed vl-convert.
"""

import json
import re
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "orchestrator" / "web" / "licenses" / "chart_library.json"
_EMBEDDED = re.compile(rb"npm/((?:@[a-z0-9-]+/)?[a-z0-9.-]+)@(\d+\.\d+\.\d+)/\+esm")
_LICENSE_FILES = ("LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license", "License.txt")


def embedded_packages() -> dict[str, str]:
    """Return the packages that the installed vl-convert embeds, each with the version that the bundle contains."""
    library = next(Path(str(files("vl_convert"))).glob("*.so"))
    found: dict[str, str] = {}
    for name, version in _EMBEDDED.findall(library.read_bytes()):
        text = version.decode()
        # Of Vega-Lite there are several; the bundle has the newest.
        known = found.setdefault(name.decode(), text)
        found[name.decode()] = max(known, text, key=lambda one: tuple(int(part) for part in one.split(".")))
    return found


def _license_text(folder: Path) -> str:
    for name in _LICENSE_FILES:
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8").replace("\r\n", "\n").strip()
    return ""


def main() -> int:
    """Write the file; return 1 if a package has no license."""
    packages = embedded_packages()
    texts: list[str] = []
    components = []
    with tempfile.TemporaryDirectory() as folder:
        # Every package is a dependency of its own, because another one may allow a newer version. Some embedded patch
        # releases were withdrawn; a license does not change between them.
        dependencies = {name: f"~{version}" for name, version in packages.items()}
        manifest = {"name": "licenses", "version": "1.0.0", "dependencies": dependencies}
        (Path(folder) / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
        subprocess.run(
            ["npm", "install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"],
            cwd=folder,
            check=True,
        )
        for name, version in sorted(packages.items()):
            installed = Path(folder) / "node_modules" / name
            facts = json.loads((installed / "package.json").read_text(encoding="utf-8"))
            text = _license_text(installed)
            if not facts.get("license"):
                print(f"{name} {version} states no license")
                return 1
            if text and text not in texts:
                texts.append(text)
            number = texts.index(text) if text else None
            components.append({"name": name, "version": version, "license": facts["license"], "text": number})
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps({"components": components, "texts": texts}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
