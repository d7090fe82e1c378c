import pytest

from orchestrator.compilation.native.toolchain import read_toolchain
from orchestrator.shared.errors import BuildFailed


class TestReadToolchain:
    @pytest.mark.parametrize(
        ("document", "seen", "allowed"),
        [
            ({"optimization": "O3 -fplugin=x"}, "optimization is 'O3 -fplugin=x'", "'Ofast'"),
            ({"optimization": "O3\n"}, r"'O3\n'", "'Ofast'"),
            ({"march": "@file"}, "march is '@file'", "1 to 40 letters, digits and the signs"),
            ({"march": "native -fplugin=x"}, "native -fplugin=x", "1 to 40 letters, digits and the signs"),
            ({"march": "native\n"}, r"native\n", "1 to 40 letters, digits and the signs"),
            ({"mcpu": "../../tmp/x"}, "../../tmp/x", "1 to 40 letters, digits and the signs"),
            ({"mtune": "a" * 41}, "mtune is", "1 to 40 letters, digits and the signs"),
            ({"compiler": "/tmp/evil"}, "'/tmp/evil'", "'gcc', 'clang', 'icpx', 'cpython'"),
            ({"version": "12;x"}, "'12;x'", "such as 12.2"),
            ({"link": "static -shared"}, "'static -shared'", "'dynamic' or 'static'"),
            ({"flags": "-fplugin=x"}, "'flags' is not a field of a toolchain", "compiler, version, optimization"),
            ({"march": ["native"]}, "['native']", "expected a text"),
            ({"compiler": "cpython", "march": "native"}, "invalid: cpython", "does not have the options march"),
        ],
    )
    def test_invalid_toolchain_is_rejected_with_what_is_allowed(
        self, document: dict[str, object], seen: str, allowed: str
    ) -> None:
        with pytest.raises(BuildFailed) as caught:
            read_toolchain(document)

        assert seen in str(caught.value)
        assert allowed in str(caught.value)

    def test_error_lists_every_invalid_field(self) -> None:
        with pytest.raises(BuildFailed) as caught:
            read_toolchain({"march": "@file", "mcpu": "@file"})

        assert "march is" in str(caught.value)
        assert "mcpu is" in str(caught.value)
