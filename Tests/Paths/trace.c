// Records which functions of a program run, in the order in which each runs for the first time. Scripts/checks/paths preloads it into
// programs as `swift build` makes them.
//
// NFCD_TRACE names a folder with
//   functions  the addresses of functions in the program, as 64-bit numbers in ascending order
//   requests   a FIFO: with each byte, a new recording begins
//   record     the number of recordings begun, the number of functions that the present one has, then their addresses in order
//
// A recording writes INT3 over the first byte of each function. Where a thread reaches one, the handler of SIGTRAP puts the byte back and
// lets the function run, so each costs one trap. Only for amd64.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { INT3 = 0xCC };

struct record {
    _Atomic uint64_t recordings;
    _Atomic uint64_t count;
    uint64_t addresses[];
};

static uint64_t base;
static const uint64_t *functions;
static uint64_t number;
static uint8_t *first_bytes;
static atomic_bool *ran;
static struct record *record;
static int requests;

static volatile uint8_t *code(uint64_t index) { return (volatile uint8_t *)(base + functions[index]); }

static void trapped(int signal_number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t address = registers[REG_RIP] - 1 - base;
    uint64_t low = 0, high = number;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (functions[middle] < address) low = middle + 1; else high = middle;
    }
    if (low == number || functions[low] != address) {
        signal(SIGTRAP, SIG_DFL);
        return;
    }
    *code(low) = first_bytes[low];
    registers[REG_RIP] -= 1;
    // Another thread may have been in the same trap.
    if (atomic_exchange(&ran[low], 1)) return;
    record->addresses[atomic_fetch_add(&record->count, 1)] = address;
}

static void *serve(void *nothing) {
    char byte;
    while (read(requests, &byte, 1) == 1) {
        for (uint64_t i = 0; i < number; i++) *code(i) = first_bytes[i];
        atomic_store(&record->count, 0);
        for (uint64_t i = 0; i < number; i++) atomic_store(&ran[i], 0);
        for (uint64_t i = 0; i < number; i++) *code(i) = INT3;
        atomic_fetch_add(&record->recordings, 1);
    }
    return NULL;
}

static int find_program(struct dl_phdr_info *info, size_t size, void *nothing) {
    base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        uint64_t page = (base + part->p_vaddr) & ~(uint64_t)4095;
        if (mprotect((void *)page, base + part->p_vaddr + part->p_memsz - page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) abort();
    }
    // The first entry is the program.
    return 1;
}

static void *mapped(const char *folder, const char *name, int protection, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, (protection & PROT_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) abort();
    *size = status.st_size;
    void *found = mmap(NULL, *size, protection, MAP_SHARED, file, 0);
    close(file);
    if (found == MAP_FAILED) abort();
    return found;
}

__attribute__((constructor)) static void prepare(void) {
    const char *folder = getenv("NFCD_TRACE");
    if (!folder) return;
    size_t size;
    functions = mapped(folder, "functions", PROT_READ, &size);
    number = size / sizeof *functions;
    record = mapped(folder, "record", PROT_READ | PROT_WRITE, &size);
    char path[4096];
    snprintf(path, sizeof path, "%s/requests", folder);
    requests = open(path, O_RDWR | O_CLOEXEC);
    first_bytes = malloc(number);
    ran = calloc(number, sizeof *ran);
    if (requests < 0 || !first_bytes || !ran) abort();
    dl_iterate_phdr(find_program, NULL);
    for (uint64_t i = 0; i < number; i++) first_bytes[i] = *code(i);

    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    sigaction(SIGTRAP, &action, NULL);
    // The program's own threads take its signals.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, NULL) != 0) abort();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// A trap in a thread that blocks SIGTRAP would end the program.
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    static int (*real)(int, const sigset_t *, sigset_t *);
    if (!real) real = (int (*)(int, const sigset_t *, sigset_t *))dlsym(RTLD_NEXT, "pthread_sigmask");
    sigset_t without;
    if (set && how != SIG_UNBLOCK) {
        without = *set;
        sigdelset(&without, SIGTRAP);
        set = &without;
    }
    return real(how, set, old);
}
