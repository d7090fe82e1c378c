# The library of our own ciphers for programs in other languages: libciphermark-ffi.a, with the C interface of
# include/ciphermark/ffi.h. Not part of the default build: a binding builds it (orchestrator/wire/languages/bindings).

# The families that the other languages have, too (orchestrator/wire/languages/contract.py).
set(CIPHERMARK_FFI_FAMILIES aes aes_gcm ascon chacha20 chacha20_poly1305 simon speck tinyjambu)

# ciphermark_ffi(): the target ciphermark-ffi, with these families but without their masked variants, which are never the
# default. Its objects are compiled again, with position-independent code, because programs of other languages load them in
# shared objects.
function(ciphermark_ffi)
  get_property(families GLOBAL PROPERTY CIPHERMARK_FAMILY_SOURCES)
  list(JOIN CIPHERMARK_FFI_FAMILIES "|" names)
  list(FILTER families INCLUDE REGEX "/ciphers/[a-z]+/(${names})/")
  set(unmasked "")
  foreach(file IN LISTS families)
    get_source_file_property(masked "${file}" CIPHERMARK_MASKED)
    if(NOT masked)
      list(APPEND unmasked "${file}")
    endif()
  endforeach()
  set(registry "${CMAKE_CURRENT_BINARY_DIR}/generated/ffi_registry.cpp")
  ciphermark_registry("${registry}" ${unmasked})
  ciphermark_alone_sources(wrapped ${unmasked})
  add_library(ciphermark-ffi STATIC EXCLUDE_FROM_ALL src/ffi/ffi.cpp src/core/bytes.cpp src/core/failure.cpp
              src/provider/cpu_features.cpp src/core/microarchitecture.cpp src/provider/selection.cpp
              src/provider/seams/provider.cpp
              ${wrapped} "${registry}")
  target_include_directories(ciphermark-ffi PUBLIC include
                             PRIVATE src "${CMAKE_CURRENT_BINARY_DIR}/generated/variants")
  target_link_libraries(ciphermark-ffi PRIVATE ciphermark_toolchain)
  set_target_properties(ciphermark-ffi PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
endfunction()
