// Packs the structures that follow to 1 byte; poppack.h undoes it. Included repeatedly by design.
#pragma GCC system_header
#pragma pack(push, 1)
