/* Loads libdxcore.so as compute runtimes do: by name, at run time, into a scope of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "client.h"

#define FUNCTION(library, name) ((__typeof__(&D3DKMT##name))dlsym(library, "D3DKMT" #name))

int main(void) {
  void* library = dlopen("libdxcore.so", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) fprintf(stderr, "hidden: %s\n", dlerror());
  MUST(library);
  MUST(!dlsym(RTLD_DEFAULT, "D3DKMTEnumAdapters2"));
  MUST(dlsym(library, "DXCoreCreateAdapterFactory"));
  MUST(!dlsym(library, "D3DKMTNoSuchFunction"));

  D3DKMT_ADAPTERINFO adapters[64];
  D3DKMT_ENUMADAPTERS2 list = {64, adapters};
  MUST(FUNCTION(library, EnumAdapters2)(&list) == STATUS_SUCCESS);
  MUST(list.NumAdapters == 1);
  D3DKMT_CREATEDEVICE create = {0};
  create.hAdapter = adapters[0].hAdapter;
  MUST(FUNCTION(library, CreateDevice)(&create) == STATUS_SUCCESS);
  D3DKMT_DESTROYDEVICE destroy = {create.hDevice};
  MUST(FUNCTION(library, DestroyDevice)(&destroy) == STATUS_SUCCESS);
  D3DKMT_CLOSEADAPTER close = {adapters[0].hAdapter};
  MUST(FUNCTION(library, CloseAdapter)(&close) == STATUS_SUCCESS);
  dlclose(library); /* the kernel's threads run in it: it stays */
  return 0;
}
