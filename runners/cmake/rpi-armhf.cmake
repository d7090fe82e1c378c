# Cross-compiles for a Raspberry Pi with Debian's g++-arm-linux-gnueabihf; tests run under qemu-user where it is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)
# GoogleTest requires a C compiler; without this line CMake takes the host's.
set(CMAKE_C_COMPILER arm-linux-gnueabihf-gcc)
set(CMAKE_ASM_COMPILER arm-linux-gnueabihf-gcc)
find_program(QEMU_USER NAMES qemu-arm-static qemu-arm)
if(QEMU_USER)
  # The emulated processor with all features, so that the tests cover every variant.
  set(CMAKE_CROSSCOMPILING_EMULATOR "${QEMU_USER};-cpu;max")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/TargetLibraries.cmake")
ciphermark_target_libraries(arm-linux-gnueabihf)
