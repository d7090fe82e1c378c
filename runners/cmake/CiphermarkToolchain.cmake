# Options of a plan's toolchain, and the compiler flags that result from them.

# O2 is what Debian compiles Crypto++ and Botan with: with the same level here, a difference between providers is a
# difference between their code and not between two sets of flags.
set(CIPHERMARK_OPTIMIZATION "O2" CACHE STRING "Optimization of the cipher code: O0 O1 O2 O3 Os Og Ofast")
set(CIPHERMARK_MARCH "" CACHE STRING "-march= of the cipher code; empty for the compiler's default")
set(CIPHERMARK_MTUNE "" CACHE STRING "-mtune= of the cipher code; empty for the compiler's default")
set(CIPHERMARK_MCPU "" CACHE STRING "-mcpu= of the cipher code (ARM); empty for the compiler's default")
set(CIPHERMARK_LINK "dynamic" CACHE STRING "How the runners link: dynamic or static")
set(CIPHERMARK_SANITIZE "" CACHE STRING "address, undefined, both with a comma, or memory; empty for none. Never measure it")
set(CIPHERMARK_MOST_SHARES "6" CACHE STRING "Shares of the largest forms of masked variants: 2 to 6; fewer for tests only")
option(CIPHERMARK_MASKED "Own ciphers with their masked variants, which take longer to compile than all others" ON)
option(CIPHERMARK_WERROR "Warnings are errors" ON)

set(optimization_levels O0 O1 O2 O3 Os Og Ofast)
if(NOT CIPHERMARK_OPTIMIZATION IN_LIST optimization_levels)
  message(FATAL_ERROR "CIPHERMARK_OPTIMIZATION is '${CIPHERMARK_OPTIMIZATION}'; expected one of ${optimization_levels}")
endif()
if(NOT CIPHERMARK_LINK MATCHES "^(dynamic|static)$")
  message(FATAL_ERROR "CIPHERMARK_LINK is '${CIPHERMARK_LINK}'; expected dynamic or static")
endif()
if(NOT CIPHERMARK_SANITIZE MATCHES "^(|address|undefined|address,undefined|memory)$")
  message(FATAL_ERROR "CIPHERMARK_SANITIZE is '${CIPHERMARK_SANITIZE}'; expected address, undefined, both, memory or nothing")
endif()
if(NOT CIPHERMARK_MOST_SHARES MATCHES "^[2-6]$")
  message(FATAL_ERROR "CIPHERMARK_MOST_SHARES is '${CIPHERMARK_MOST_SHARES}'; expected 2 to 6")
endif()
if(CMAKE_BUILD_TYPE)
  message(FATAL_ERROR "CMAKE_BUILD_TYPE is '${CMAKE_BUILD_TYPE}'; expected empty, because its flags would override "
                      "CIPHERMARK_OPTIMIZATION, which results are reported with")
endif()

set(CIPHERMARK_FLAGS "-${CIPHERMARK_OPTIMIZATION}")
foreach(option IN ITEMS march mtune mcpu)
  string(TOUPPER "CIPHERMARK_${option}" variable)
  if(${variable})
    if(NOT ${variable} MATCHES "^[A-Za-z0-9+._-]+$")
      message(FATAL_ERROR "${variable} is '${${variable}}'; expected letters, digits and + . _ -")
    endif()
    list(APPEND CIPHERMARK_FLAGS "-${option}=${${variable}}")
  endif()
endforeach()
if(CIPHERMARK_SANITIZE)
  list(APPEND CIPHERMARK_FLAGS "-fsanitize=${CIPHERMARK_SANITIZE}" -fno-omit-frame-pointer)
  if(CIPHERMARK_SANITIZE STREQUAL "memory")
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      message(FATAL_ERROR "CIPHERMARK_SANITIZE=memory requires Clang; seen: ${CMAKE_CXX_COMPILER_ID}")
    endif()
    # For constant_time_test, which counts its reports. Nothing but what the test marks is undefined, in any function.
    list(APPEND CIPHERMARK_FLAGS -fsanitize-recover=memory -fno-sanitize-memory-param-retval "SHELL:-mllvm -msan-poison-stack=0"
         "SHELL:-mllvm -msan-instrumentation-with-call-threshold=-1"
         "SHELL:-include ${CMAKE_CURRENT_SOURCE_DIR}/tests/memory_sanitizer.h")
  else()
    list(APPEND CIPHERMARK_FLAGS -fno-sanitize-recover=all)
  endif()
endif()
if(CIPHERMARK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "CIPHERMARK_FUZZ requires Clang, which has libFuzzer; seen: ${CMAKE_CXX_COMPILER_ID}")
  endif()
  # Reports the code that an input reaches.
  list(APPEND CIPHERMARK_FLAGS -fsanitize=fuzzer-no-link)
endif()

# The hash of a precompiled header differs in each folder, so that ccache would find nothing.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

add_library(ciphermark_warnings INTERFACE)
target_compile_options(ciphermark_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${CIPHERMARK_WERROR}>>:-Werror>)

add_library(ciphermark_toolchain INTERFACE)
target_link_libraries(ciphermark_toolchain INTERFACE ciphermark_warnings)
# The programs must not contain the path of the checkout: their hashes identify a build independently of its folder.
target_compile_options(ciphermark_toolchain INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:${CIPHERMARK_FLAGS} -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=.>)
if(CIPHERMARK_SANITIZE)
  target_link_options(ciphermark_toolchain INTERFACE "-fsanitize=${CIPHERMARK_SANITIZE}")
endif()
if(CIPHERMARK_SANITIZE STREQUAL "memory")
  target_link_options(ciphermark_toolchain INTERFACE LINKER:--wrap=__msan_warning LINKER:--wrap=__msan_warning_with_origin
                      LINKER:--wrap=_ZN10ciphermark19constant_time_equalEPKhS1_m)
endif()
if(CIPHERMARK_LINK STREQUAL "static")
  target_link_options(ciphermark_toolchain INTERFACE -static)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ".a")
endif()

set(for_target)
if(CMAKE_CXX_COMPILER_TARGET)  # Clang, cross-compiling
  set(for_target "--target=${CMAKE_CXX_COMPILER_TARGET}")
endif()
execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${for_target} -dumpmachine OUTPUT_VARIABLE CIPHERMARK_TARGET
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
list(JOIN CIPHERMARK_FLAGS " " CIPHERMARK_FLAGS_TEXT)
