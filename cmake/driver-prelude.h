// Read before every C++ source file of a driver: what its `new` means. Not the implicit operators, which clang takes to
// never return null: these are preferred to them (enable_if) without being them (the ellipsis). driver-cc.sed gives the
// driver's own definitions this form; a driver that uses one and has none fails to link (driver-ld).
void* __attribute__((enable_if(true, ""))) operator new(decltype(sizeof 0), ...) noexcept;
void* __attribute__((enable_if(true, ""))) operator new[](decltype(sizeof 0), ...) noexcept;
