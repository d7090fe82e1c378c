"""The page of licenses: every package of the served chart library, with its text, also without a login."""

from pathlib import Path

from orchestrator.web.licenses.page import licenses_page
from scripts.update_licenses import embedded_packages
from tests.support.live_service import serve


def test_list_has_every_package_of_the_installed_chart_library() -> None:
    listed = {one["name"]: one["version"] for one in licenses_page()["components"]}
    assert listed == embedded_packages(), "execute scripts/update_licenses.py"
    assert {"vega", "vega-lite", "vega-embed", "d3-array"} <= listed.keys()


def test_page_has_every_license_without_a_login(tmp_path: Path) -> None:
    with serve(tmp_path, host="0.0.0.0", insecure_lan=True) as listening, listening.client() as anonymous:
        response = anonymous.get("/licenses", headers={"Accept": "text/html"})
        document = anonymous.get("/licenses?format=json").json()
    assert response.status_code == 200
    assert response.text.count("Redistributions in binary form must reproduce") >= 3
    assert response.text.count("Permission to use, copy, modify, and/or distribute this software") >= 1
    texts = document["texts"]
    for component in document["components"]:
        assert f">{component['name']}</th><td>{component['version']}</td>" in response.text
        assert len(texts[component["text"]]) > 300
        assert f'id="license-{component["text"]}"' in response.text
