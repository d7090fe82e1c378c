# The programs behind `ciphermark-own leakage`, below evidence/ of the build folder. They are not part of the default build:
# `make evidence` builds them, and the native tests build a part. None of them is measured.

# What the tests examine: one masked variant with few shares, because each is compiled again with words that emit what they leak.
set(CIPHERMARK_EVIDENCE_SAMPLE "/ascon/masked64[.]cpp$")
set(CIPHERMARK_EVIDENCE_SAMPLE_SHARES 3)
# What `make evidence` examines by t-tests: more traces than it has show nothing of the highest orders of more shares.
set(CIPHERMARK_EVIDENCE_SHARES 4)

# ciphermark_evidence(): the gadget checks and t-tests, with all variants or with the sample of the tests, and the program that
# watches object code.
function(ciphermark_evidence)
  get_property(leaking GLOBAL PROPERTY CIPHERMARK_LEAKING_SOURCES)
  set(sample ${leaking})
  list(FILTER sample INCLUDE REGEX "${CIPHERMARK_EVIDENCE_SAMPLE}")
  if(NOT sample OR NOT CIPHERMARK_MASKED)
    return()  # a tree or a build without masked families
  endif()
  file(GLOB checks CONFIGURE_DEPENDS src/evidence/probing/*.cpp src/evidence/leakage/*.cpp)
  # Objects, because the leaking variants add themselves before main. Many lanes at a time; the object code of these programs is no
  # subject.
  ciphermark_evidence_objects(checks "${CIPHERMARK_EVIDENCE_SAMPLE_SHARES}" -O3 ${checks})
  ciphermark_evidence_objects(sample "${CIPHERMARK_EVIDENCE_SAMPLE_SHARES}" -O3 ${sample})
  ciphermark_evidence_objects(leaking "${CIPHERMARK_EVIDENCE_SHARES}" -O3 ${leaking})
  # Nothing else is linked that could replace the object code of the runner.
  file(GLOB stepping CONFIGURE_DEPENDS src/evidence/stepping/*.cpp)
  ciphermark_evidence_objects(stepping "${CIPHERMARK_MOST_SHARES}" "" ${stepping})

  ciphermark_evidence_program(leakage leakage_program.cpp ciphermark_evidence_checks ciphermark_evidence_leaking)
  ciphermark_evidence_program(leakage-sample leakage_program.cpp ciphermark_evidence_checks ciphermark_evidence_sample)
  ciphermark_evidence_program(object-code object_code_program.cpp ciphermark_evidence_stepping)
  add_custom_target(evidence DEPENDS evidence-leakage evidence-object-code ciphermark-own)
endfunction()

# ciphermark_evidence_objects(<name> <most shares> <optimization, for this processor, or empty> <source>...)
function(ciphermark_evidence_objects name shares optimization)
  set(target "ciphermark_evidence_${name}")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_include_directories(${target} PUBLIC include src)
  target_link_libraries(${target} PUBLIC ciphermark_harness)
  if(shares GREATER CIPHERMARK_MOST_SHARES)
    set(shares "${CIPHERMARK_MOST_SHARES}")
  endif()
  target_compile_definitions(${target} PRIVATE CIPHERMARK_MOST_SHARES=${shares})
  if(optimization AND NOT CIPHERMARK_SANITIZE)
    target_compile_options(${target} PRIVATE ${optimization})
    if(NOT CMAKE_CROSSCOMPILING)
      target_compile_options(${target} PRIVATE -march=native)
    endif()
  endif()
endfunction()

# ciphermark_evidence_program(<name> <source> <library>...): evidence/ciphermark-<name>
function(ciphermark_evidence_program name source)
  file(GLOB reports CONFIGURE_DEPENDS src/evidence/report/*.cpp)
  add_executable(evidence-${name} EXCLUDE_FROM_ALL "src/evidence/${source}" ${reports})
  set_target_properties(evidence-${name} PROPERTIES OUTPUT_NAME "ciphermark-${name}"
                        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/evidence")
  target_link_libraries(evidence-${name} PRIVATE ciphermark_parts ciphermark_calls_own ${ARGN})
endfunction()
