// Timers of Linux as descriptors (timerfd_create(2)), which Swift's view of the C library lacks.
#ifndef NFCD_CTIMER_H
#define NFCD_CTIMER_H

#include <stdint.h>
#include <time.h>

/// A descriptor that can be read when the time is over that `ctimer_set` sets; -1 and errno if there is none.
int ctimer_open(clockid_t clock);

/// Sets the one time of a descriptor, in nanoseconds of its clock; 0 for none. -1 and errno: it was not set.
int ctimer_set(int descriptor, int64_t nanoseconds);

/// A descriptor that can be read when the wall clock was set, which a resume from suspension is too.
int ctimer_open_clock_changes(void);

/// Waits for the next change; changes between two calls are reported. -1 and errno: the wait failed.
int ctimer_await_clock_change(int descriptor);

/// 1 if a time source has set the wall clock (adjtimex(2)); 0 if not, or if that is not known.
int ctimer_is_wall_clock_synchronised(void);

#endif
