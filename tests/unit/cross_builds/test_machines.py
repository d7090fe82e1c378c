"""CPU features that a cross compiler's predefined macros allow it to use."""

from orchestrator.cli.cross_builds.machines import required_features

# From GCC 12: arm-linux-gnueabihf-g++ and aarch64-linux-gnu-g++ with -dM -E, shortened.
ARMHF = """
#define __ARM_ARCH 7
#define __ARM_FP 12
#define __ARM_FEATURE_DSP 1
#define __VFP_FP__ 1
"""
CORTEX_A72_32_BIT = """
#define __ARM_ARCH 8
#define __ARM_FP 14
#define __ARM_NEON 1
#define __ARM_FEATURE_FMA 1
#define __ARM_FEATURE_DSP 1
#define __ARM_FEATURE_IDIV 1
#define __ARM_FEATURE_CRC32 1
"""
AARCH64 = """
#define __ARM_ARCH 8
#define __ARM_FP 14
#define __ARM_NEON 1
#define __ARM_FEATURE_FMA 1
"""
CORTEX_A76 = (
    AARCH64
    + """
#define __ARM_FEATURE_ATOMICS 1
#define __ARM_FEATURE_DOTPROD 1
#define __ARM_FEATURE_CRC32 1
#define __ARM_FEATURE_QRDMX 1
"""
)


def test_defaults_of_debian_run_on_every_pi_from_version_2() -> None:
    assert required_features("armhf", ARMHF) == ["armv7", "vfpv3", "vfp", "edsp"]
    assert required_features("aarch64", AARCH64) == ["fp", "asimd"]


def test_flags_for_a_newer_cpu_add_its_features() -> None:
    assert {"armv8", "neon", "vfpv4", "idiva", "idivt", "crc32"} < set(required_features("armhf", CORTEX_A72_32_BIT))
    assert {"atomics", "asimddp", "crc32", "asimdrdm"} < set(required_features("aarch64", CORTEX_A76))


def test_first_pi_needs_neither_version_7_nor_vfpv3() -> None:
    assert required_features("armhf", "#define __ARM_ARCH 6\n#define __ARM_FP 12\n") == ["armv6", "vfp"]


def test_x86_64_needs_what_the_machine_flag_lets_the_compiler_use() -> None:
    baseline = "#define __SSE__ 1\n#define __SSE2__ 1\n#define __FXSR__ 1\n#define __MMX__ 1\n"

    assert required_features("x86_64", baseline) == ["mmx", "fxsr", "sse", "sse2"]
    assert "avx2" in required_features("x86_64", baseline + "#define __AVX2__ 1\n")
