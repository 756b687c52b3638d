#define _GNU_SOURCE
#include "cspawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

static int add_actions(posix_spawn_file_actions_t *actions, int input, int output) {
    int code = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    if (!code) code = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (!code) code = posix_spawn_file_actions_adddup2(actions, output, STDERR_FILENO);
#ifdef __GLIBC__
    // Everything else is opened with O_CLOEXEC; this is for libraries that forget it.
    if (!code) code = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
    if (!code) code = posix_spawn_file_actions_addchdir_np(actions, "/");
    return code;
}

static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int code = posix_spawnattr_setsigdefault(attributes, &all);
    if (!code) code = posix_spawnattr_setsigmask(attributes, &none);
    if (!code)
        code = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    return code;
}

int cspawn_start(
    const char *path, char *const arguments[], char *const environment[], int input, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (!code) {
        code = add_actions(&actions, input, output);
        if (!code) code = set_attributes(&attributes);
        if (!code) code = posix_spawn(child, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int cspawn_open_end(pid_t child) { return (int)syscall(SYS_pidfd_open, child, 0); }

int cspawn_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
