# Implementations that differ from others of their family only in the types that they work on. A family declares them in
# src/ciphers/<kind>/<family>/variants.cmake, one call each, and the build writes their sources:
#
#   ciphermark_variant(avx2 ON avx2 PREFERENCE 30 DESCRIBE "gimli::describe<simd::Avx2Row>" INCLUDE simd/row_x86.h)
#
# Variants without ON are portable. Those of one family share a source, portable.cpp; every other variant, and every masked one,
# has its own, <name>.cpp. A variant with code of its own is a .cpp file of the family instead, or a header named by INCLUDE.

# Processor features (src/provider/cpu_features.h) by the compilers that can target them. simd/target.h has NEON's names.
set(CIPHERMARK_X86_FEATURES sse2 ssse3 aes avx2 avx512f avx512bw avx512vl avx512ifma avx512vbmi2 bmi2)
set(CIPHERMARK_MICROARCHITECTURES zen4 zen5)
set(CIPHERMARK_X86_GUARD "defined(__x86_64__) || defined(__i386__)")
set(CIPHERMARK_X86_64_GUARD "defined(__x86_64__)")
set(CIPHERMARK_NEON_GUARD "defined(CIPHERMARK_NEON)")
# Targets with such processors, as a compiler names them.
set(CIPHERMARK_X86_PROCESSORS "^(x86_64|i[3-6]86)-")
set(CIPHERMARK_X86_64_PROCESSORS "^x86_64-")
set(CIPHERMARK_NEON_PROCESSORS "^(aarch64|arm)")

# One variant of all algorithms of the family:
# ciphermark_variant(<name> DESCRIBE <expression> PREFERENCE <number> [LAST_ON <microarchitecture>...] [ON <feature>...]
#                    [TARGET <targets>] [ONLY_64_BIT] [MASKED] [GCC <option>...] [INCLUDE <header>...] [IF <condition>])
#
# DESCRIBE: a C++ function of the family that takes the Variant and returns a std::array of descriptors. PREFERENCE: a C++
# expression; the available variant with the highest is the default. LAST_ON: processors (src/core/microarchitecture.h) on which
# every other variant comes before it. MASKED: it works on shares (src/masked/word.h), is never the default and needs no
# PREFERENCE. ON: the features that the processor must have, for which the source is compiled, too. TARGET: the compiler's names
# in place of those of ON. ONLY_64_BIT: not for x86 in 32 bits. INCLUDE: headers in addition to the family's cipher.h, if it has
# one. IF: a preprocessor condition that may use those headers. GCC: options for that compiler alone, for variants that were
# measured with and without (GCC 12, Zen 5, 30 November 2026):
# -fno-tree-reassoc takes the operands of exclusive ors in the order of the source, which GCC sorts otherwise without regard to
#   which is ready last: 0.70 of the time (SPIX and SpoC with AVX-512), 0.95 (their others), 0.90 (Gimli with SSE2 and AVX2), 0.94
#   (Simon with AVX2) and 0.96 (Ascon, Pyjamask), but 1.17 for TinyJAMBU.
# -fno-tree-coalesce-vars gives each value a register of its own choice. GCC keeps all values of a variable in one otherwise, and
#   moves them to memory where the registers are just enough: 0.80 (ChaCha20 with AVX-512), 0.90 (Salsa20).
# They hold for the whole source, and with it for the other variants there: those of one family without ON share one, as do those
# of one name.
function(ciphermark_variant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ONLY_64_BIT;MASKED" "DESCRIBE;PREFERENCE;TARGET;IF" "ON;INCLUDE;LAST_ON;GCC")
  if(arg_MASKED)
    set(arg_PREFERENCE 0)
  endif()
  string(REPLACE "-" "_" identifier "${name}")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_DESCRIBE OR NOT DEFINED arg_PREFERENCE)
    message(FATAL_ERROR "${CIPHERMARK_FAMILY}: variant ${name} needs DESCRIBE and PREFERENCE; not understood: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(arg_ON OR arg_MASKED)
    set(unit "${identifier}")
  else()
    set(unit portable)
  endif()
  set(prefix "CIPHERMARK_UNIT_${CIPHERMARK_FAMILY}/${unit}")

  get_property(known GLOBAL PROPERTY "${prefix}_CONSTANTS")
  if(NOT known)
    set_property(GLOBAL APPEND PROPERTY CIPHERMARK_UNITS "${unit}")
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/src/${CIPHERMARK_FAMILY}/cipher.h")
      set_property(GLOBAL PROPERTY "${prefix}_INCLUDES" "${CIPHERMARK_FAMILY}/cipher.h")
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY "${prefix}_INCLUDES" ${arg_INCLUDE})
  set_property(GLOBAL PROPERTY "${prefix}_FEATURES" ${arg_ON})
  set_property(GLOBAL PROPERTY "${prefix}_TARGET" "${arg_TARGET}")
  set_property(GLOBAL PROPERTY "${prefix}_ONLY_64_BIT" ${arg_ONLY_64_BIT})
  set_property(GLOBAL PROPERTY "${prefix}_MASKED" ${arg_MASKED})
  if(arg_GCC)
    set_property(GLOBAL PROPERTY "${prefix}_GCC" ${arg_GCC})
  endif()

  foreach(processor IN LISTS arg_LAST_ON)
    if(NOT processor IN_LIST CIPHERMARK_MICROARCHITECTURES)
      message(FATAL_ERROR "${CIPHERMARK_FAMILY}: variant ${name} is LAST_ON '${processor}'; known: "
                          "${CIPHERMARK_MICROARCHITECTURES}")
    endif()
  endforeach()
  list(JOIN arg_ON " " features)
  list(JOIN arg_LAST_ON " " last_on)
  # A family may have two kinds of algorithms with one name of a variant each.
  list(LENGTH known count)
  set(constant "k_${identifier}_${count}")
  set(described "constexpr std::array ${constant} = ${arg_DESCRIBE}({.name = \"${name}\",
    .constant_time = true, .preference = ${arg_PREFERENCE}, .requires_features = \"${features}\",
    .last_on = \"${last_on}\"});\n")
  if(arg_IF)
    set(described "#if ${arg_IF}\n${described}#else\nconstexpr std::array<Implementation, 0> ${constant}{};\n#endif\n")
  endif()
  set_property(GLOBAL APPEND PROPERTY "${prefix}_CONSTANTS" "${constant}")
  set_property(GLOBAL APPEND_STRING PROPERTY "${prefix}_DESCRIPTORS" "${described}")
