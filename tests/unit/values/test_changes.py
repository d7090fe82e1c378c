from orchestrator.shared.values.changes import change_words


def test_absent_side_is_named() -> None:
    assert change_words("compiler", "build", "gcc 12.2.0", "gcc 13.1.0") == "compiler, build: gcc 12.2.0 → gcc 13.1.0"
    assert change_words("microcode", "processor", None, "0xa0011d1") == "microcode, processor: absent → 0xa0011d1"
