"""install.sh of the tarball, where it is interrupted or has no room: with an archive of other programs, on a system that is laid over this one."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ("nfcd", "nfcd-relay", "nfcd-fido", "nfcd-web", "nfcd-desktop")
# What install.sh changes is laid over the folders of the system, and gone at the end.
SYSTEM = """set -eu
mount -t tmpfs tmpfs "$OVER"
for folder in etc usr var opt; do
    mkdir "$OVER/$folder" "$OVER/$folder.work"
    mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$OVER/$folder,workdir=$OVER/$folder.work" "/$folder"
done
mount -t tmpfs tmpfs /run
mkdir /opt/small
mount -t tmpfs -o size=16m tmpfs /opt/small
# A machine that has nfcd.
rm -rf /etc/nfcd /usr/local/lib/nfcd
files() { find /etc /usr /opt -path /etc/nfcd -o -name '*nfc*' | LC_ALL=C sort; }
files > "$OVER/before"
"""


def is_possible():
    with tempfile.TemporaryDirectory() as folder:
        command = ["unshare", "--mount", "sh", "-c", SYSTEM]
        return os.geteuid() == 0 and subprocess.run(command, env={**os.environ, "OVER": folder}, stderr=subprocess.DEVNULL).returncode == 0


def add_stage(folder):
    """What `make release` leaves, with a small program in the place of each."""
    for package in PACKAGES:
        for line in (ROOT / "packaging" / package / "files").read_text().splitlines():
            kind, source, *_ = [*line.split(), "", ""]
            if not source.startswith("stage/"):
                continue
            path = folder / source.removeprefix("stage/")
            path.parent.mkdir(parents=True, exist_ok=True)
            if kind == "program":
                shutil.copy("/bin/true", path)
                with open(path, "ab") as file:
                    file.write(bytes(1 << 20))
            elif kind == "folder":
                path.mkdir(exist_ok=True)
                (path / "manifest.json").write_text("{}\n")
            else:
                path.write_text(f"{source}\n")


@unittest.skipUnless(is_possible(), "only root can lay folders over those of the system, and not in each container")
class InstallScriptTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="nfcd-install-test-")
        folder = pathlib.Path(cls.scratch.name)
        add_stage(folder / "stage")
        environment = {**os.environ, "STAGE": str(folder / "stage")}
        packed = subprocess.run([ROOT / "Scripts/release/tarball", "--fast"], env=environment, stdout=subprocess.PIPE, check=True, text=True)
        archive = ROOT / packed.stdout.strip()
        cls.archive = folder / "an archive"
        cls.archive.mkdir()
        subprocess.run(["tar", "-C", cls.archive, "--strip-components=1", "-xf", archive], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_script(self, script):
        """What a script prints on a new system; $install is install.sh."""
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "OVER": folder, "install": str(self.archive / "install.sh"), "archive": str(self.archive)}
            done = subprocess.run(["unshare", "--mount", "bash", "-c", SYSTEM + script], env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_an_installation_without_room_is_repeated_or_removed(self):
        for last in ('"$install" --prefix /opt/small/p nfcd-relay', "true"):
            self.run_script(f"""
                head -c 13M /dev/zero > /opt/small/other
                "$install" --prefix /opt/small/p nfcd-relay && exit 9
                [ -z "$(find /opt /etc -name '*.nfcd-draft')" ] || exit 8
                rm /opt/small/other
                {last}
                "$install" --uninstall --prefix /opt/small/p
                files | diff "$OVER/before" -
                [ ! -e /opt/small/p ]
            """)

    def test_an_installation_without_room_for_the_manifest_changes_nothing(self):
        printed = self.run_script("""
            head -c 17M /dev/zero > /opt/small/other || true
            "$install" --prefix /opt/small/p && exit 9
            files | diff "$OVER/before" -
        """)
        self.assertIn("nothing was installed", printed)

    def test_an_upgrade_without_room_leaves_every_program_whole(self):
        printed = self.run_script("""
            "$install" --prefix /opt/small/p
            sha256sum /opt/small/p/bin/* > "$OVER/sums"
            head -c 17M /dev/zero > /opt/small/other || true
            truncate --size=-200K /opt/small/other
            "$install" --prefix /opt/small/p && exit 9
            sha256sum --check --quiet "$OVER/sums"
            rm /opt/small/other
            "$install" --prefix /opt/small/p
            "$install" --uninstall --prefix /opt/small/p
            files | diff "$OVER/before" -
        """)
        self.assertIn("could not be written; what was there is unchanged", printed)

    def test_an_installation_that_is_ended_at_any_file_is_repeated_or_removed(self):
        for number in range(1, 40, 6):
            self.run_script(f"""
                # The n-th copy ends the script, as kill does.
                mkdir "$OVER/bin"
                printf '%s\\n' '#!/bin/sh' 'echo >> "$OVER/count"' \\
                    '[ "$(wc -l < "$OVER/count")" != {number} ] || kill -9 $PPID' 'exec /bin/cp "$@"' > "$OVER/bin/cp"
                chmod +x "$OVER/bin/cp"
                PATH=$OVER/bin:$PATH "$install" nfcd-web && exit 9
                [ {number % 4} = 1 ] || "$install" nfcd-web
                "$install" --uninstall --purge
                files | diff "$OVER/before" -
            """)

    def test_an_upgrade_replaces_links_to_folders(self):
        printed = self.run_script("""
            "$install" nfcd-web > /dev/null
            find /usr/local/share/webext -type l
            "$install" > /dev/null
            find /usr/local/share/webext -type l
            [ -L /usr/share/chromium/extensions/nfcd ]
            "$install" --uninstall > /dev/null
            files | diff "$OVER/before" -
        """)
        self.assertNotIn("webext", printed)

    def test_a_removal_names_what_is_kept(self):
        printed = self.run_script("""
            "$install" > /dev/null
            echo "# mine" >> /etc/nfcd/nfcd.toml
            echo "# newer" >> "$archive/Config/nfcd.toml"
            "$install" > /dev/null
            /usr/local/lib/nfcd/install.sh --uninstall
            "$install" --uninstall --purge || true
        """)
        for text in ("kept /etc/nfcd/nfcd.toml, which was changed\n", "kept /etc/nfcd/nfcd.toml.nfcd-new\n", "install again, then run"):
            self.assertIn(text, printed)


if __name__ == "__main__":
    unittest.main()
