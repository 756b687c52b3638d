"""A Debian system with Debian's swiftlang in the cache folder, where the package is built: for Scripts/systems/oldest-swift and
Scripts/products/cross-release.

Environment: SWIFT_SUITE, the Debian suite that has the compiler (sid).
"""

import os
import pathlib
import re
import shutil
import subprocess

import debian

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGES = ["swiftlang", "git", "ca-certificates", "pkgconf", "g++", "libpcsclite-dev", "libtomlplusplus-dev", "libsqlite3-dev",
            "libmosquitto-dev", "libssl-dev", "libcurl4-openssl-dev", "zlib1g-dev"]
TOOLS = ("mmdebstrap", "unshare", "chroot", "mount", "dpkg-deb", "apt-get", "apt-config")
SOURCES = "/nfcd"
# Debian's compiler looks for this library of swift-testing, but its package has only the module.
COMPLETE = """
multiarch=$(gcc -print-multiarch)
[ -e "/usr/libexec/swift/lib/swift/linux/lib_Testing_Foundation.so" ] || ar rc "/usr/lib/$multiarch/lib_Testing_Foundation.a"
"""


class SwiftRoot:
    """The system; everything in it runs as root, so it builds nothing but this package."""

    def __init__(self):
        debian.require_tools(*TOOLS)
        debian.require_root("make and enter a Debian system")
        self.suite = os.environ.get("SWIFT_SUITE", "sid")
        self.path = debian.cache() / f"swift-{self.suite}-{debian.fingerprint(PACKAGES)}"

    def prepare(self):
        """Makes the system if it is not there."""
        if not self.path.exists():
            debian.progress(f"making a {self.suite} system with swiftlang in {self.path}: 700 MB to download, once")
            new = self.path.with_name(f"{self.path.name}.unfinished")
            debian.remove(new)
            debian.make_system(new, self.suite, PACKAGES, form="directory", variant="apt")
            subprocess.run(self.command([], "sh", "-ec", COMPLETE, root=new), check=True)
            (new / "etc/resolv.conf").touch()
            new.rename(self.path)
        debian.progress(f"Swift {self.version()} in {self.path}; remove that folder to get the newest")

    def version(self):
        """The compiler's version."""
        text = debian.output(*self.command([], "swift", "--version"), stderr=subprocess.DEVNULL)
        return re.search(r"Swift version ([\d.]+)", text)[1]

    def package_version(self):
        """The version of Debian's package with the compiler."""
        query = ["dpkg-query", "--show", "--showformat=${Version}", "swiftlang"]
        return debian.output(*self.command([], *query))

    def command(self, mounts, *words, root=None, environment=()):
        """The command that runs a command in the system, with folders of this machine mounted: pairs of paths."""
        return debian.command_in(root or self.path, mounts, *words, environment=["HOME=/build", *environment])

    def swift(self, scratch, subcommand, *words, mounts=(), environment=()):
        """Runs `swift build` or `swift test` for the package, with a folder of the cache for what is built."""
        scratch.mkdir(parents=True, exist_ok=True)
        options = ["--scratch-path", "/build"]
        fetched = ROOT / ".build/repositories"
        if fetched.exists() and (ROOT / "Package.resolved").exists():
            # The dependencies that this machine has fetched, in the same versions: nothing is fetched again.
            shutil.copytree(fetched, scratch / "repositories", dirs_exist_ok=True)
            options.append("--force-resolved-versions")
        mounts = [(ROOT, SOURCES), (scratch, "/build"), *mounts]
        words = ["env", "-C", SOURCES, "swift", subcommand, *options, *words]
        return subprocess.run(["nice", *self.command(mounts, *words, environment=environment)]).returncode
