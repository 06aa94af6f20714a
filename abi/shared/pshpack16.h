// Packs the structures that follow to 16 bytes; poppack.h undoes it. Included repeatedly by design.
#pragma GCC system_header
#pragma pack(push, 16)