endfunction()

# ciphermark_generate_variants(<variable>): the sources of all declared variants, below generated/variants.
function(ciphermark_generate_variants variable)
  file(GLOB declarations CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/ciphers/*/*/variants.cmake")
  set(sources "")
  foreach(declaration IN LISTS declarations)
    get_filename_component(folder "${declaration}" DIRECTORY)
    file(RELATIVE_PATH CIPHERMARK_FAMILY "${CMAKE_CURRENT_SOURCE_DIR}/src" "${folder}")
    set_property(GLOBAL PROPERTY CIPHERMARK_UNITS "")
    include("${declaration}")
    get_property(units GLOBAL PROPERTY CIPHERMARK_UNITS)
    foreach(unit IN LISTS units)
      ciphermark_generate_unit(source "${CIPHERMARK_FAMILY}" "${unit}")
      list(APPEND sources "${source}")
    endforeach()
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# ciphermark_generate_unit(<variable> <family> <unit>): the source of the variants of a family that are compiled together.
function(ciphermark_generate_unit variable family unit)
  set(prefix "CIPHERMARK_UNIT_${family}/${unit}")
  foreach(field IN ITEMS INCLUDES FEATURES TARGET ONLY_64_BIT MASKED GCC CONSTANTS DESCRIPTORS)
    get_property(${field} GLOBAL PROPERTY "${prefix}_${field}")
  endforeach()
  list(REMOVE_DUPLICATES INCLUDES)
  list(TRANSFORM INCLUDES REPLACE "(.+)" "#include \"\\1\"")
  list(JOIN INCLUDES "\n" includes)
  list(JOIN CONSTANTS ", " constants)

  set(portable_includes "")
  if(family MATCHES "^ciphers/block/")
    set(portable_includes "\n#include \"modes/modes.h\"")
  endif()
  if(MASKED)
    string(APPEND portable_includes "\n#include \"masked/randomness.h\"")
  endif()
  set(begin "")
  set(end "")
  set(unit_definition "")
  set(processors "")
  if(FEATURES)
    set(unit_definition "#define CIPHERMARK_UNIT ${unit}\n")
    ciphermark_target_of(guard target processors ${FEATURES})
    if(ONLY_64_BIT)
      set(guard "${CIPHERMARK_X86_64_GUARD}")
      set(processors "${CIPHERMARK_X86_64_PROCESSORS}")
    endif()
    if(TARGET)
      set(target "\"${TARGET}\"")
    endif()
    set(begin "#if ${guard}\nCIPHERMARK_TARGET_BEGIN(${target})\n")
    set(end "\nCIPHERMARK_TARGET_END")
    set(endif "\n#endif\n")
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/generated/variants/${family}/${unit}.cpp")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/variant.cpp.in" "${source}" @ONLY)
  set_source_files_properties("${source}" PROPERTIES CIPHERMARK_MASKED "${MASKED}"
                              CIPHERMARK_GCC "${GCC}" CIPHERMARK_PROCESSORS "${processors}")
  set(${variable} "${source}" PARENT_SCOPE)

  # The same with words that emit what they leak, for the evidence (CiphermarkEvidence.cmake). Variants for some processors
  # differ in the instructions that work on a word, which have no part in that model.
  if(MASKED AND NOT FEATURES)
    if(family MATCHES "/spook$")
      # Only the last type is one of shares; the others are of what works without.
      string(REGEX REPLACE ", (std::[a-z0-9_]+)>\\(" ", evidence::Leaking<\\1>>(" DESCRIPTORS "${DESCRIPTORS}")
    else()
      string(REGEX REPLACE ", ([a-z_]+::)" ">, evidence::Leaking<\\1" DESCRIPTORS "${DESCRIPTORS}")
      string(REGEX REPLACE "describe_masked<([^;]*)>\\(" "describe_masked<evidence::Leaking<\\1>>(" DESCRIPTORS
             "${DESCRIPTORS}")
    endif()
    string(APPEND includes "\n#include \"evidence/leakage/leaking.h\"")
    set(leaking "${CMAKE_CURRENT_BINARY_DIR}/generated/evidence/${family}/${unit}.cpp")
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/variant.cpp.in" "${leaking}.in" @ONLY)
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/leaking.cpp.in" "${leaking}" @ONLY)
    set_property(GLOBAL APPEND PROPERTY CIPHERMARK_LEAKING_SOURCES "${leaking}")
  endif()
