// Packs the structures that follow to 2 bytes; poppack.h undoes it. Included repeatedly by design.
#pragma GCC system_header
#pragma pack(push, 2)
