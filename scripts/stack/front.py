# SPDX-License-Identifier: MIT
"""Private web servers on loopback, each with a minimal main configuration that includes the shipped example."""
import collections
import os
import pathlib
import pwd
import random
import signal
import socket

from .examples import FOLDER, fill
from .process import Child, StackError

APACHE_MODULES = pathlib.Path("/usr/lib/apache2/modules")
# Apache does not run requests as root; this is Debian's account for it.
APACHE_USER = "www-data"
LIGHTTPD_ERRORS = FOLDER / "lighttpd-errors"
NGINX_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


DENIED_PORT = 27017  # the only port of the range below that is in dispatch.deny_ports: webhooks cannot use it
_held = collections.deque(maxlen=200)  # sockets that keep other processes off the last ports


def free_port():
    """Return a port that this function gives to no other process before a server listens on it. It is below the range of client ports,
    so that no client connection takes it either."""
    for port in random.sample([port for port in range(20000, 32000) if port != DENIED_PORT], 100):
        held = socket.socket()
        try:
            held.bind(("127.0.0.1", port))
        except OSError:
            held.close()
            continue
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # so that a server, which also sets it, can bind the port
        _held.append(held)
        return port
    raise StackError("no free port on 127.0.0.1")


def accepts(port, host="127.0.0.1"):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


class Front:
    """One web server in the foreground. `folder` is its own, with a short path; `mount` starts and ends with a slash."""

    starts_program = False  # whether the server runs leadhook-fcgi itself
    run_user = None  # the account that must own the configuration of the program; None: the current one

    def __init__(self, folder, port=None, mount="/"):
        self.folder, self.port, self.mount = pathlib.Path(folder), port or free_port(), mount
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = self.folder / "error.log"
        (self.folder / "www").mkdir(exist_ok=True)
        self.child = None

    @property
    def base_path(self):
        return self.mount.rstrip("/")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}{self.base_path}"

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def configure(self, listen, program, config):
        """Write the configuration: `listen` is for servers that connect, `program` and `config` for those that start the program."""
        raise NotImplementedError

    def command(self):
        raise NotImplementedError

    def start(self):
        self.child = Child(type(self).__name__, self.command(), self.log, death_signal=signal.SIGTERM).start()
        self.child.ready(lambda: accepts(self.port))
        return self

    def stop(self):
        if self.child is not None:
            self.child.stop()

    def restart_gracefully(self):
        """Restart as an administrator would: requests in progress are completed first."""
        raise NotImplementedError


class Lighttpd(Front):
    """lighttpd, whose main file includes the example."""

    def command(self):
        return ["lighttpd", "-D", "-f", self.folder / "main.conf"]

    def restart_gracefully(self):
        self.child.send(signal.SIGINT)
        self.child.wait(30)
        self.start()

    def write_main(self, example):
        self.write("leadhook.conf", example)
        self.write("main.conf", f'server.document-root = "{self.folder}/www"\n'
                                f'server.bind = "127.0.0.1"\nserver.port = {self.port}\n'
                                f'server.errorlog = "{self.log}"\nserver.modules = ( "mod_access" )\n'
                                f'include "{self.folder}/leadhook.conf"\n')


class LighttpdSocket(Lighttpd):
    def configure(self, listen, program, config):
        self.write_main(fill("lighttpd-socket.conf", leadhook_socket=listen, leadhook_mount=self.mount,
                             leadhook_log=self.folder / "access.log", leadhook_errors=f"{LIGHTTPD_ERRORS}/"))


class LighttpdSpawn(Lighttpd):
    starts_program = True

    def configure(self, listen, program, config):
        self.write_main(fill("lighttpd-spawn.conf", leadhook_program=program, leadhook_config=config, leadhook_workers=4,
                             leadhook_socket=self.folder / "fcgi.sock", leadhook_mount=self.mount,
                             leadhook_log=self.folder / "access.log", leadhook_errors=f"{LIGHTTPD_ERRORS}/"))


