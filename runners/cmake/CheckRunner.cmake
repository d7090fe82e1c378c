# Executes RUNNER (a list: emulator first, where there is one) with `list`, which fails when an algorithm is offered
# without known answers: such a build must not come to be.
execute_process(COMMAND ${RUNNER} list OUTPUT_QUIET ERROR_VARIABLE complaint RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${RUNNER} list ended with ${code}: ${complaint}")
endif()
