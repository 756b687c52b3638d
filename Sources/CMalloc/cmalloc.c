#include "cmalloc.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

void cmalloc_trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
