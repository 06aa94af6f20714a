#pragma once

// What libdrydock.so shows to programs; everything else in it is its own.
#define DRYDOCK_API __attribute__((visibility("default")))
