# SPDX-License-Identifier: MIT
"""A private Postfix on a loopback port, with TLS and a login (Debian's postfix and sasl2-bin). It needs root. It has its own
configuration, queue and mailboxes, and shares nothing with the system's Postfix."""
import os
import pathlib
import pwd
import shutil
import socket
import subprocess

from mail_server import PASSWORD, USER
from stack.front import free_port
from stack.process import run, wait_until

MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/spool
data_directory = {folder}/data
daemon_directory = /usr/lib/postfix/sbin
command_directory = /usr/sbin
maillog_file_prefixes = {folder}
maillog_file = {folder}/postfix.txt
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.test
mydestination =
alias_maps =
alias_database =
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_tls_cert_file = {certificate}
smtpd_tls_key_file = {key}
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = cyrus
smtpd_sasl_local_domain = mail.test
cyrus_sasl_config_path = {folder}/sasl
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = reject_unlisted_recipient, permit_sasl_authenticated, reject
virtual_mailbox_domains = example.org
virtual_mailbox_maps = texthash:{folder}/mailboxes
virtual_mailbox_base = {folder}/mail
virtual_minimum_uid = 1
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
"""
MASTER = """
{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""


def is_installed():
    return os.geteuid() == 0 and all(map(shutil.which, ("postfix", "saslpasswd2")))


class Postfix:
    """`recipients` have mailboxes."""

    def __init__(self, folder, certificate, recipients):
        self.folder, self.port = pathlib.Path(folder), free_port()
        account = pwd.getpwnam("postfix")
        for name in ("mail", "sasl", "data", "spool"):
            (self.folder / name).mkdir()
        for name in ("mail", "data"):
            os.chown(self.folder / name, account.pw_uid, account.pw_gid)
        self._write("main.cf", MAIN.format(folder=self.folder, certificate=certificate.certificate, key=certificate.key,
                                           uid=account.pw_uid, gid=account.pw_gid))
        self._write("master.cf", MASTER.format(port=f"127.0.0.1:{self.port}"))
        self._write("mailboxes", "".join(f"{recipient} {recipient}/\n" for recipient in recipients))
        users = self.folder / "sasl" / "users"
        self._write("sasl/smtpd.conf", f"pwcheck_method: auxprop\nauxprop_plugin: sasldb\nmech_list: PLAIN LOGIN\nsasldb_path: {users}\n")
        run("saslpasswd2", ["saslpasswd2", "-p", "-c", "-f", users, "-u", "mail.test", USER], input=PASSWORD)
        os.chown(users, account.pw_uid, account.pw_gid)

    def _write(self, name, text):
        (self.folder / name).write_text(text.lstrip())

    def start(self):
        run("postfix start", ["postfix", "-c", self.folder, "start"])
        wait_until(self._answers, 20, "Postfix does not start")

    def _answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
                return connection.recv(100).startswith(b"220 ")
        except OSError:
            return False

    def stop(self):
        subprocess.run(["postfix", "-c", self.folder, "stop"], capture_output=True, timeout=30, check=False)

    def log(self):
        path = self.folder / "postfix.txt"
        return path.read_text(errors="replace") if path.exists() else ""

    def settings(self, authority):
        values = {"host": "127.0.0.1", "port": self.port, "tls": "required", "tls_ca": authority.file, "user": USER, "password": PASSWORD,
                  "from": "sender@example.org"}
        return [("mail", name, value) for name, value in values.items()]

    def mails(self, recipient):
        return [path.read_bytes() for path in sorted((self.folder / "mail" / recipient).glob("new/*"))]
