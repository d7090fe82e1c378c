# The own ciphers: each family is a folder, found by its path. No list is edited when one is added.

# ciphermark_registry(<file> <source>...): the source of a registry of these sources' tables kImplementations.
function(ciphermark_registry registry)
  set(declarations "")
  set(tables "")
  foreach(file IN LISTS ARGN)
    ciphermark_source_name(source stem "${file}")
    string(APPEND declarations "extern const std::span<const Implementation* const> implementations_${stem};\n")
    list(APPEND tables "&registry::implementations_${stem}")
  endforeach()
  list(JOIN tables ", " tables)
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/registry.cpp.in" "${registry}" @ONLY)
endfunction()

# ciphermark_own_provider(<target>): a library with all cipher sources and the registry of their tables kImplementations. A
# source for instructions that the compiler does not have defines no table.
function(ciphermark_own_provider target)
  file(GLOB families CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/ciphers/*/*/*.cpp")
  ciphermark_generate_variants(variants)
  list(APPEND families ${variants})
  file(GLOB modes CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/modes/*.cpp")
  ciphermark_compiled_families(families ${families})
  set_property(GLOBAL PROPERTY CIPHERMARK_FAMILY_SOURCES ${families})
  set(masked "")
  foreach(file IN LISTS families)
    get_source_file_property(is_masked "${file}" CIPHERMARK_MASKED)
    if(is_masked)
      list(APPEND masked "${file}")
    endif()
  endforeach()
  set(plain ${families})
  list(REMOVE_ITEM plain ${masked})
  set(registry "${CMAKE_CURRENT_BINARY_DIR}/generated/registry.cpp")
  ciphermark_registry("${registry}" ${families})
  ciphermark_cipher_objects(${target} ${plain})
  target_sources(${target} PRIVATE ${modes} "${registry}")
  if(masked)
    ciphermark_cipher_objects(${target}_masked ${masked})
    # No two shares of a value in one register, which is what vectorizing a loop over shares does. It is slower, too: what was
    # stored word by word cannot be forwarded to a load of two.
    target_compile_options(${target}_masked PRIVATE -fno-tree-vectorize -fno-tree-slp-vectorize)
    target_compile_definitions(${target}_masked PRIVATE CIPHERMARK_MOST_SHARES=${CIPHERMARK_MOST_SHARES})
    target_link_libraries(${target} PUBLIC ${target}_masked)
  endif()
endfunction()

# ciphermark_compiled_families(<variable> <source>...): the sources for the target's processor, with masked ones only if
# CIPHERMARK_MASKED is on. The others would define no table, but each takes a second to compile.
function(ciphermark_compiled_families variable)
  set(compiled "")
  foreach(file IN LISTS ARGN)
    get_source_file_property(is_masked "${file}" CIPHERMARK_MASKED)
    get_source_file_property(processors "${file}" CIPHERMARK_PROCESSORS)
    if((NOT is_masked OR CIPHERMARK_MASKED) AND (NOT processors OR CIPHERMARK_TARGET MATCHES "${processors}"))
      list(APPEND compiled "${file}")
    endif()
  endforeach()
  set(${variable} ${compiled} PARENT_SCOPE)
endfunction()

# ciphermark_cipher_objects(<target> <source>...): a library of these sources and their sizes. The headers that most of them include
# first are parsed once: 0.7 s less for each unit, and the same machine code (GCC 12, 2026-11).
function(ciphermark_cipher_objects target)
  ciphermark_alone_sources(wrapped ${ARGN})
  add_library(${target} STATIC ${wrapped})
  target_include_directories(${target} PRIVATE include src "${CMAKE_CURRENT_BINARY_DIR}/generated/variants")
  # The ciphers use src/core/bytes.cpp of the harness.
  target_link_libraries(${target} PRIVATE ciphermark_harness)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <bit> <cstddef> <cstdint> <cstring> <limits> <span> <string_view>
                            <utility> "${CMAKE_CURRENT_SOURCE_DIR}/include/ciphermark/describe.h")
  if(CIPHERMARK_TARGET MATCHES "${CIPHERMARK_X86_PROCESSORS}")
    target_precompile_headers(${target} PRIVATE <immintrin.h>)
  endif()
  ciphermark_footprint(own ${target} SOURCES ${wrapped})
endfunction()
