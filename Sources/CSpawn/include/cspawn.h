// Programs that are started apart from the one that starts them; Swift's view of the C library lacks the calls.
#ifndef NFCD_CSPAWN_H
#define NFCD_CSPAWN_H

#include <sys/types.h>

/// Starts a program (posix_spawn(3)): in a new session, in the directory `/`, with default signals, and with three descriptors:
/// `input`, and `output` for both standard output and standard error. 0, or a code of errno(3).
int cspawn_start(const char *path, char *const arguments[], char *const environment[], int input, int output, pid_t *child);

/// A descriptor that can be read when a child has ended (pidfd_open(2)); -1 and errno where there is none.
int cspawn_open_end(pid_t child);

/// Makes a pipe whose ends are not inherited: the end to read from, then the end to write to. -1 and errno: it was not made.
int cspawn_pipe(int ends[2]);

#endif
