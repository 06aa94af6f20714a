// Arithmetic that MSVC defines and the C++ standard does not.
enum Mode { ModeOff, ModeOn };

static bool is_on(const volatile Mode& mode) { return mode == ModeOn; }

// Each returns 1 when it came out as on Windows.
extern "C" int DriverEntry(int what, int value) {
  switch (what) {
    case 0:
      return value + 1 < value;  // INT_MAX
    case 1:
      return -value == value;  // INT_MIN
    case 2:
      return (1 << value) < 0;  // 31
    case 3: {
      // An enumeration of the driver's, written by another one that knows more values.
      Mode mode = ModeOff;
      *reinterpret_cast<volatile int*>(&mode) = value;
      return !is_on(mode);
    }
  }
  return 0;
}
