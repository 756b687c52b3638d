/* A library for LD_PRELOAD that makes a process's files in one folder behave as on a machine that loses power, or on a disk that
 * begins to fail. Used by stored.py, which compiles it.
 *
 * SOAK_FOLDER   the folder whose files are watched, without folders in it
 * SOAK_SHADOW   a folder that holds what a loss of power leaves: after each fsync or fdatasync the content of that file, after a sync
 *               of the folder also its names. A file whose folder was not synced yet waits in SOAK_SHADOW.pending.
 * SOAK_FAIL     the number of a write or sync, counted from 1: it and all later ones fail
 * SOAK_ERRNO    the error they fail with; 5 (EIO) by default
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls;

#define REAL(name) ((__typeof__(&name)) real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* The path of a descriptor, if it is the folder or a file in it; otherwise 0. */
static int watched_path(int file, char path[PATH_MAX]) {
    const char *folder = getenv("SOAK_FOLDER");
    char link[64];
    if (!folder) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    size_t prefix = strlen(folder);
    return strncmp(path, folder, prefix) == 0 && (path[prefix] == 0 || path[prefix] == '/');
}

/* Whether a write or sync of the descriptor fails; errno is set then. */
static int fails(int file) {
    const char *first = getenv("SOAK_FAIL"), *number = getenv("SOAK_ERRNO");
    char path[PATH_MAX];
    if (!first || !watched_path(file, path)) return 0;
    pthread_mutex_lock(&lock);
    int is_failing = ++calls >= atol(first);
    pthread_mutex_unlock(&lock);
    if (is_failing) errno = number ? atoi(number) : EIO;
    return is_failing;
}

static void copy(int from, const char *to) {
    char buffer[1 << 16], new[2 * PATH_MAX + 8];
    snprintf(new, sizeof new, "%s.new", to);
    int file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    off_t offset = 0;
    ssize_t length;
    while ((length = pread(from, buffer, sizeof buffer, offset)) > 0) {
        if (REAL(write)(file, buffer, length) != length) abort();
        offset += length;
    }
    close(file);
    rename(new, to);
}

static int exists(const char *path) { return access(path, F_OK) == 0; }

static void make_durable(const char *shadow, const char *name) {
    char from[2 * PATH_MAX], to[2 * PATH_MAX];
    snprintf(from, sizeof from, "%s.pending/%s", shadow, name);
    snprintf(to, sizeof to, "%s/%s", shadow, name);
    if (exists(from)) rename(from, to);
    else if (!exists(to)) close(open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

/* The names in the shadow become those in the folder. */
static void sync_folder(const char *folder, const char *shadow) {
    char path[2 * PATH_MAX];
    struct dirent *entry;
    DIR *list = opendir(folder);
    while (list && (entry = readdir(list)))
        if (entry->d_type == DT_REG) make_durable(shadow, entry->d_name);
    if (list) closedir(list);
    list = opendir(shadow);
    while (list && (entry = readdir(list))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_type == DT_REG && !exists(path)) unlinkat(dirfd(list), entry->d_name, 0);
    }
    if (list) closedir(list);
}

static void keep(int file) {
    const char *folder = getenv("SOAK_FOLDER"), *shadow = getenv("SOAK_SHADOW");
    char path[PATH_MAX], to[2 * PATH_MAX];
    if (!shadow || !watched_path(file, path)) return;
    pthread_mutex_lock(&lock);
    const char *name = path + strlen(folder);
    if (*name == 0) {
        sync_folder(folder, shadow);
    } else {
        snprintf(to, sizeof to, "%s%s", shadow, name);
        if (!exists(to)) snprintf(to, sizeof to, "%s.pending%s", shadow, name);
        copy(file, to);
    }
    pthread_mutex_unlock(&lock);
}

int fsync(int file) {
    if (fails(file)) return -1;
    int result = REAL(fsync)(file);
    if (result == 0) keep(file);
    return result;
}

int fdatasync(int file) {
    if (fails(file)) return -1;
    int result = REAL(fdatasync)(file);
    if (result == 0) keep(file);
    return result;
}

ssize_t write(int file, const void *bytes, size_t count) { return fails(file) ? -1 : REAL(write)(file, bytes, count); }

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return fails(file) ? -1 : REAL(pwrite)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return fails(file) ? -1 : REAL(pwrite64)(file, bytes, count, offset);
}

int ftruncate64(int file, off64_t length) { return fails(file) ? -1 : REAL(ftruncate64)(file, length); }
