//! Checks that a program makes about its own pointers.
