// Programs that are started apart from the one that starts them, and that leave nothing behind.
#ifndef NFCD_CSPAWN_H
#define NFCD_CSPAWN_H

#include <sys/types.h>

/// What becomes of processes that a program leaves in the background.
enum cspawn_background {
    /// They are killed when the program ends. It runs in a new session, in the directory `/`.
    cspawn_ends,
    /// They run until `control` is closed. The program runs in a new process group, as with `cspawn_goes_on`.
    cspawn_stays,
    /// Neither they nor the program are ended.
    cspawn_goes_on,
};

/// A program to start.
struct cspawn_command {
    const char *path;
    char *const *arguments;
    char *const *environment;
    /// The descriptors of its standard streams.
    int input, output, errors;
    enum cspawn_background background;
};

/// The process that keeps what a program starts: every descendant is its own, also one that has changed its session or its parent
/// (PR_SET_CHILD_SUBREAPER).
struct cspawn_keeper {
    /// The keeper, to be reaped.
    pid_t process;
    /// Closing it ends all that is left: SIGTERM, and SIGKILL after 2 s. The end of the program that holds it closes it too.
    int control;
    /// Has the status of waitpid(2) of the program when that has ended, and then its end.
    int end;
};

/// Starts a program with default signals. 0, or a code of errno(3).
int cspawn_start(const struct cspawn_command *command, struct cspawn_keeper *keeper);

/// Makes a pipe whose ends are not inherited: the end to read from, then the end to write to. -1 and errno: it was not made.
int cspawn_pipe(int ends[2]);

#endif
