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
}

# Predefined macros of the Arm C Language Extensions, and the features in /proc/cpuinfo that they let the compiler use.
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
