// Arithmetic for user-mode drivers. These mean the same in libm, which provides them.
#pragma once
#pragma GCC system_header

#include "../shared/ntdef.h"

EXTERN_C_START

float fabsf(float x);
float sqrtf(float x);
float floorf(float x);
float ceilf(float x);
float fmodf(float x, float y);
float sinf(float x);
float cosf(float x);
float tanf(float x);
float powf(float x, float y);
float expf(float x);
float logf(float x);

double fabs(double x);
double sqrt(double x);
double floor(double x);
double ceil(double x);
double fmod(double x, double y);
double sin(double x);
double cos(double x);
double tan(double x);
double pow(double x, double y);
double exp(double x);
double log(double x);

EXTERN_C_END
