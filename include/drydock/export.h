#pragma once

// What libdrydock.so exports to programs; everything else in it is hidden.
#define DRYDOCK_API __attribute__((visibility("default")))
