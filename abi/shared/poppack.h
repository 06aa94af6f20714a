// Undoes the latest pshpackN.h. Included repeatedly by design.
#pragma GCC system_header
#pragma pack(pop)
