"""Programs at a terminal, with what a person types."""

import os
import pty
import select
import time


def typed(command, answers, patience=120):
    """Runs a command at a terminal, and types an answer whenever its prompt appears in the last line; what it printed.

    An answer is a text, or a function that returns it once the person would type it.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    text, rest, deadline = "", list(answers), time.monotonic() + patience
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            break
        if not piece:
            break
        text += piece
        if rest and rest[0][0] in text.rsplit("\n", 1)[-1]:
            answer = rest.pop(0)[1]
            os.write(terminal, f"{answer() if callable(answer) else answer}\n".encode())
            text += "\n"
    else:
        os.kill(pid, 9)
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status != 0:
        raise AssertionError(f"{' '.join(command)}: status {status}: {text[-400:]}")
    if rest:
        raise AssertionError(f"{' '.join(command)} did not ask for {rest[0][0]!r}: {text[-400:]}")
    return text
