"""Virtual security keys in the virtual machine, and the nodes that nfcd-fido makes for them."""

import contextlib
import pathlib
import subprocess

from steps import Tag, run, until

CONFIGURATION = pathlib.Path("/etc/nfcd/fido.d/vm.toml")


def nodes():
    """The devices that fido2-token lists."""
    return [line.split(": ", 1)[0] for line in run("fido2-token", "-L").splitlines()]


def node():
    """The one device, once it is there."""
    return until(lambda: (nodes() or [None])[0], "no security key appears")


def restart():
    subprocess.run(["systemctl", "restart", "nfcd-fido.service"], check=True)


class Card(Tag):
    """A virtual security key on a reader of vpcd."""

    def __init__(self, *options, restarts=True, **more):
        self.restarts = restarts
        super().__init__("fido2", *options, **more)

    @classmethod
    def slow(cls, card):
        """A card that replaces another and asks for time for 5 s."""
        card.__exit__()
        return cls("--several-operations", "--waits", "50", "--aaguid", "ff" * 16)

    def __exit__(self, *_):
        super().__exit__()
        # A card of the same model would be taken for this one in the linger.
        if self.restarts:
            restart()


@contextlib.contextmanager
def use(configuration):
    """Runs nfcd-fido with a configuration."""
    CONFIGURATION.parent.mkdir(parents=True, exist_ok=True)
    CONFIGURATION.write_text(configuration)
    restart()
    try:
        yield
    finally:
        CONFIGURATION.unlink()
        restart()
