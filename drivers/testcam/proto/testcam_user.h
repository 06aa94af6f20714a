/* What programs can ask of testcam beyond the documented sets: to be told of every nth picture; C11 and C++17. Include
 * ks.h first. */
#ifndef TESTCAM_USER_H
#define TESTCAM_USER_H

/* Events of a capture or preview pin. */
#define STATIC_TESTCAM_EVENTSETID_PICTURE 0x3d1ea5b2, 0x52c8, 0x4f0e, 0x9a, 0x31, 0x6e, 0x70, 0x84, 0x1d, 0xc9, 0x25
DEFINE_GUIDSTRUCT("3D1EA5B2-52C8-4F0E-9A31-6E70841DC925", TESTCAM_EVENTSETID_PICTURE);
#define TESTCAM_EVENTSETID_PICTURE DEFINE_GUIDNAMED(TESTCAM_EVENTSETID_PICTURE)

typedef enum { TESTCAM_EVENT_EVERY_NTH_PICTURE } TESTCAM_EVENT_PICTURE;

/* The event data of TESTCAM_EVENT_EVERY_NTH_PICTURE. */
typedef struct TESTCAM_EVENTDATA {
  KSEVENTDATA EventData;
  ULONG Every; /* not 0 */
  ULONG Reserved;
} TESTCAM_EVENTDATA;

#endif
