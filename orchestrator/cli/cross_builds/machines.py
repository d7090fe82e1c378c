"""Kinds of devices that runners are cross-built for: names, compilers, packages and CPU features."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.wire.builds import DeviceMachine


@dataclass(frozen=True)
class Target:
    """One kind of device, in the words of each tool."""

    machine: DeviceMachine
    triplet: str
    """GNU triplet: prefix of the cross compiler's programs, and name of the multiarch folders."""
    debian_architecture: str
    compiler_package: str
    emulator: str
    """Program of qemu-user."""
    executed_by: tuple[str, ...]
    """Machines (``uname -m``) that execute the programs without an emulator."""
    toolchain_file: str
    """CMake toolchain file, below the folder of the runner sources."""

    @property
    def compiler(self) -> str:
        """Name of the cross compiler's program."""
        return f"{self.triplet}-g++"


TARGETS: Mapping[DeviceMachine, Target] = {
    "aarch64": Target(
        machine="aarch64",
        triplet="aarch64-linux-gnu",
        debian_architecture="arm64",
        compiler_package="g++-aarch64-linux-gnu",
        emulator="qemu-aarch64-static",
        executed_by=("aarch64",),
        toolchain_file="cmake/rpi-aarch64.cmake",
    ),
    "armhf": Target(
        machine="armhf",
        triplet="arm-linux-gnueabihf",
        debian_architecture="armhf",
        compiler_package="g++-arm-linux-gnueabihf",
        emulator="qemu-arm-static",
        executed_by=("armv7l", "armv8l"),
        toolchain_file="cmake/rpi-armhf.cmake",
    ),
    "x86_64": Target(
        machine="x86_64",
        triplet="x86_64-linux-gnu",
        debian_architecture="amd64",
        compiler_package="g++-x86-64-linux-gnu",
        emulator="qemu-x86_64-static",
        executed_by=("x86_64",),
        toolchain_file="cmake/x86-64.cmake",
    ),
}
PI_MACHINES: tuple[DeviceMachine, ...] = ("aarch64", "armhf")
"""Kinds of Raspberry Pi devices, for which ``runners cross-build`` compiles without ``--machine``."""

# Predefined macros of the compiler (on Arm those of the C Language Extensions), and the features in /proc/cpuinfo that
# they let it use.
_MACROS: Mapping[DeviceMachine, Mapping[str, str]] = {
    "aarch64": {
        "__ARM_FP": "fp",
        "__ARM_NEON": "asimd",
        "__ARM_FEATURE_AES": "aes pmull",
        "__ARM_FEATURE_CRYPTO": "aes pmull sha1 sha2",
        "__ARM_FEATURE_SHA2": "sha1 sha2",
        "__ARM_FEATURE_SHA3": "sha3",
        "__ARM_FEATURE_SHA512": "sha512",
        "__ARM_FEATURE_SM3": "sm3",
        "__ARM_FEATURE_SM4": "sm4",
        "__ARM_FEATURE_CRC32": "crc32",
        "__ARM_FEATURE_ATOMICS": "atomics",
        "__ARM_FEATURE_QRDMX": "asimdrdm",
        "__ARM_FEATURE_JCVT": "jscvt",
        "__ARM_FEATURE_COMPLEX": "fcma",
        "__ARM_FEATURE_DOTPROD": "asimddp",
        "__ARM_FEATURE_FP16_SCALAR_ARITHMETIC": "fphp",
        "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC": "asimdhp",
        "__ARM_FEATURE_FP16_FML": "asimdfhm",
        "__ARM_FEATURE_FRINT": "frint",
        "__ARM_FEATURE_RCPC": "lrcpc",
        "__ARM_FEATURE_SVE": "sve",
        "__ARM_FEATURE_SVE2": "sve2",
        "__ARM_FEATURE_MATMUL_INT8": "i8mm",
        "__ARM_FEATURE_BF16": "bf16",
        "__ARM_FEATURE_RNG": "rng",
    },
    "armhf": {
        "__ARM_FP": "vfp",
        "__ARM_FEATURE_DSP": "edsp",
        "__ARM_NEON": "neon",
        "__ARM_FEATURE_IDIV": "idiva idivt",
        "__ARM_FEATURE_CRYPTO": "aes pmull sha1 sha2",
        "__ARM_FEATURE_CRC32": "crc32",
        "__ARM_FEATURE_DOTPROD": "asimddp",
        "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC": "asimdhp",
        "__ARM_FEATURE_MATMUL_INT8": "i8mm",
    },
    "x86_64": {
        "__MMX__": "mmx",
        "__FXSR__": "fxsr",
        "__SSE__": "sse",
        "__SSE2__": "sse2",
        "__SSE3__": "pni",
        "__SSSE3__": "ssse3",
        "__SSE4_1__": "sse4_1",
        "__SSE4_2__": "sse4_2",
        "__POPCNT__": "popcnt",
        "__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16": "cx16",
        "__LAHF_SAHF__": "lahf_lm",
        "__PCLMUL__": "pclmulqdq",
        "__AES__": "aes",
        "__XSAVE__": "xsave",
        "__AVX__": "avx",
        "__F16C__": "f16c",
        "__FMA__": "fma",
        "__MOVBE__": "movbe",
        "__LZCNT__": "abm",
        "__BMI__": "bmi1",
        "__BMI2__": "bmi2",
        "__AVX2__": "avx2",
        "__ADX__": "adx",
        "__RDRND__": "rdrand",
        "__RDSEED__": "rdseed",
        "__SHA__": "sha_ni",
        "__AVX512F__": "avx512f",
        "__AVX512BW__": "avx512bw",
        "__AVX512CD__": "avx512cd",
        "__AVX512DQ__": "avx512dq",
        "__AVX512VL__": "avx512vl",
        "__AVX512IFMA__": "avx512ifma",
        "__AVX512VBMI__": "avx512vbmi",
        "__AVX512VBMI2__": "avx512_vbmi2",
        "__AVX512VNNI__": "avx512_vnni",
        "__AVX512BITALG__": "avx512_bitalg",
        "__AVX512VPOPCNTDQ__": "avx512_vpopcntdq",
        "__GFNI__": "gfni",
        "__VAES__": "vaes",
        "__VPCLMULQDQ__": "vpclmulqdq",
    },
}
_DEFINED = re.compile(r"^#define (\w+) (.*)$", re.MULTILINE)


def required_features(machine: DeviceMachine, macros: str) -> list[str]:
    """Return the CPU features that a compiler may use everywhere, in the names of /proc/cpuinfo.

    macros: the compiler's predefined macros with the flags of the build (``-dM -E``). Variants that need further
    features are compiled for them alone, and check them at run time.
    """
    defined = dict(_DEFINED.findall(macros))
    features: dict[str, None] = {}
    if machine == "armhf":
        version = int(defined.get("__ARM_ARCH", "0"))
        features[f"armv{version}"] = None
        # Before version 7 a device can have the older VFPv2; GCC has no macro for the version of the VFP.
        if version >= 7 and "__ARM_FP" in defined:
            features["vfpv3"] = None
        if "__ARM_NEON" in defined and "__ARM_FEATURE_FMA" in defined:
            features["vfpv4"] = None
    for macro, names in _MACROS[machine].items():
        if macro in defined:
            features.update(dict.fromkeys(names.split()))
    return list(features)
