// The memory of libcrypto. It copies keys there while it computes with them, so no core dump has it, and it is overwritten when it
// becomes free.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // madvise
#endif
#include "CCrypto.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

// Blocks have 32 bytes, or 64, … up to 32 KiB, with their header; what is longer has its own pages.
enum { SMALLEST = 5, LARGEST = 15, REGION = 256 * 1024 };

typedef union block {
    size_t length; // with the header
    union block *next; // of a free block
    max_align_t alignment;
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *free_blocks[LARGEST + 1];
static char *unused, *unused_end;

static void take_lock(void) { pthread_mutex_lock(&lock); }

static void release_lock(void) { pthread_mutex_unlock(&lock); }

static void *pages(size_t length) {
    void *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    madvise(pages, length, MADV_DONTDUMP);
    return pages;
}

static int size_class(size_t length) {
    int class = SMALLEST;
    while (class <= LARGEST && (size_t)1 << class < length)
        class++;
    return class;
}

// A block of a class; the lock is held. The rest of a region that is too short stays unused.
static block *new_block(int class) {
    size_t length = (size_t)1 << class;
    block *found = free_blocks[class];
    if (found != NULL) {
        free_blocks[class] = found->next;
        return found;
    }
    if ((size_t)(unused_end - unused) < length) {
        char *region = pages(REGION);
        if (region == NULL)
            return NULL;
        unused = region;
        unused_end = region + REGION;
    }
    found = (block *)unused;
    unused += length;
    return found;
}

static void *allocate(size_t count, const char *file, int line) {
    (void)file, (void)line;
    if (count == 0 || count > PTRDIFF_MAX - sizeof(block))
        return NULL;
    size_t length = count + sizeof(block);
    int class = size_class(length);
    block *found;
    if (class > LARGEST) {
        found = pages(length);
    } else {
        length = (size_t)1 << class;
        take_lock();
        found = new_block(class);
        release_lock();
    }
    if (found == NULL)
        return NULL;
    found->length = length;
    return found + 1;
}

static void release(void *memory, const char *file, int line) {
    (void)file, (void)line;
    if (memory == NULL)
        return;
    block *freed = (block *)memory - 1;
    size_t length = freed->length;
    int class = size_class(length);
    if (class > LARGEST) {
        munmap(freed, length);
        return;
    }
    OPENSSL_cleanse(memory, length - sizeof(block));
    take_lock();
    freed->next = free_blocks[class];
    free_blocks[class] = freed;
    release_lock();
}

static void *reallocate(void *memory, size_t count, const char *file, int line) {
    void *moved = allocate(count, file, line);
    if (memory != NULL && (moved != NULL || count == 0)) {
        size_t had = ((block *)memory - 1)->length - sizeof(block);
        if (moved != NULL)
            memcpy(moved, memory, had < count ? had : count);
        release(memory, file, line);
    }
    return moved;
}

void ccrypto_protect_memory(void) {
    // Fails once libcrypto has memory.
    if (CRYPTO_set_mem_functions(allocate, reallocate, release))
        pthread_atfork(take_lock, release_lock, release_lock);
}
