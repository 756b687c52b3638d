"""Makes the wheel of the source distribution with the standard library alone (PEP 517), so that pip installs it without the network.

Scripts/products/python-client names it as the build backend of the source distribution, whose PKG-INFO is the metadata of the wheel
(PEP 427, PEP 566). Run in the folder of the source distribution.
"""

import base64
import hashlib
import pathlib
import re
import zipfile

WHEEL = "Wheel-Version: 1.0\nGenerator: nfcd\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
# The oldest time that a zip file can hold: the same sources make the same bytes.
TIME = (1980, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel, and returns its name."""
    metadata = pathlib.Path("PKG-INFO").read_bytes()
    version = re.search(rb"(?m)^Version: (\S+)\s*$", metadata).group(1).decode()
    info = f"nfcd-{version}.dist-info"
    package = pathlib.Path("src/nfcd")
    sources = [*sorted(package.rglob("*.py")), package / "py.typed"]
    files = {path.relative_to("src").as_posix(): path.read_bytes() for path in sources}
    files[f"{info}/METADATA"] = metadata
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/LICENSE"] = pathlib.Path("LICENSE").read_bytes()
    record = [f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    name = f"nfcd-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def digest(content):
    """The hash of a file as RECORD has it (PEP 376)."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory, config_settings=None):
    """A source distribution is made by Scripts/products/python-client."""
    raise NotImplementedError("run Scripts/products/python-client in a clone of nfcd")
