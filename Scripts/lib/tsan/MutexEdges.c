// Loaded before Swift's Synchronization library by Scripts/checks/tsan. The fast path of a Mutex is compiled into its user, where
// ThreadSanitizer sees it; the slow path waits in the library, which is not instrumented, and what one thread wrote before
// it unlocked looks unordered to the next. These wrap the slow path and report the order to ThreadSanitizer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// Not there in a program without ThreadSanitizer, such as `swift test` itself.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

SWIFT void lockSlow(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT bool tryLockSlow(SELF handle) __asm__(TRY_LOCK);
SWIFT void unlockSlow(SELF handle) __asm__(UNLOCK);

typedef SWIFT void Lock(uint32_t, SELF);
typedef SWIFT bool TryLock(SELF);
typedef SWIFT void Unlock(SELF);

// The library's own; a Swift that names it in another way ends the program.
static void *library(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

static void acquire(void *handle) {
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void lockSlow(uint32_t thread, SELF handle) {
    ((Lock *)library(LOCK))(thread, handle);
    acquire(handle);
}

SWIFT bool tryLockSlow(SELF handle) {
    bool isLocked = ((TryLock *)library(TRY_LOCK))(handle);
    if (isLocked) acquire(handle);
    return isLocked;
}

SWIFT void unlockSlow(SELF handle) {
    if (__tsan_release) __tsan_release(handle);
    ((Unlock *)library(UNLOCK))(handle);
}
