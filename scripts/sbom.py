"""Write the software bill of materials (CycloneDX 1.6, JSON) of the service and the agents:

    .venv/bin/python scripts/sbom.py build/sbom.cdx.json

Its components are the Python packages of requirements/service.txt, with their hashes; the JavaScript packages of the
chart library that the service sends to browsers, with their licenses; and the libraries that the runners link, in the
versions that are installed on this machine.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from orchestrator.compilation.native.libraries import runner_libraries

ROOT = Path(__file__).resolve().parent.parent
RUNNER_PACKAGES = {
    package: library.license_id for library in runner_libraries(ROOT / "runners") for package in library.packages
}
"""Packages of Debian that the runners are compiled with, where they are installed, with their licenses."""


def python_document() -> dict[str, Any]:
    """Return the document of the Python packages, made by cyclonedx-py from the lock file."""
    command = [sys.executable, "-m", "cyclonedx_py", "requirements", "requirements/service.txt"]
    options = ["--pyproject", "pyproject.toml", "--spec-version", "1.6", "--output-reproducible"]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, check=True)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def script_components() -> list[dict[str, Any]]:
    """Return the JavaScript packages of the chart library."""
    listed = json.loads((ROOT / "orchestrator/web/licenses/chart_library.json").read_text(encoding="utf-8"))
    return [
        _component(f"pkg:npm/{one['name']}@{one['version']}", one["name"], one["version"], one["license"])
        for one in listed["components"]
    ]


def runner_components() -> list[dict[str, Any]]:
    """Return the libraries that the runners link on this machine."""
    found = []
    for package, license_id in RUNNER_PACKAGES.items():
        query = ["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", package]
        done = subprocess.run(query, capture_output=True, text=True, check=False)
        status, version = done.stdout[:3], done.stdout[3:]
        if done.returncode == 0 and status == "ii ":
            purl = f"pkg:deb/debian/{package.replace('+', '%2B')}@{version.replace('+', '%2B')}"
            found.append(_component(purl, package, version, license_id))
    return found


def _component(purl: str, name: str, version: str, license_id: str) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "licenses": [{"license": {"id": license_id}}],
    }


def bill_of_materials() -> dict[str, Any]:
    """Return the complete document; raises ValueError if it breaks the schema of CycloneDX."""
    from cyclonedx.schema import SchemaVersion  # noqa: PLC0415 - the next one takes 2 s, in each worker of the tests
    from cyclonedx.validation.json import JsonStrictValidator  # noqa: PLC0415 - as above

    document = python_document()
    document["components"] = [*document["components"], *script_components(), *runner_components()]
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(document))
    if fault is not None:
        raise ValueError(f"The document breaks the schema of CycloneDX 1.6: {fault}")
    return document


def main(target: Path) -> int:
    """Write the document."""
    document = bill_of_materials()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{target}: {len(document['components'])} components")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/sbom.py FILE")
    sys.exit(main(Path(sys.argv[1])))
