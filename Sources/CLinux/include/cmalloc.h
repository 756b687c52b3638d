// Functions of glibc's allocator that Swift's view of the C library lacks.
#ifndef NFCD_CMALLOC_H
#define NFCD_CMALLOC_H

/// Keeps glibc from raising the size from which it returns freed memory at once, 128 KiB (mallopt(3), M_MMAP_THRESHOLD and
/// M_TRIM_THRESHOLD); does nothing with another C library.
void cmalloc_fix_thresholds(void);

/// Returns free memory of all arenas to the system (malloc_trim(3)); does nothing with another C library.
void cmalloc_trim(void);

/// Returns the free blocks that the calling thread keeps for itself to the arenas, so that ``cmalloc_trim`` finds the pages that they are
/// in; does nothing with another C library.
void cmalloc_empty_thread_cache(void);

#endif
