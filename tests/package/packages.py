# SPDX-License-Identifier: MIT
"""Builds the Debian package from a clean copy of the sources."""
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
        done = subprocess.run(["dpkg-buildpackage", "-us", "-uc", "-b"], cwd=tree, env=variables, umask=umask, text=True,
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
        """Names of the packages that it needs, the first of alternatives."""
        return [re.match(r"[a-z0-9.+-]+", one.strip())[0] for one in self.field("Depends").split(",")]


def clean_copy(source, folder):
    """A clone, or a copy of a tree without git."""
    tree = folder / "leadhook"
    if (source / ".git").exists():
        run("git clone", ["git", "-c", f"safe.directory={source}/.git", "clone", "-q", source, tree])
    else:
        shutil.copytree(source, tree, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "build-package"))
    return tree


def make_next(tree):
    """A later version with one more schema step, which running programs tolerate."""
    shutil.copy(tree / "tests" / "cluster" / "next" / STEP, tree / "schema")
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
    """Other times of all files, as in a clone at another time."""
    for path in pathlib.Path(tree).rglob("*"):
        if not path.is_symlink():
            status = path.stat()
            os.utime(path, (status.st_atime - seconds, status.st_mtime - seconds))
