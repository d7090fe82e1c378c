# Code size and static memory of each implementation: the target `footprint` writes <build>/footprint.json.
#
# For every implementation the linker makes a program that contains it alone, from the same objects as the runners. The
# difference to an empty program is the size of the implementation. Each source with implementations is therefore compiled
# through a wrapper that gives each implementation a symbol, and with a section for each function, so that the linker can
# drop what an implementation does not use. The runners drop the wrappers' symbols (--gc-sections in
# ciphermark_add_runner); the tests do not, because valgrind looks up a function that nothing refers to.

target_compile_options(ciphermark_toolchain INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffunction-sections;-fdata-sections>)
set_property(GLOBAL PROPERTY CIPHERMARK_FOOTPRINTS "")

# ciphermark_source_name(<source> <stem> <path>): a source as it is included, from src or from generated/variants, and the
# same as a part of a C++ name.
function(ciphermark_source_name source_variable stem_variable path)
  set(source "${path}")
  foreach(root IN ITEMS "${CMAKE_CURRENT_SOURCE_DIR}/src" "${CMAKE_CURRENT_BINARY_DIR}/generated/variants")
    cmake_path(IS_PREFIX root "${path}" inside)
    if(inside)
      file(RELATIVE_PATH source "${root}" "${path}")
    endif()
  endforeach()
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" stem "${source}")
  set(${source_variable} "${source}" PARENT_SCOPE)
  set(${stem_variable} "${stem}" PARENT_SCOPE)
endfunction()

# ciphermark_alone_sources(<variable> <source>...): the wrappers to compile in place of these sources.
function(ciphermark_alone_sources variable)
  set(wrappers "")
  foreach(path IN LISTS ARGN)
    ciphermark_source_name(source stem "${path}")
    set(wrapper "${CMAKE_CURRENT_BINARY_DIR}/generated/alone/${source}")
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/alone.cpp.in" "${wrapper}" @ONLY)
    get_source_file_property(gcc "${path}" CIPHERMARK_GCC)
    if(gcc AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Precompiled headers are only for sources with the same options.
      set_source_files_properties("${wrapper}" PROPERTIES COMPILE_OPTIONS "${gcc}" SKIP_PRECOMPILE_HEADERS ON)
    endif()
    list(APPEND wrappers "${wrapper}")
  endforeach()
  set(${variable} ${wrappers} PARENT_SCOPE)
endfunction()

# ciphermark_footprint(<provider> <target> [LIBRARY <file>...] [REASON <text>] SOURCES <wrapper>...): the sizes of what
# these wrappers, compiled in the target, contain. Where the library to link is missing, the rows have the
# reason in place of sizes.
function(ciphermark_footprint provider target)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "REASON" "LIBRARY;SOURCES")
  if(CIPHERMARK_SANITIZE)
    return()
  endif()
  # The options with which a target's compiler links for it.
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
  foreach(wrapper IN LISTS arg_SOURCES)
    file(RELATIVE_PATH source "${CMAKE_CURRENT_BINARY_DIR}/generated/alone" "${wrapper}")
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" stem "${source}")
    string(REGEX REPLACE "([.+])" "[\\1]" pattern "/alone/${source}")
    set(object "$<FILTER:$<TARGET_OBJECTS:${target}>,INCLUDE,${pattern}[.]o(bj)?$>")
    set(rows "${CMAKE_CURRENT_BINARY_DIR}/footprint/${stem}.json")
    add_custom_command(OUTPUT "${rows}" VERBATIM
      COMMENT "Sizes of the implementations in ${source}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/cmake/MeasureFootprint.cmake" ciphermark_footprint_rest
              ciphermark_harness "${object}"
      COMMAND ${CMAKE_COMMAND} "-DPROVIDER=${provider}" "-DOBJECT=${object}" "-DOUTPUT=${rows}" "-DREASON=${arg_REASON}"
              "-DREST=$<TARGET_OBJECTS:ciphermark_footprint_rest>" "-DLIBRARIES=$<TARGET_FILE:ciphermark_harness>;${arg_LIBRARY}"
              "-DCOMPILER=${CMAKE_CXX_COMPILER};${CMAKE_CXX_COMPILER_ARG1};${flags}" "-DNM=${CMAKE_NM}"
              "-DOBJCOPY=${CMAKE_OBJCOPY}" "-DREADELF=${CMAKE_READELF}"
              -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/MeasureFootprint.cmake")
    set_property(GLOBAL APPEND PROPERTY CIPHERMARK_FOOTPRINTS "${rows}")
  endforeach()
endfunction()

# After every provider: the program that all have in common, and the target that collects the rows.
function(ciphermark_footprint_target)
  if(CIPHERMARK_SANITIZE)
    return()
  endif()
  ciphermark_alone_sources(nothing "${CMAKE_CURRENT_SOURCE_DIR}/src/footprint/nothing.cpp")
  add_library(ciphermark_footprint_rest OBJECT EXCLUDE_FROM_ALL src/footprint/main.cpp ${nothing})
  target_include_directories(ciphermark_footprint_rest PRIVATE include src)
  target_link_libraries(ciphermark_footprint_rest PRIVATE ciphermark_toolchain)
  get_property(rows GLOBAL PROPERTY CIPHERMARK_FOOTPRINTS)
  set(all "${CMAKE_CURRENT_BINARY_DIR}/footprint.json")
  add_custom_command(OUTPUT "${all}" DEPENDS ${rows} VERBATIM
    COMMAND ${CMAKE_COMMAND} "-DROWS=${rows}" "-DOUTPUT=${all}" -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/CollectFootprints.cmake")
  add_custom_target(footprint DEPENDS "${all}")
endfunction()
