// A function of glibc's allocator that Swift's view of the C library lacks.
#ifndef NFCD_CMALLOC_H
#define NFCD_CMALLOC_H

/// Returns free memory of all arenas to the system (malloc_trim(3)); does nothing with another C library.
void cmalloc_trim(void);

#endif
