#define _GNU_SOURCE
#include "cspawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The keeper is a fork of a program with threads: it calls only what is safe in a signal handler (signal-safety(7)).

enum { grace_ms = 2000, kill_ms = 10000, pause_ms = 20 };

static void default_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) sigaction(number, &action, NULL);
}

// Everything else is opened with O_CLOEXEC; this is for libraries that forget it.
static void close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
    for (int descriptor = first; descriptor < 65536; descriptor++) close(descriptor);
}

// Puts a descriptor above those of a program's standard streams, so that dup2(2) cannot replace it.
static int lift(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

static void run_command(const struct cspawn_command *command, int report) {
    sigset_t none;
    sigemptyset(&none);
    report = lift(report);
    const int input = lift(command->input), output = lift(command->output), errors = lift(command->errors);
    const int is_apart = command->background == cspawn_ends;
    if (is_apart ? setsid() < 0 : setpgid(0, 0) != 0) goto failed;
    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0) goto failed;
    if (is_apart && chdir("/") != 0) goto failed;
    // The place for errno(3) of exec, closed by it; the rest is closed here.
    if (dup3(report, STDERR_FILENO + 1, O_CLOEXEC) < 0 && report != STDERR_FILENO + 1) goto failed;
    report = STDERR_FILENO + 1;
    close_from(STDERR_FILENO + 2);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(command->path, command->arguments, command->environment);
failed:;
    const int code = errno;
    (void)!write(report, &code, sizeof code);
    _exit(127);
}

static long long now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

// Sends a signal to every child: what a command has started is a child of the keeper as soon as its parent has ended.
static void signal_children(int number) {
    char text[4096];
    const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    pid_t child = 0;
    ssize_t count;
    while ((count = read(file, text, sizeof text)) > 0)
        for (ssize_t index = 0; index < count; index++) {
            if (text[index] >= '0' && text[index] <= '9') {
                child = child * 10 + (text[index] - '0');
            } else {
                if (child > 1) kill(child, number);
                child = 0;
            }
        }
    if (child > 1) kill(child, number);
    close(file);
}

struct kept {
    pid_t command;
    int status;
    enum cspawn_background background;
    int has_ended;
    int has_children;
};

// Reaps what has ended. The number of the command is that of its process group until it is reaped.
static void reap(struct kept *kept) {
    for (;;) {
        siginfo_t end = {0};
        if (waitid(P_ALL, 0, &end, WEXITED | WNOHANG | WNOWAIT) != 0) {
            if (errno == EINTR) continue;
            kept->has_children = 0;
            return;
        }
        if (!end.si_pid) return;
        int status = 0;
        waitpid(end.si_pid, &status, 0);
        if (end.si_pid != kept->command) continue;
        kept->status = status;
        kept->has_ended = 1;
    }
}

static void report(const struct kept *kept, int *end) {
    if (*end < 0 || !kept->has_ended) return;
    (void)!write(*end, &kept->status, sizeof kept->status);
    close(*end);
    *end = -1;
}

static void wait_briefly(int changes, int milliseconds) {
    struct pollfd place = {.fd = changes, .events = POLLIN};
    struct signalfd_siginfo information;
    if (poll(&place, 1, milliseconds) > 0) (void)!read(changes, &information, sizeof information);
}

// Kills the children until there are none: each generation becomes the keeper's with the end of the one before. It gives up where the
// kernel ends none of them.
static void kill_all(struct kept *kept, int changes) {
    const long long deadline = now_ms() + kill_ms;
    while (reap(kept), kept->has_children && now_ms() < deadline) {
        signal_children(SIGKILL);
        if (!kept->has_ended) kill(-kept->command, SIGKILL);
        wait_briefly(changes, pause_ms);
    }
}

static void end_all(struct kept *kept, int changes) {
    const long long deadline = now_ms() + grace_ms;
    if (!kept->has_ended) kill(-kept->command, SIGTERM);
    signal_children(SIGTERM);
    long long left;
    while (reap(kept), kept->has_children && (left = deadline - now_ms()) > 0) {
        if (kept->has_ended && kept->background == cspawn_ends) break;
        wait_briefly(changes, left < pause_ms ? (int)left : pause_ms);
    }
    kill_all(kept, changes);
}

static void keep(pid_t command, enum cspawn_background background, int control, int end) {
    struct kept kept = {.command = command, .background = background, .has_children = 1};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    const int changes = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    while (reap(&kept), kept.has_children) {
        if (kept.has_ended && background == cspawn_ends) {
            kill_all(&kept, changes);
            break;
        }
        report(&kept, &end);
        if (kept.has_ended && background == cspawn_goes_on) break;
        struct pollfd places[] = {{.fd = background == cspawn_goes_on ? -1 : control, .events = POLLIN}, {.fd = changes, .events = POLLIN}};
        if (poll(places, 2, changes < 0 ? pause_ms : -1) < 0 && errno != EINTR) break;
        struct signalfd_siginfo information;
        if (places[1].revents) (void)!read(changes, &information, sizeof information);
        // Nothing is ever sent: it is closed, also with the end of the program that holds the other end.
        if (places[0].revents) {
            end_all(&kept, changes);
            break;
        }
    }
    report(&kept, &end);
    _exit(0);
}

static void run_keeper(const struct cspawn_command *command, int start, int control, int end) {
    default_signals();
    setpgid(0, 0);
    prctl(PR_SET_NAME, "nfcd-keeper");
    int code = command->background == cspawn_goes_on || prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 ? 0 : errno;
    const pid_t child = code ? -1 : fork();
    if (child == 0) run_command(command, start);
    if (child < 0) {
        if (!code) code = errno;
        (void)!write(start, &code, sizeof code);
        _exit(127);
    }
    // Also here, so that the group exists before a signal is sent to it.
    if (command->background != cspawn_ends) setpgid(child, child);
    const int kept_control = lift(control), kept_end = lift(end);
    dup2(kept_control, 0);
    dup2(kept_end, 1);
    close_from(2);
    keep(child, command->background, 0, 1);
}

static int read_start(int descriptor) {
    int code = 0;
    ssize_t count;
    do count = read(descriptor, &code, sizeof code);
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof code ? code : 0;
}

static void close_pipe(const int ends[2]) {
    for (int index = 0; index < 2; index++)
        if (ends[index] >= 0) close(ends[index]);
}

int cspawn_start(const struct cspawn_command *command, struct cspawn_keeper *keeper) {
    int start[2] = {-1, -1}, control[2] = {-1, -1}, end[2] = {-1, -1};
    int code = 0;
    if (cspawn_pipe(start) || cspawn_pipe(control) || cspawn_pipe(end)) code = errno;
    pid_t child = -1;
    if (!code) {
        sigset_t all, before;
        sigfillset(&all);
        // No handler of this program runs in the keeper.
        pthread_sigmask(SIG_SETMASK, &all, &before);
        child = fork();
        if (child == 0) {
            // It would notice neither the end of this program nor of the command's start.
            close(control[1]);
            close(start[0]);
            close(end[0]);
            run_keeper(command, start[1], control[0], end[1]);
        }
        if (child < 0) code = errno;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (!code) {
        close(start[1]);
        start[1] = -1;
        code = read_start(start[0]);
        if (code) waitpid(child, NULL, 0);
    }
    if (!code) {
        *keeper = (struct cspawn_keeper){.process = child, .control = control[1], .end = end[0]};
        control[1] = end[0] = -1;
    }
    close_pipe(start);
    close_pipe(control);
    close_pipe(end);
    return code;
}

int cspawn_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
