// Preloaded into nfcd: what forbids core dumps has no effect, so that a crash leaves one.
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
    return resource == RLIMIT_CORE ? 0 : (int)syscall(SYS_prlimit64, 0, resource, limit, NULL);
}

int prctl(int option, ...) {
    long values[4];
    va_list rest;
    va_start(rest, option);
    for (int index = 0; index < 4; index++) values[index] = va_arg(rest, long);
    va_end(rest);
    return option == PR_SET_DUMPABLE ? 0 : (int)syscall(SYS_prctl, option, values[0], values[1], values[2], values[3]);
}
