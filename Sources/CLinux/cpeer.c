// The credentials of the peer of a Unix socket (SO_PEERCRED, socket(7)).
#define _GNU_SOURCE
#include "cpeer.h"

#include <sys/socket.h>

int cpeer_read(int socket, struct cpeer *peer) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *peer = (struct cpeer){.process = credentials.pid, .user = credentials.uid, .group = credentials.gid};
    return 0;
}
