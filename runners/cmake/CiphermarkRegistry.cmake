# The own ciphers: each family is a folder, found by its path. No list is edited when one is added.

# ciphermark_registry(<file> <source>...): the source of a registry of these sources' tables kImplementations.
function(ciphermark_registry registry)
  set(declarations "")
  set(calls "")
  foreach(file IN LISTS ARGN)
    ciphermark_source_name(source stem "${file}")
    string(APPEND declarations "std::span<const Implementation* const> implementations_${stem}();\n")
    string(APPEND calls "  append(registry::implementations_${stem}());\n")
  endforeach()
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/registry.cpp.in" "${registry}" @ONLY)
endfunction()

# ciphermark_own_provider(<target>): a library with all cipher sources and the registry of their tables kImplementations. A
# source for instructions that the compiler does not have defines no table.
function(ciphermark_own_provider target)
  file(GLOB families CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/ciphers/*/*/*.cpp")
  ciphermark_generate_variants(variants)
  list(APPEND families ${variants})
  file(GLOB modes CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/modes/*.cpp")
  set_property(GLOBAL PROPERTY CIPHERMARK_FAMILY_SOURCES ${families})
  foreach(file IN LISTS families)
    ciphermark_source_name(source stem "${file}")
    # No two shares of a value in one register, which is what vectorizing a loop over shares does. It is slower, too: what was
    # stored word by word cannot be forwarded to a load of two.
    get_source_file_property(masked "${file}" CIPHERMARK_MASKED)
    if(masked)
      set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/generated/alone/${source}" PROPERTIES
                                  COMPILE_OPTIONS "-fno-tree-vectorize;-fno-tree-slp-vectorize")
    endif()
  endforeach()
  set(registry "${CMAKE_CURRENT_BINARY_DIR}/generated/registry.cpp")
  ciphermark_registry("${registry}" ${families})
  ciphermark_alone_sources(wrapped ${families})
  add_library(${target} STATIC ${wrapped} ${modes} "${registry}")
  target_include_directories(${target} PRIVATE include src "${CMAKE_CURRENT_BINARY_DIR}/generated/variants")
  # The ciphers use src/core/bytes.cpp of the harness.
  target_link_libraries(${target} PRIVATE ciphermark_harness)
  ciphermark_footprint(own ${target} SOURCES ${wrapped})
endfunction()
