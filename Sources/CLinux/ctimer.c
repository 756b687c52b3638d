// Timers of the kernel (timerfd_create(2)), and what the kernel knows of the wall clock.
#include "ctimer.h"

#include <errno.h>
#include <limits.h>
#include <sys/timerfd.h>
#include <sys/timex.h>

static const int64_t second = 1000000000;

int ctimer_open(clockid_t clock) { return timerfd_create(clock, TFD_NONBLOCK | TFD_CLOEXEC); }

int ctimer_set(int descriptor, int64_t nanoseconds) {
    struct itimerspec time = {.it_value = {.tv_sec = nanoseconds / second, .tv_nsec = nanoseconds % second}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &time, 0);
}

int ctimer_open_clock_changes(void) { return ctimer_open(CLOCK_REALTIME); }

int ctimer_await_clock_change(int descriptor) {
    // A time that never comes; the kernel calls the timer off when the clock is set.
    struct itimerspec never = {.it_value = {.tv_sec = LONG_MAX}};
    int code = timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, 0);
    // A change before this call is reported as an error, although the timer is set (timerfd_create(2)).
    return code < 0 && errno == ECANCELED ? 0 : code;
}

int ctimer_is_wall_clock_synchronised(void) {
    struct timex state = {0};
    int result = adjtimex(&state);
    return result >= 0 && result != TIME_ERROR && !(state.status & STA_UNSYNC);
}
