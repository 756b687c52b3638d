// Records the order in which functions run for the first time, between SIGUSR1 and SIGUSR2, into the file NFCD_TRACE: a line for each,
// with its address in the program. Programs that are compiled with -sanitize-coverage=func,trace-pc-guard call it at the beginning of
// each function (Clang, SanitizerCoverage). Scripts/checks/paths links it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

static atomic_bool is_recording;
static atomic_bool seen[LARGEST];
static uintptr_t places[LARGEST];
static atomic_uint count;
static uintptr_t base;
static char path[4096];

static int find_base(struct dl_phdr_info *info, size_t size, void *data) {
    // The first entry is the program.
    base = info->dlpi_addr;
    return 1;
}

static void begin(int number) {
    memset((void *)seen, 0, sizeof seen);
    atomic_store(&count, 0);
    atomic_store(&is_recording, 1);
}

static void end(int number) {
    atomic_store(&is_recording, 0);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) return;
    unsigned last = atomic_load(&count);
    for (unsigned i = 0; i < last; i++) {
        char line[32];
        int length = snprintf(line, sizeof line, "0x%lx\n", (unsigned long)(places[i] - base));
        if (write(file, line, length) != length) break;
    }
    if (write(file, "end\n", 4) != 4) unlink(path);
    close(file);
}

__attribute__((constructor)) static void prepare(void) {
    const char *name = getenv("NFCD_TRACE");
    if (!name) return;
    snprintf(path, sizeof path, "%s.%d", name, getpid());
    dl_iterate_phdr(find_base, NULL);
    signal(SIGUSR1, begin);
    signal(SIGUSR2, end);
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    static uint32_t last;
    if (start == stop || *start) return;
    for (; start < stop; start++) *start = ++last;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    if (!atomic_load_explicit(&is_recording, memory_order_relaxed)) return;
    uint32_t number = *guard;
    if (number == 0 || number >= LARGEST || atomic_exchange(&seen[number], 1)) return;
    unsigned index = atomic_fetch_add(&count, 1);
    if (index < LARGEST) places[index] = (uintptr_t)__builtin_return_address(0) - 1;
}
