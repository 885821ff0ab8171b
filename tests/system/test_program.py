# SPDX-License-Identifier: MIT
"""leadhook-fcgi as an operator starts it: by its configuration alone."""
import os
import pathlib
import signal
import subprocess

import fastcgi_client
from stack.process import wait_until


def test_the_configured_socket(service):
    """architecture (libfcgi): server.listen without --listen; TERM takes the socket away, also after a new configuration"""
    installation = service.installation
    path, log = installation.folder / "configured.sock", installation.folder / "configured.log"
    environment = {**os.environ, "LEADHOOK_SERVER_LISTEN": str(path), "LEADHOOK_SERVER_WORKERS": "1",
                   "LEADHOOK_LOG_FILE": str(log)}

    def logged(event):
        return log.exists() and f" {event} " in log.read_text()

    with subprocess.Popen([installation.program("leadhook-fcgi"), "--config", installation.config], env=environment,
                          stdin=subprocess.DEVNULL) as program:
        try:
            wait_until(lambda: program.poll() is not None or logged("serving"), 20, "the start")
            program.send_signal(signal.SIGHUP)
            wait_until(lambda: program.poll() is not None or logged("reloaded"), 20, "the new configuration")
            assert fastcgi_client.ask(str(path), REQUEST_METHOD="GET", REQUEST_URI="/health").status == 200
        finally:
            program.terminate()
        assert program.wait(20) == 0
    assert f" serving listen={path} " in log.read_text()
    assert not pathlib.Path(path).exists()
