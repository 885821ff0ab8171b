# SPDX-License-Identifier: MIT
"""Builds the Debian package from the tarball of the sources, without a network."""
import email.utils
import os
import pathlib
import re
import shutil
import subprocess

from stack.process import StackError, run

BUILD_SECONDS = 1200
STEP = "9999-next.sql"  # of the next version (HACKING.md, A schema step)


class Package:
    """`deb` is the package, `debs` all by their names, `changes` what lintian reads. `make check` tests the programs."""

    def __init__(self, folder, tree, environment=(), umask=0o022):
        variables = {**os.environ, "DEB_BUILD_OPTIONS": "nocheck parallel=2", **dict(environment)}
        done = subprocess.run(["unshare", "--net", "dpkg-buildpackage", "-us", "-uc", "-b"], cwd=tree, env=variables, umask=umask, text=True,
                              check=False, timeout=BUILD_SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise StackError(f"dpkg-buildpackage failed:\n{done.stdout[-3000:]}")
        self.debs = {deb.name: deb for deb in folder.glob("*.deb")}
        self.deb = next(deb for name, deb in self.debs.items() if name.startswith("leadhook_"))
        self.changes = next(folder.glob("*.changes"))
        self.version = self.field("Version")

    def field(self, name):
        return run("dpkg-deb", ["dpkg-deb", "--field", self.deb, name]).strip()

    def depends(self):
        """Return the names of the packages that it needs, the first of alternatives."""
        return [re.match(r"[a-z0-9.+-]+", one.strip())[0] for one in self.field("Depends").split(",")]


def make_tarball(source, folder):
    """Make the tarball from a clone; from a tree without git, which was itself unpacked from a tarball, from a copy."""
    clone, build = folder / "clone", folder / "build"
    if not (source / ".git").exists():
        shutil.copytree(source, clone, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "build-package"))
        run("tar", ["tar", "-C", folder, "-czf", folder / "copy.tar.gz", clone.name])
        return folder / "copy.tar.gz"
    run("git clone", ["git", "-c", f"safe.directory={source}/.git", "clone", "-q", source, clone])
    build.mkdir()
    run("make dist", ["sh", "-euc", 'cd "$1" && autoreconf -i && cd "$2" && "$1/configure" -q && make -s dist', "sh", clone, build],
        timeout=BUILD_SECONDS)
    return next(build.glob("leadhook-*.tar.gz"))


def unpack(tarball, folder):
    tree = folder / "leadhook"
    tree.mkdir()
    run("tar", ["tar", "-C", tree, "--strip-components=1", "-xzf", tarball])
    return tree


def make_next(tree):
    """Make a later version with one more schema step, which running programs tolerate."""
    shutil.copy(tree / "tests" / "next" / STEP, tree / "schema")
    makefile = tree / "schema" / "local.mk"
    text, count = re.subn(r"(\t%D%/\d{4}-[a-z-]+\.sql)\nschemadir", rf"\1 \\\n\t%D%/{STEP}\nschemadir", makefile.read_text())
    assert count == 1
    makefile.write_text(text)
    changelog = tree / "debian" / "changelog"
    before = changelog.read_text()
    version = re.match(r"leadhook \(([^)]+)\)", before)[1]
    changelog.write_text(f"leadhook ({version}+next) bookworm; urgency=medium\n\n  * One more schema step.\n\n"
                         f" -- Leadhook maintainers <maintainers@leadhook.example.org>  {email.utils.formatdate()}\n\n{before}")


def age(tree, seconds):
    """Change the times of all files, as in a clone made at another time."""
    for path in pathlib.Path(tree).rglob("*"):
        if not path.is_symlink():
            status = path.stat()
            os.utime(path, (status.st_atime - seconds, status.st_mtime - seconds))
