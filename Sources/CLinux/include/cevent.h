// Events between threads as descriptors (eventfd(2)), which Swift's view of the C library lacks.
#ifndef NFCD_CEVENT_H
#define NFCD_CEVENT_H

/// A descriptor that can be read once a number was written to it, until that is read; -1 and errno: it was not made.
int cevent_open(void);

#endif