endfunction()

# ciphermark_target_of(<guard> <target> <processors> <feature>...): the preprocessor condition under which a compiler has these
# features, what CIPHERMARK_TARGET_BEGIN takes for them, and the targets that can have them.
function(ciphermark_target_of guard target processors)
  if("${ARGN}" STREQUAL "neon")
    set(${guard} "${CIPHERMARK_NEON_GUARD}" PARENT_SCOPE)
    set(${target} CIPHERMARK_NEON PARENT_SCOPE)
    set(${processors} "${CIPHERMARK_NEON_PROCESSORS}" PARENT_SCOPE)
    return()
  endif()
  foreach(feature IN LISTS ARGN)
    if(NOT feature IN_LIST CIPHERMARK_X86_FEATURES)
      message(FATAL_ERROR "'${feature}' is not a processor feature of cmake/CiphermarkVariants.cmake; expected neon or some "
                          "of ${CIPHERMARK_X86_FEATURES}")
    endif()
  endforeach()
  list(JOIN ARGN "," targets)
  set(${guard} "${CIPHERMARK_X86_GUARD}" PARENT_SCOPE)
  set(${target} "\"${targets}\"" PARENT_SCOPE)
  set(${processors} "${CIPHERMARK_X86_PROCESSORS}" PARENT_SCOPE)
endfunction()
