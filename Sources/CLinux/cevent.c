// Wakes up the wait of a thread (eventfd(2)).
#include "cevent.h"

#include <sys/eventfd.h>

int cevent_open(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
