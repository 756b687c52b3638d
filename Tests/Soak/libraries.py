"""The PyPI packages that the webhook receiver checks with, in .build-bench/webhooks."""

import importlib
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / ".build-bench/webhooks"
PACKAGES = ["standardwebhooks==1.1.0", "cloudevents==2.2.0"]


class Libraries:
    """standardwebhooks and cloudevents."""

    def __init__(self, webhook, format):
        self._webhook, self._format = webhook, format

    def verifier(self, secret):
        """A function of body and headers that raises an error where the signature is not valid."""
        return self._webhook(secret).verify

    def parse(self, headers, body):
        """The id of an event in structured mode; an error where it is not a valid CloudEvent."""
        if headers.get("content-type", "").split(";")[0] != "application/cloudevents+json":
            raise ValueError(f"the content type is {headers.get('content-type')}")
        return self._format.read(None, body).get_id()


def load():
    """The packages, installed where necessary; nil where PyPI cannot be reached."""
    sys.path.insert(0, str(FOLDER))
    try:
        return imported()
    except ImportError:
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-warn-conflicts", "--target", FOLDER, *PACKAGES]
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            return None
        importlib.invalidate_caches()
        return imported()


def imported():
    from cloudevents.core.formats.json import JSONFormat
    from standardwebhooks.webhooks import Webhook
    return Libraries(Webhook, JSONFormat())
