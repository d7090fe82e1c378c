# Executes RUNNER (a list, with the emulator first if there is one) with `list`. It fails if an algorithm has no known
# answers; then the build fails.
execute_process(COMMAND ${RUNNER} list OUTPUT_QUIET ERROR_VARIABLE complaint RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${RUNNER} list ended with ${code}: ${complaint}")
endif()
