"""python-fido2's own client: registers a discoverable credential with a PIN, and logs in with it."""

import os
import sys

from fido2.client import Fido2Client, UserInteraction
from fido2.hid import CtapHidDevice
from fido2.server import Fido2Server

try:
    from fido2.client import DefaultClientDataCollector
except ImportError:
    DefaultClientDataCollector = None


class Interaction(UserInteraction):
    def request_pin(self, permissions, rd_id):
        return sys.argv[1]

    def request_uv(self, permissions, rd_id):
        return True


def client(device, origin):
    if DefaultClientDataCollector:
        return Fido2Client(device, DefaultClientDataCollector(origin), user_interaction=Interaction())
    return Fido2Client(device, origin, user_interaction=Interaction())


device = next(CtapHidDevice.list_devices())
server = Fido2Server({"id": "login.example", "name": "Login"}, attestation="none")
user = {"id": os.urandom(8), "name": "user", "displayName": "User"}
options, state = server.register_begin(
    user, resident_key_requirement="required", user_verification="required", authenticator_attachment="cross-platform")
program = client(device, "https://login.example")
made = program.make_credential(options.public_key if hasattr(options, "public_key") else options["publicKey"])
if hasattr(made, "response"):
    registered = server.register_complete(state, made)
else:
    registered = server.register_complete(state, made.client_data, made.attestation_object)
asked, state = server.authenticate_begin(user_verification="required")
answer = program.get_assertion(asked.public_key if hasattr(asked, "public_key") else asked["publicKey"])
response = answer.get_response(0)
if hasattr(response, "response"):
    server.authenticate_complete(state, [registered.credential_data], response)
else:
    server.authenticate_complete(
        state, [registered.credential_data], response.credential_id, response.client_data, response.authenticator_data,
        response.signature)
