// The peer of a Unix socket, with a structure that Swift's view of the C library lacks.
#ifndef NFCD_CPEER_H
#define NFCD_CPEER_H

#include <sys/types.h>

/// The process that connected or listens, with its effective user and group at that time.
struct cpeer {
    pid_t process;
    uid_t user;
    gid_t group;
};

/// Reads the peer of a connected socket (SO_PEERCRED, socket(7)). -1 and errno: it is not known.
int cpeer_read(int socket, struct cpeer *_Nonnull peer);

#endif
