# Links a program for each implementation of OBJECT alone and writes a row of JSON for each to OUTPUT.
#
# PROVIDER of the rows · OBJECT compiled from a wrapper (alone.cpp.in) · REST: the objects of main and of the
# implementation that does nothing · LIBRARIES that may be used · COMPILER, NM, OBJCOPY, READELF · REASON why nothing
# can be linked, or nothing.
#
# The system's own libraries (C, C++) are not linked, whatever the runners do: their code is not the implementation's,
# and a program that is never executed does without them. Whole programs had the same sizes for own ciphers and 0.1 %
# less for libraries, in three times the time (x86-64, GCC 12, 2026-11-20).
cmake_minimum_required(VERSION 3.25)

function(run_or_fail variable)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE complaint RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${complaint}")
  endif()
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

# read_symbols(<object>): symbol_<index> of each implementation in an object.
macro(read_symbols object)
  run_or_fail(symbols "${NM}" "${object}")
  string(REGEX MATCHALL "_ZN[A-Za-z0-9_]*6kAloneILj[0-9]+E[A-Za-z0-9_]*" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    string(REGEX REPLACE ".*6kAloneILj([0-9]+)E.*" "\\1" index "${symbol}")
    set(symbol_${index} "${symbol}")
  endforeach()
endmacro()

# measure(<code> <constants> <ram> <symbol> [<file>...]): .text + .rodata, .rodata alone, and .data + .bss, in bytes, of a program
# with the object of this symbol, linked with these files; `complaint` is the reason if there is none. AVR reads flash by
# instructions of its own, so that constants are in .data: in flash, from where they are copied at the start, and in RAM.
function(measure code_variable constants_variable ram_variable symbol)
  execute_process(COMMAND ${COMPILER} -nostdlib ${REST} ${ARGN} -lgcc -Wl,--gc-sections -Wl,--strip-all -Wl,--entry=main
                          "-Wl,--undefined=${symbol}" -Wl,--unresolved-symbols=ignore-all
                          -Wl,--defsym=__dso_handle=0 -o "${OUTPUT}.program"
                  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE outcome)
  if(NOT outcome EQUAL 0)
    set(complaint "it does not link alone: ${output}" PARENT_SCOPE)
    return()
  endif()
  run_or_fail(sections "${READELF}" -hSW "${OUTPUT}.program")
  set(code 0)
  set(constants 0)
  set(ram 0)
  # A row: [number] name type address offset size …
  string(REGEX MATCHALL "[.]s?(text|rodata|data|bss) +[A-Z]+ +[0-9a-f]+ +[0-9a-f]+ +[0-9a-f]+" rows "${sections}")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE ".* " "0x" size "${row}")
    if(row MATCHES "^[.]s?(text|rodata)")
      math(EXPR code "${code} + ${size}")
      if(row MATCHES "rodata")
        math(EXPR constants "${constants} + ${size}")
      endif()
    else()
      math(EXPR ram "${ram} + ${size}")
      if(row MATCHES "^[.]data" AND sections MATCHES "Machine: +Atmel AVR")
        math(EXPR code "${code} + ${size}")
        math(EXPR constants "${constants} + ${size}")
      endif()
    endif()
  endforeach()
  file(REMOVE "${OUTPUT}.program")
  set(${code_variable} ${code} PARENT_SCOPE)
  set(${constants_variable} ${constants} PARENT_SCOPE)
  set(${ram_variable} ${ram} PARENT_SCOPE)
  set(complaint "" PARENT_SCOPE)
endfunction()

# append_row(<algorithm> <variant> <context> <symbol> <code> <constants> <ram> <reason>)
function(append_row algorithm variant context symbol code constants ram reason)
  # The output of a linker may contain any character.
  string(REGEX REPLACE "[^ -~]+" " " reason "${reason}")
  string(REGEX REPLACE "[\"\\\\]" "'" reason "${reason}")
  string(SUBSTRING "${reason}" 0 1000 reason)
  file(APPEND "${OUTPUT}" "{\"provider\": \"${PROVIDER}\", \"algorithm\": \"${algorithm}\", \"variant\": \"${variant}\", \
\"context_bytes\": ${context}, \"symbol\": \"${symbol}\", \"code_bytes\": ${code}, \"constant_bytes\": ${constants}, \
\"static_ram_bytes\": ${ram}, \"reason\": \"${reason}\"},\n")
endfunction()

foreach(object IN LISTS REST)
  read_symbols("${object}")
endforeach()
measure(empty_code empty_constants empty_ram "${symbol_0}")
if(complaint)
  message(FATAL_ERROR "the empty program: ${complaint}")
endif()

read_symbols("${OBJECT}")
run_or_fail(output "${OBJCOPY}" -O binary --only-section=.ciphermark_names "${OBJECT}" "${OUTPUT}.names")
file(STRINGS "${OUTPUT}.names" names)
file(REMOVE "${OUTPUT}.names")
file(WRITE "${OUTPUT}" "")
set(index 0)
foreach(name IN LISTS names)
  string(REGEX REPLACE " +" ";" name "${name}")
  list(APPEND name "${symbol_${index}}")
  set(complaint "${REASON}")
  if(NOT complaint)
    measure(code constants ram "${symbol_${index}}" "${OBJECT}" ${LIBRARIES})
  endif()
  if(complaint)
    append_row(${name} null null null "${complaint}")
  else()
    math(EXPR code "${code} - ${empty_code}")
    math(EXPR ram "${ram} - ${empty_ram}")
    math(EXPR constants "${constants} - ${empty_constants}")
    append_row(${name} ${code} ${constants} ${ram} "")
  endif()
  math(EXPR index "${index} + 1")
endforeach()
