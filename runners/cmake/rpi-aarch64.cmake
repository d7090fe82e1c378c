# Cross-compiles for a Raspberry Pi with Debian's g++-aarch64-linux-gnu; tests run under qemu-user where it is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# GoogleTest requires a C compiler; without this line CMake takes the host's.
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
find_program(QEMU_USER NAMES qemu-aarch64-static qemu-aarch64)
if(QEMU_USER)
  # The emulated processor with all features, so that the tests cover every variant.
  set(CMAKE_CROSSCOMPILING_EMULATOR "${QEMU_USER};-cpu;max")
endif()
# Libraries come from the target's multiarch folders alone; header-only packages (JSON, command line) from the host.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} "/usr/lib/aarch64-linux-gnu/pkgconfig")
