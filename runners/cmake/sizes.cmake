# Compiles for a target of src/footprint/targets.txt, CIPHERMARK_SIZES_TARGET, without an operating system: only object code is
# made, whose sizes are measured.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CIPHERMARK_SIZES_TARGET)

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../src/footprint/targets.txt" rows REGEX "^[^#]")
foreach(row IN LISTS rows)
  string(REGEX MATCHALL "[^ ]+" row "${row}")
  list(GET row 0 name)
  if(name STREQUAL CIPHERMARK_SIZES_TARGET)
    list(GET row 1 compiler)
    list(GET row 2 flags)
    list(GET row 3 headers)
  endif()
endforeach()
if(NOT compiler)
  message(FATAL_ERROR "CIPHERMARK_SIZES_TARGET is '${CIPHERMARK_SIZES_TARGET}', which src/footprint/targets.txt lacks")
endif()
set(CMAKE_CXX_COMPILER "${compiler}-g++")
set(CMAKE_ASM_COMPILER "${compiler}-gcc")
# The call graph has the stack of each function.
string(REPLACE "," " " CMAKE_CXX_FLAGS_INIT "${flags} -fcallgraph-info=su")
if(NOT headers STREQUAL compiler)
  # A compiler that is packaged without libraries: what the ciphers include of them is the same for all processors. The other
  # compiler's own headers, whose folders are the only ones without "..", are left out.
  execute_process(COMMAND "${headers}-g++" -E -v -x c++ /dev/null OUTPUT_QUIET ERROR_VARIABLE searched)
  string(REGEX MATCHALL "\n /[^\n]*/[.][.]/[^\n]*/include[^\n]*" folders "${searched}")
  foreach(folder IN LISTS folders)
    string(STRIP "${folder}" folder)
    string(APPEND CMAKE_CXX_FLAGS_INIT " -isystem ${folder}")
  endforeach()
endif()
