// Returns free memory to the system (mallopt(3), malloc_trim(3)).
#include "cmalloc.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <pthread.h>
#endif

// The defaults of glibc at the start of a process (mallopt(3)).
enum { THRESHOLD = 128 * 1024 };

void cmalloc_fix_thresholds(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, THRESHOLD);
    mallopt(M_TRIM_THRESHOLD, THRESHOLD);
#endif
}

#ifdef __GLIBC__
// The thread cache of glibc has 7 blocks of each of 64 sizes, in steps of 16 bytes on 64-bit systems.
enum { SIZES = 64, BLOCKS = 7, STEP = 2 * sizeof(void *) };

static void *free_blocks(void *blocks) {
    for (int i = 0; i < SIZES * BLOCKS; i++) free(((void **)blocks)[i]);
    free(blocks);
    return NULL;
}
#endif

void cmalloc_empty_thread_cache(void) {
#ifdef __GLIBC__
    void **blocks = calloc(SIZES * BLOCKS, sizeof(void *));
    if (!blocks) return;
    for (int i = 0; i < SIZES * BLOCKS; i++) blocks[i] = malloc((i / BLOCKS + 2) * STEP - sizeof(void *));
    // A thread that ends gives its cache to the arenas. The caller does not wait for it.
    pthread_t thread;
    if (pthread_create(&thread, NULL, free_blocks, blocks) != 0)
        free_blocks(blocks);
    else
        pthread_detach(thread);
#endif
}

void cmalloc_trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
