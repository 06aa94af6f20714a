// Memory and byte strings for drivers. These mean the same in libc, which provides them.
#pragma once
#pragma GCC system_header

#include "stddef.h"
#include "wchar.h"

#define _stricmp DrydockStricmp
#define _strnicmp DrydockStrnicmp

EXTERN_C_START

void* memcpy(void* to, const void* from, size_t count);
void* memmove(void* to, const void* from, size_t count);
void* memset(void* to, int value, size_t count);
int memcmp(const void* a, const void* b, size_t count);
size_t strlen(const char* s);
size_t strnlen(const char* s, size_t limit);
int strcmp(const char* a, const char* b);
int strncmp(const char* a, const char* b, size_t count);
char* strcpy(char* to, const char* from);
char* strncpy(char* to, const char* from, size_t count);
char* strcat(char* to, const char* from);
void* memchr(const void* at, int value, size_t count);
char* strchr(const char* s, int c);
char* strrchr(const char* s, int c);
char* strstr(const char* s, const char* part);

EXTERN_C_END
