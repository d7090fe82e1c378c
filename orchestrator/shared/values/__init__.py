"""Values that come from outside: texts, times and numbers, each refused or neutralized by one rule."""
