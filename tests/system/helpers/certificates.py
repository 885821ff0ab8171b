# SPDX-License-Identifier: MIT
"""Certificates for the tests, made with the openssl command."""
import dataclasses
import itertools
import pathlib

from stack.process import run

CONFIGURATION = """
[ca]
default_ca = own
[own]
database = {folder}/index.txt
new_certs_dir = {folder}
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
"""
VALID, EXPIRED, FUTURE = ("20200101000000Z", "20491231000000Z"), ("20200101000000Z", "20200201000000Z"), \
                         ("20490101000000Z", "20491231000000Z")


@dataclasses.dataclass(frozen=True)
class Certificate:
    certificate: pathlib.Path
    key: pathlib.Path

    def in_one_file(self, path):
        path.write_text(self.certificate.read_text() + self.key.read_text())
        return path


class Authority:
    """A CA; `file` is its own certificate."""
    numbers = itertools.count(1)

    def __init__(self, folder, name):
        self.folder = pathlib.Path(folder, name)
        self.folder.mkdir()
        self.own = self_signed(self.folder, name, "basicConstraints=critical,CA:true")
        self.file = self.own.certificate
        self._configuration = self.folder / "openssl.cnf"
        self._configuration.write_text(CONFIGURATION.format(folder=self.folder))
        (self.folder / "index.txt").touch()

    def issue(self, name, alternative="IP:127.0.0.1", when=VALID):
        """Issue a certificate for a server at that address, or for a client."""
        path = self.folder / f"{name}-{next(self.numbers)}"
        made = Certificate(path.with_suffix(".pem"), path.with_suffix(".key"))
        request = path.with_suffix(".csr")
        run("openssl req", ["openssl", "req", "-new", *new_key(made.key), "-out", request, "-subj", f"/CN={name}",
                            "-addext", f"subjectAltName={alternative}"])
        run("openssl ca", ["openssl", "ca", "-batch", "-notext", "-config", self._configuration, "-cert", self.file,
                           "-keyfile", self.own.key, "-in", request, "-out", made.certificate,
                           "-startdate", when[0], "-enddate", when[1]])
        return made


def new_key(path):
    return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-keyout", path]


def self_signed(folder, name, *extensions):
    made = Certificate(folder / f"{name}.pem", folder / f"{name}.key")
    run("openssl req", ["openssl", "req", "-x509", *new_key(made.key), "-out", made.certificate, "-days", "30",
                        "-subj", f"/CN={name}", *(word for extension in extensions for word in ("-addext", extension))])
    return made
