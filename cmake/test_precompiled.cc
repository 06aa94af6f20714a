// The precompiled header of the test programs belongs to a target, and a target has a source (DrydockLayer.cmake). The
// target is a program like them, because both must be compiled with the same flags.
