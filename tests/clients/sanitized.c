/* A driver's file as AddressSanitizer leaves its mark on it. Nothing in it ever runs. */
void __asan_init(void);
int DriverEntry(void* driver, void* path);
int DriverEntry(void* driver, void* path) {
  (void)driver;
  (void)path;
  __asan_init();
  return 0;
}
