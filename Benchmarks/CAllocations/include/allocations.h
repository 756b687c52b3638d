#pragma once

#include <stdint.h>

/// Counts from 0 how often this thread asks for memory, from now on until `allocations_stop`.
void allocations_start(void);

/// Ends the count and returns it.
uint64_t allocations_stop(void);