class Apache(Front):
    """Apache, whose main file has Debian's modules, user and default denial, and includes the example."""

    modules = ("mpm_event", "authz_core", "headers", "reqtimeout", "setenvif")
    main = ""

    def command(self):
        return ["apache2", "-d", self.folder, "-f", self.folder / "main.conf", "-DFOREGROUND"]

    def restart_gracefully(self):
        self.child.send(signal.SIGUSR1)

    def write_main(self, example):
        self.write("leadhook.conf", example)
        modules = "".join(f"LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so\n" for name in self.modules)
        user = f"User {APACHE_USER}\nGroup {APACHE_USER}\n" if os.geteuid() == 0 else ""
        self.write("main.conf", f'{modules}{user}ServerName 127.0.0.1\nListen 127.0.0.1:{self.port}\n'
                                f'PidFile "{self.folder}/apache.pid"\nDefaultRuntimeDir "{self.folder}"\nErrorLog "{self.log}"\n'
                                f'DocumentRoot "{self.folder}/www"\n'
                                "<Directory />\n\tAllowOverride None\n\tRequire all denied\n</Directory>\n"
                                '<FilesMatch "^\\.ht">\n\tRequire all denied\n</FilesMatch>\n'
                                f'{self.main.format(folder=self.folder)}Include "{self.folder}/leadhook.conf"\n')


class ApacheProxy(Apache):
    modules = (*Apache.modules, "buffer", "env", "proxy", "proxy_fcgi")

    def configure(self, listen, program, config):
        self.write_main(fill("apache-proxy-fcgi.conf", LEADHOOK_SOCKET=listen, LEADHOOK_MOUNT=self.mount,
                             LEADHOOK_LOG=self.folder / "access.log"))


class ApacheFcgid(Apache):
    modules = (*Apache.modules, "mime", "rewrite", "fcgid")
    starts_program = True
    # Debian's fcgid.conf points both at /var/lib/apache2.
    main = 'TypesConfig /dev/null\nFcgidIPCDir "{folder}/fcgid"\nFcgidProcessTableFile "{folder}/fcgid_shm"\n'

    @property
    def run_user(self):
        return APACHE_USER if os.geteuid() == 0 else None

    def configure(self, listen, program, config):
        customer = self.folder / "www" / self.mount.strip("/")
        customer.mkdir(parents=True, exist_ok=True)
        (self.folder / "fcgid").mkdir(exist_ok=True)
        if self.run_user:
            account = pwd.getpwnam(self.run_user)
            os.chown(self.folder / "fcgid", account.pw_uid, account.pw_gid)
        inside = customer.relative_to(self.folder)
        self.write(inside / ".htaccess", fill("htaccess"))
        self.write(inside / "leadhook.fcgi", fill("leadhook.fcgi", program=program, config=config), mode=0o755)
        self.write_main(fill("apache-mod-fcgid.conf", LEADHOOK_FOLDER=customer, LEADHOOK_MOUNT=self.mount,
                             LEADHOOK_LOG=self.folder / "access.log"))


class Nginx(Front):
    """nginx, whose main file has an `http` that includes the example; all files that nginx writes are in the folder."""

    def command(self):
        return ["nginx", "-p", self.folder, "-e", self.log, "-c", self.folder / "main.conf"]

    def restart_gracefully(self):
        self.child.send(signal.SIGHUP)

    def configure(self, listen, program, config):
        self.write("leadhook.conf", fill("nginx.conf", server=f"unix:{listen}", listen=f"127.0.0.1:{self.port}",
                                         server_name="_", access_log=f"{self.folder}/access.log leadhook",
                                         **{"location ^~": self.mount}))
        user = "user root;\n" if os.geteuid() == 0 else ""  # its workers must be able to enter the folders of the caller
        temporary = "".join(f"\t{kind}_temp_path {self.folder}/{kind};\n" for kind in NGINX_TEMPORARY)
        self.write("main.conf", f"{user}daemon off;\npid {self.folder}/nginx.pid;\nworker_processes 2;\n"
                                f"events {{\n}}\nhttp {{\n{temporary}\tinclude {self.folder}/leadhook.conf;\n}}\n")


FRONTS = {"lighttpd-socket": LighttpdSocket, "lighttpd-spawn": LighttpdSpawn, "apache-proxy-fcgi": ApacheProxy,
          "apache-mod-fcgid": ApacheFcgid, "nginx": Nginx}
