"""The keys that sign a release, in files or in the keyring of the user's agent, and what they sign."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from release import recipe


class Signer:
    """The keys, of which each signs the indexes. The first one signs the packages of rpm and pacman, which have one signature.

    A key is the path of a file with a secret key, or the fingerprint of one in the keyring of the user (GNUPGHOME), whose agent asks
    for the passphrase. SIGNING_PASSPHRASE_FILE is a file with the passphrase of the keys in files.
    """

    def __init__(self, keys):
        self.keys = keys
        self.home = None
        self.fingerprints = []

    def __enter__(self):
        paths = [key for key in self.keys if pathlib.Path(key).is_file()]
        if paths and len(paths) != len(self.keys):
            unknown = next(key for key in self.keys if key not in paths)
            recipe.fail(66, f"there is no file {unknown}; give all keys as files, or all as fingerprints")
        if paths:
            # The name of a socket in it is limited to 107 bytes.
            self.home = tempfile.mkdtemp(prefix="nfcd-keys-", dir="/tmp")
        try:
            for key in self.keys:
                self.fingerprints.append(self.imported(key) if paths else self.listed(key))
            for fingerprint in self.fingerprints:
                self.check_expiry(fingerprint)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.home:
            subprocess.run(["gpgconf", "--homedir", self.home, "--kill", "all"], check=False)
            shutil.rmtree(self.home, ignore_errors=True)

    @property
    def environment(self):
        return {**os.environ, **({"GNUPGHOME": self.home} if self.home else {})}

    @property
    def options(self):
        """What gpg needs in order not to ask."""
        passphrase = os.environ.get("SIGNING_PASSPHRASE_FILE")
        if not (passphrase and self.home):
            return ["--batch"]
        return ["--batch", "--no-tty", "--pinentry-mode", "loopback", "--passphrase-file", passphrase]

    def gpg(self, *words, otherwise, **options):
        done = subprocess.run(["gpg", "--quiet", *self.options, *words], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, **options)
        if done.returncode != 0:
            recipe.fail(65, f"{otherwise}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def imported(self, path):
        before = set(self.secret_fingerprints())
        self.gpg("--import", path, otherwise=f"{path} could not be read as a secret key")
        new = [fingerprint for fingerprint in self.secret_fingerprints() if fingerprint not in before]
        if len(new) != 1:
            recipe.fail(65, f"{path} has {len(new)} new secret keys; give a file with one secret key")
        return new[0]

    def secret_fingerprints(self):
        """The fingerprints of secret keys, not of subkeys."""
        text = self.gpg("--with-colons", "--list-secret-keys", otherwise="a signing key was not found").decode()
        lines = [line.split(":") for line in text.splitlines()]
        return [lines[i + 1][9] for i, line in enumerate(lines[:-1]) if line[0] == "sec" and lines[i + 1][0] == "fpr"]

    def listed(self, name):
        wanted = name.replace(" ", "").upper().removeprefix("0X")
        found = [fingerprint for fingerprint in self.secret_fingerprints() if len(wanted) >= 16 and fingerprint.endswith(wanted)]
        if len(found) != 1:
            recipe.fail(66, f"{name} is neither a file nor the fingerprint of one secret key in the keyring of this user")
        return found[0]

    def check_expiry(self, fingerprint):
        """Refuses a key that expires: apt would get no more packages from then on, and would not fail."""
        text = self.gpg("--with-colons", "--list-keys", fingerprint, otherwise="a signing key was not found").decode()
        for line in (line.split(":") for line in text.splitlines()):
            if line[0] in ("pub", "sub") and "s" in line[11].lower() and line[6]:
                day = time.strftime("%Y-%m-%d", time.gmtime(int(line[6])))
                recipe.fail(65, f"the key {fingerprint} expires on {day}; apt would then keep old packages without an error. "
                                f"Remove the date: gpg --quick-set-expire {fingerprint} 0")

    def public(self):
        """All keys in one block, as apt reads them."""
        return self.exported(self.fingerprints)

    def public_blocks(self):
        """A block for each key, as rpm reads them."""
        return "".join(self.exported([fingerprint]) for fingerprint in self.fingerprints)

    def exported(self, fingerprints):
        return self.gpg("--armor", "--export-options", "export-minimal", "--export", *fingerprints,
                        otherwise="the keys could not be exported").decode()

    def detach(self, path, ending=".asc"):
        """Writes the signatures of a file beside it."""
        self.sign(path, path.with_name(path.name + ending), self.fingerprints, "--armor", "--detach-sign")

    def clear(self, path, target):
        """Writes a file with its text and the signatures."""
        self.sign(path, target, self.fingerprints, "--clearsign")

    def detach_first(self, path, ending):
        """Writes the signature of the first key beside a file: pacman refuses a file with a second signature that it does not know."""
        self.sign(path, path.with_name(path.name + ending), self.fingerprints[:1], "--detach-sign")

    def sign(self, path, target, fingerprints, *how):
        users = [word for fingerprint in fingerprints for word in ("--local-user", fingerprint)]
        self.gpg(*users, "--yes", "--digest-algo", "SHA512", "--output", target, *how, path,
                 otherwise=f"{path.name} could not be signed")

    def sign_packages(self, paths):
        """Puts a signature into .rpm files."""
        defines = {
            "__gpg": shutil.which("gpg"), "_gpg_name": self.fingerprints[0], "_gpg_digest_algo": "sha512",
            "_gpg_sign_cmd_extra_args": " ".join(self.options),
        }
        words = [word for name, value in defines.items() for word in ("--define", f"{name} {value}")]
        done = subprocess.run(["rpmsign", *words, "--addsign", *paths], env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            recipe.fail(65, f"rpmsign failed: {done.stdout.strip()}")
