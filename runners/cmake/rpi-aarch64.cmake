# Cross-compiles for a Raspberry Pi with Debian's g++-aarch64-linux-gnu; tests run under qemu-user where it is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
# GoogleTest requires a C compiler; without its line CMake takes the host's.
if(CIPHERMARK_SANITIZE STREQUAL "memory")  # GCC has no MemorySanitizer.
  set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CIPHERMARK_SANITIZE)
  set(CMAKE_CXX_COMPILER clang++)
  set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
  set(CMAKE_C_COMPILER clang)
  set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
else()
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
  set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
endif()
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
find_program(QEMU_USER NAMES qemu-aarch64-static qemu-aarch64)
if(QEMU_USER)
  # The emulated processor with all features, so that the tests cover every variant.
  set(CMAKE_CROSSCOMPILING_EMULATOR "${QEMU_USER};-cpu;max")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/TargetLibraries.cmake")
ciphermark_target_libraries(aarch64-linux-gnu)
