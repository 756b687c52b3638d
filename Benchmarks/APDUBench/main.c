// Measures one APDU, repeated: directly through libpcsclite, then through the socket of each daemon, in turns. Prints the
// median of each round in nanoseconds, and the processor time that the daemon used for each exchange, one line for each path:
// "direct 51234 0", "nfcd 80123 95012".
//
//   apdu-bench READER ROUNDS EXCHANGES NAME=SOCKET...
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <PCSC/winscard.h>

static const unsigned char apdu[] = {
    0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00,
};

enum { WARM_UP = 50, LINE = 4096 };

static void fail(const char *what, const char *why) {
    fprintf(stderr, "apdu-bench: %s: %s\n", what, why);
    exit(1);
}

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int ascending(const void *one, const void *other) {
    long a = *(const long *)one, b = *(const long *)other;
    return (a > b) - (a < b);
}

/// The median of so many exchanges, after a few that do not count.
static long median(void (*exchange)(void), long *times, int count) {
    for (int i = 0; i < WARM_UP; i++) exchange();
    for (int i = 0; i < count; i++) {
        long began = now();
        exchange();
        times[i] = now() - began;
    }
    qsort(times, count, sizeof *times, ascending);
    return times[count / 2];
}

/// The processor time of a process so far, of all its threads, user and system, in nanoseconds.
static long processor_time(pid_t process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) fail("nfcd", "no processor time");
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

// Directly through libpcsclite.

static SCARDCONTEXT context;
static SCARDHANDLE card;
static DWORD protocol;

static void check(LONG result, const char *what) {
    if (result != SCARD_S_SUCCESS) fail(what, pcsc_stringify_error(result));
}

/// pcscd takes a moment to see a card.
static void wait_for_card(const char *reader) {
    SCARD_READERSTATE state = {.szReader = reader, .dwCurrentState = SCARD_STATE_UNAWARE};
    for (;;) {
        check(SCardGetStatusChange(context, 10000, &state, 1), "no card: SCardGetStatusChange");
        if (state.dwEventState & SCARD_STATE_PRESENT) return;
        state.dwCurrentState = state.dwEventState;
    }
}

static void open_card(const char *reader) {
    check(SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context), "SCardEstablishContext");
    wait_for_card(reader);
    check(SCardConnect(context, reader, SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1, &card, &protocol),
          "SCardConnect");
    check(SCardBeginTransaction(card), "SCardBeginTransaction");
}

static void close_card(void) {
    check(SCardEndTransaction(card, SCARD_LEAVE_CARD), "SCardEndTransaction");
    check(SCardDisconnect(card, SCARD_LEAVE_CARD), "SCardDisconnect");
    check(SCardReleaseContext(context), "SCardReleaseContext");
}

static void exchange_pcsc(void) {
    unsigned char response[258];
    DWORD length = sizeof response;
    const SCARD_IO_REQUEST *header = protocol == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0 : SCARD_PCI_T1;
    check(SCardTransmit(card, header, apdu, sizeof apdu, NULL, response, &length), "SCardTransmit");
    if (length < 2 || response[length - 2] != 0x90) fail("SCardTransmit", "the card does not answer 9000");
}

// Through nfcd.

static int nfcd;
static char request[512];

static pid_t peer(void) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(nfcd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) fail("SO_PEERCRED", strerror(errno));
    return credentials.pid;
}

static void open_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) fail(path, "the path is too long");
    strcpy(address.sun_path, path);
    nfcd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (nfcd < 0 || connect(nfcd, (struct sockaddr *)&address, sizeof address) != 0) fail(path, strerror(errno));
}

static void send_line(const char *line) {
    size_t length = strlen(line);
    if (write(nfcd, line, length) != (ssize_t)length) fail("write", strerror(errno));
}

/// Reads until there is a line with this text in it.
static void wait_for(const char *text, char *lines) {
    size_t length = 0;
    for (;;) {
        // As any event loop would; a bare read() is woken as soon as the request is taken, and goes back to sleep.
        struct pollfd waiting = {.fd = nfcd, .events = POLLIN};
        if (poll(&waiting, 1, -1) < 0) fail("poll", strerror(errno));
        ssize_t count = read(nfcd, lines + length, LINE - 1 - length);
        if (count <= 0) fail("read", count == 0 ? "nfcd closed the connection" : strerror(errno));
        length += count;
        lines[length] = 0;
        if (lines[length - 1] == '\n' && strstr(lines, text)) return;
        if (length >= LINE - 1) fail("nfcd", lines);
        if (strstr(lines, "\"error\"") || strstr(lines, "didInvalidate")) fail("nfcd", lines);
    }
}

/// The text behind a key, up to the next quote.
static void take(const char *lines, const char *key, char *text, size_t size) {
    const char *found = strstr(lines, key);
    if (!found) fail("nfcd", lines);
    found += strlen(key);
    snprintf(text, size, "%.*s", (int)strcspn(found, "\""), found);
}

static void open_session(void) {
    char lines[LINE], session[64], tag[64], line[512];
    send_line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.begin\",\"params\":"
              "{\"kind\":\"tag\"}}\n");
    wait_for("didDetectTags", lines);
    take(lines, "\"session\":\"", session, sizeof session);
    take(lines, "\"tag\":\"", tag, sizeof tag);
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.connect\",\"params\":{\"session\":\"%s\",\"tag\":\"%s\"}}\n",
             session, tag);
    send_line(line);
    wait_for("\"id\":2", lines);
    snprintf(request, sizeof request,
             "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"iso7816.sendCommand\",\"params\":"
             "{\"session\":\"%s\",\"tag\":\"%s\",\"apdu\":\"00A4040007D276000085010100\"}}\n",
             session, tag);
}

static void exchange_nfcd(void) {
    char lines[LINE];
    send_line(request);
    wait_for("\"id\":3", lines);
    if (!strstr(lines, "\"sw1\":144")) fail("nfcd", lines);
}

static void measure_direct(const char *reader, long *times, int exchanges) {
    open_card(reader);
    printf("direct %ld 0\n", median(exchange_pcsc, times, exchanges));
    close_card();
}

/// Measures a daemon that is given as NAME=SOCKET.
static void measure_daemon(const char *daemon, long *times, int exchanges) {
    const char *separator = strchr(daemon, '=');
    if (!separator) fail(daemon, "a daemon is NAME=SOCKET");
    open_socket(separator + 1);
    open_session();
    long before = processor_time(peer()), time = median(exchange_nfcd, times, exchanges);
    long used = (processor_time(peer()) - before) / (WARM_UP + exchanges);
    printf("%.*s %ld %ld\n", (int)(separator - daemon), daemon, time, used);
    close(nfcd);
}

int main(int count, char **arguments) {
    if (count < 5) fail("usage", "apdu-bench READER ROUNDS EXCHANGES NAME=SOCKET...");
    int rounds = atoi(arguments[2]), exchanges = atoi(arguments[3]);
    long *times = exchanges > 0 ? calloc(exchanges, sizeof *times) : NULL;
    if (!times) fail("usage", "EXCHANGES is a number above 0");
    int daemons = count - 4;
    for (int round = 0; round < rounds; round++) {
        measure_direct(arguments[1], times, exchanges);
        // The order rotates, so that no daemon is always measured right after the direct path.
        for (int i = 0; i < daemons; i++) measure_daemon(arguments[4 + (round + i) % daemons], times, exchanges);
        fflush(stdout);
    }
    free(times);
    return 0;
}
