# Included by the toolchain files: where the target's libraries are. ciphermark_target_libraries(<triplet>)
#
# With CIPHERMARK_SYSROOT, a folder with unpacked packages of the target, headers and libraries come from it alone. Without
# it, they come from the target's multiarch folders of this machine. Header-only packages (JSON, command line) come from
# this machine in both cases.
macro(ciphermark_target_libraries triplet)
  set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
  set(CIPHERMARK_SYSROOT "" CACHE PATH "Folder with unpacked library packages of the target; empty for multiarch folders")
  list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CIPHERMARK_SYSROOT)
  set(ENV{PKG_CONFIG_LIBDIR} "${CIPHERMARK_SYSROOT}/usr/lib/${triplet}/pkgconfig")
  if(CIPHERMARK_SYSROOT)
    set(CMAKE_FIND_ROOT_PATH "${CIPHERMARK_SYSROOT}")
    set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
    set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
    set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
    set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CIPHERMARK_SYSROOT}")
    # pkg-config leaves out the system's folder, which is another one here.
    set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${CIPHERMARK_SYSROOT}/usr/lib/${triplet}")
  endif()
endmacro()
