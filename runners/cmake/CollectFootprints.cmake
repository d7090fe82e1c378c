# Writes the rows of the files ROWS as one JSON list to OUTPUT.
set(list "")
foreach(file IN LISTS ROWS)
  file(READ "${file}" rows)
  string(APPEND list "${rows}")
endforeach()
string(REGEX REPLACE ",\n$" "\n" list "${list}")
file(WRITE "${OUTPUT}" "[\n${list}]\n")
