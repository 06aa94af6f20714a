// Destructors of static objects in libdxcore.so: none are run.
//
// When a program that loaded the library with dlopen ends, they would run among its exit handlers, before the client's
// own clean-up has made its last calls and before call.cc ends the kernel. Nothing in here needs them: the library is
// never unloaded, and the process is about to go. Hidden, so that only this library's registrations come here.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
