#include "cmalloc.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

// The defaults of glibc at the start of a process (mallopt(3)).
enum { THRESHOLD = 128 * 1024 };

void cmalloc_fix_thresholds(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, THRESHOLD);
    mallopt(M_TRIM_THRESHOLD, THRESHOLD);
#endif
}

void cmalloc_trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
