# SPDX-License-Identifier: MIT
"""The web server, with the same configuration for every subject except for the socket."""
from stack.front import Front, Lighttpd

from . import BENCH


class BenchLighttpd(Lighttpd):
    """lighttpd without an access log, and with the maximum number of requests per connection."""

    def configure(self, listen, program=None, config=None):
        self.write("main.conf", f"""
server.document-root = "{BENCH}/php"
server.bind = "127.0.0.1"
server.port = {self.port}
server.errorlog = "{self.log}"
server.modules = ( "mod_fastcgi" )
server.max-keep-alive-requests = 65535
server.max-fds = 8192
fastcgi.server = ( "/" => (( "socket" => "{listen}", "check-local" => "disable" )) )
""")


class OwnServer(Front):
    """For a program that is its own web server."""

    def configure(self, listen, program=None, config=None):
        pass

    def start(self):
        return self
