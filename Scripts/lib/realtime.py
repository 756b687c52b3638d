"""Real-time priority (SCHED_FIFO, sched(7)) for nfcd and for the clients whose answers are measured: what is measured is then nfcd, not
how the kernel shares the processors with everything else. Needs CAP_SYS_NICE or RLIMIT_RTPRIO."""

import os

# Set: no program is given a priority. An environment variable, as parts of attack run as programs.
OFF = "NFCD_ATTACK_NO_REAL_TIME"
# The clients only note when an answer has arrived, so they come first.
DAEMON, PROBE = 1, 2


def take(priority):
    """Gives this process a priority, unless that is switched off or not permitted; whether it has it."""
    if OFF in os.environ:
        return False
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError:
        return False
    return True


def state():
    """Whether `take` works: `yes`, or why not."""
    if OFF in os.environ:
        return "no: switched off"
    child = os.fork()
    if child == 0:
        os._exit(0 if take(PROBE) else 1)
    return "no: not permitted" if os.waitpid(child, 0)[1] else "yes"
