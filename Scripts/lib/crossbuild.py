"""Building for another architecture: a sysroot of Debian packages of that architecture, and a Swift SDK around it.

The compiler is the one of `swiftroot`; the Swift libraries come from the package of the same version for the other
architecture. The programs run on Debian 13 and later, because the sysroot's C library is Debian 13's.
"""

import json
import os
import subprocess

import debian
import swiftroot

SUITE = "trixie"
NAME = "nfcd"
SYSROOT_PACKAGES = [
    "libc6", "libc6-dev", "linux-libc-dev", "libcrypt1", "libcrypt-dev", "libgcc-s1", "libgcc-14-dev", "libstdc++6",
    "libstdc++-14-dev", "libpcsclite1", "libpcsclite-dev", "libtomlplusplus-dev",
    "libsqlite3-0", "libsqlite3-dev", "libmosquitto1", "libmosquitto-dev", "libcjson1",
    "libssl3t64", "libssl-dev", "libcurl4t64", "libcurl4-openssl-dev",
    "zlib1g", "zlib1g-dev", "libzstd1",
]
# Those that the programs are linked with: Scripts/products/deb reads the versions they need from these packages.
LINKED_PACKAGES = ["libc6", "libgcc-s1", "libstdc++6", "libpcsclite1", "libsqlite3-0", "libmosquitto1", "libssl3t64", "libcurl4t64",
                   "zlib1g"]
# Those of which code is in the programs.
CONTAINED_PACKAGES = ["libtomlplusplus-dev"]
SWIFT_LIBRARIES = "./usr/libexec/swift/lib"
LEFT_OUT = ["host", "embedded", "FrameworkABIBaseline", "migrator"]
# Debian's name of an architecture: what GNU and qemu call it. Swift's triple has "unknown" in the middle.
MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}


def machine(architecture):
    if architecture not in MACHINES:
        debian.fail(64, f"unknown architecture {architecture}", f"use one of: {', '.join(sorted(MACHINES))}")
    return MACHINES[architecture]


def gnu(architecture):
    """The name in front of GNU tools and in the paths of libraries."""
    return f"{machine(architecture)}-linux-gnu"


def emulator(architecture):
    """The program that runs programs of an architecture on another one."""
    return f"qemu-{machine(architecture)}-static"


def options():
    """The options of a release, with the folder of the sources in the compiler's system."""
    for kind in ("--flags", "--linker-flags"):
        lines = debian.output(swiftroot.ROOT / "Scripts/products/release", kind, env={**os.environ, "SOURCES": swiftroot.SOURCES})
        yield from lines.splitlines()


class CrossBuild:
    """A build for one architecture; everything it needs is in the cache folder."""

    def __init__(self, architecture):
        self.architecture = architecture
        self.triple = f"{machine(architecture)}-unknown-linux-gnu"
        self.root = swiftroot.SwiftRoot()
        self.folder = debian.cache() / f"cross-{architecture}"
        self.bundle = self.folder / f"sdks/{NAME}.artifactbundle"
        self.sysroot = self.bundle / "sdk/sysroot"
        # The unpacked packages with their control files, for Scripts/products/deb.
        self.libraries = self.folder / "libraries"
        # The packages of which code is in the programs, with their versions, for the bill of materials.
        self.contained = self.folder / "contained"

    def prepare(self):
        """Makes the compiler's system and the SDK if they are not there, or if the compiler has changed."""
        self.root.prepare()
        stamp, version = self.folder / "version", self.root.package_version()
        made_of = " ".join([version, *SYSROOT_PACKAGES, *LINKED_PACKAGES, *CONTAINED_PACKAGES])
        if stamp.exists() and stamp.read_text() == made_of:
            return
        debian.progress(f"making a sysroot of {SUITE} {self.architecture} in {self.folder}: 500 MB to download, once")
        debian.remove(self.folder)
        self.add_packages()
        self.add_swift(version)
        self.write_bundle()
        stamp.write_text(made_of)

    def add_packages(self):
        (self.sysroot / "usr/lib").mkdir(parents=True)
        (self.sysroot / "lib").symlink_to("usr/lib")
        archive = debian.Archive(SUITE, self.architecture)
        archive.update()
        # With what those need in turn: an emulator runs the programs with these libraries.
        for package in archive.resolve(*LINKED_PACKAGES):
            debian.unpack(package, self.sysroot)
        for name, package in zip(SYSROOT_PACKAGES, archive.download(*SYSROOT_PACKAGES)):
            debian.unpack(package, self.sysroot)
            if name in LINKED_PACKAGES:
                self.libraries.mkdir(exist_ok=True)
                subprocess.run(["dpkg-deb", "--raw-extract", package, self.libraries / name], check=True)
            if name in CONTAINED_PACKAGES:
                with open(self.contained, "a", encoding="utf-8") as file:
                    file.write(debian.output("dpkg-deb", "--show", "--showformat=${Package} ${Version}", package) + "\n")

    def add_swift(self, version):
        """Unpacks the Swift libraries; their version has to be the compiler's."""
        archive = debian.Archive(self.root.suite, self.architecture)
        archive.update()
        offered = archive.version("swiftlang")
        if offered.split("+b")[0] != version.split("+b")[0]:
            debian.fail(69, f"the compiler is swiftlang {version}, and {self.root.suite} has {offered} for "
                        f"{self.architecture}", f"remove {self.root.path}, or wait until both are in the archive")
        [package] = archive.download("swiftlang")
        content = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
        excluded = [f"--exclude={SWIFT_LIBRARIES}/*/{name}" for name in LEFT_OUT]
        wanted = [f"{SWIFT_LIBRARIES}/{name}" for name in ("swift", "swift_static", "clang")]
        depth = SWIFT_LIBRARIES.count("/") + 1
        subprocess.run(["tar", "-x", "-C", self.sysroot / "usr/lib", f"--strip-components={depth}", *excluded, *wanted],
                       stdin=content.stdout, check=True)
        content.wait()

    def write_bundle(self):
        settings = {
            "sdkRootPath": "sysroot", "swiftResourcesPath": "sysroot/usr/lib/swift",
            "swiftStaticResourcesPath": "sysroot/usr/lib/swift_static", "toolsetPaths": ["toolset.json"],
        }
        variant = {"path": "sdk"}
        artifact = {"type": "swiftSDK", "version": "1", "variants": [variant]}
        for path, value in {
            "info.json": {"schemaVersion": "1.0", "artifacts": {NAME: artifact}},
            "sdk/swift-sdk.json": {"schemaVersion": "4.0", "targetTriples": {self.triple: settings}},
            "sdk/toolset.json": {"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]}},
        }.items():
            (self.bundle / path).write_text(json.dumps(value, indent=2) + "\n")

    def build(self, product):
        """Builds the release of a product, and returns the path of the program."""
        inside = f"/sdks/{self.sysroot.relative_to(self.folder / 'sdks')}/usr"
        places = [f"{inside}/lib/{gnu(self.architecture)}/pkgconfig", f"{inside}/share/pkgconfig"]
        environment = [f"PKG_CONFIG_LIBDIR={':'.join(places)}", f"PKG_CONFIG_SYSROOT_DIR={inside.removesuffix('/usr')}"]
        scratch = self.folder / "build"
        status = self.root.swift(
            scratch, "build", "--swift-sdks-path", "/sdks", "--swift-sdk", NAME, *options(), "--product", product, mounts=[(self.folder / "sdks", "/sdks")], environment=environment)
        if status != 0:
            debian.fail(1, f"{product} could not be built for {self.architecture}")
        return scratch / self.triple / "release" / product
