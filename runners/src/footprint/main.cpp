// The rest of a program that contains one implementation alone; never executed. Where there are exceptions it
// throws and catches so that what C++ needs for that, a pointer to the handler of the runtime, is part of the
// empty program too.
int main(int count, char** /*arguments*/) {
#if defined(__cpp_exceptions)
  try {
    throw count;
  } catch (int caught) {
    return caught;
  }
#else
  return count;
#endif
}
