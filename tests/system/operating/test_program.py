# SPDX-License-Identifier: MIT
"""The programs started by hand, with only their configuration, and in unusual environments."""
import os
import pathlib
import signal
import subprocess

import fastcgi_client
import pytest
from lock_file import MAGIC, OWNER
from stack.process import wait_until


def test_the_configured_socket(service):
    """docs/architecture.md 10: server.listen is used without --listen; TERM removes the socket, even after a reload"""
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
            assert fastcgi_client.request(str(path), REQUEST_METHOD="GET", REQUEST_URI="/health").status == 200
        finally:
            program.terminate()
        assert program.wait(20) == 0
    assert f" serving listen={path} " in log.read_text()
    assert not pathlib.Path(path).exists()


def run_without(descriptor, installation, program, *words, **environment):
    """Runs a program with a standard descriptor closed, as some supervisors do; returns its exit status."""
    return subprocess.run([installation.program(program), "--config", installation.config, *words], timeout=60,
                          env={**os.environ, **environment}, stdin=subprocess.DEVNULL, check=False,
                          preexec_fn=lambda: os.close(descriptor)).returncode


def test_closed_stdout_is_an_error(service):
    """docs/operating.md 4: exit codes of sysexits.h"""
    assert run_without(1, service.installation, "leadhook", "status") == os.EX_IOERR


def test_log_lines_stay_out_of_other_files(service):
    """leadhook-dispatch(8) FILES: even with standard error closed, the lock file has only the owner's id and the attempts under
    way"""
    lock = pathlib.Path(service.installation.setting("dispatch", "lock_file"))
    run_without(2, service.installation, "leadhook-dispatch", "--max-runtime", "1", LEADHOOK_DATABASE_SOCKET="/nonexistent")
    content = lock.read_bytes()
    assert content[:OWNER.start].rstrip(b"\0") == MAGIC and not any(content[OWNER.stop:])
    assert service.installation.dispatch(max_runtime=1) == 0


def test_a_database_that_hangs(make_service, database):
    """docs/api.md 2 unavailable: the client gets 503 before the worker's request timeout"""
    service = make_service(workers=2, settings=[("server", "request_timeout", "5s")])
    campaign = service.campaign(service.account())
    campaign.lead(email="a@example.org")
    database.child.suspend()
    try:
        for response in (campaign.post({"email": "b@example.org"}), campaign.get({"email": "a@example.org"}),
                         service.client.request("GET", "/health/ready")):
            assert response.verdict == (503, "unavailable") and int(response.headers["Retry-After"]) > 0
    finally:
        database.child.send(signal.SIGCONT)
    # each worker refuses calls for a moment after a failure
    wait_until(lambda: campaign.post({"email": "b@example.org"}).status == 200, 20, "sign-ups are refused")
    assert campaign.find(email="b@example.org")["rank"] == 2
    assert "worker_stuck" not in service.responders.log.read_text()


@pytest.mark.parametrize("program", ["leadhook", "leadhook-fcgi", "leadhook-dispatch"])
def test_the_list_of_disposable_domains(service, tmp_path, program):
    """leadhook.conf(5): an error names the setting, the file and the item"""
    path, config = tmp_path / "hosts.txt", tmp_path / "leadhook.conf"
    config.write_text(f"[lead]\ndisposable_domains_file = {path}\n")

    def check(status):
        done = subprocess.run([service.installation.program(program), "--config", config, "--check-config"], timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert done.returncode == status, done.stderr
        return done.stderr.decode().replace(f"{config}:2: lead.disposable_domains_file: {path}", "@")
    assert "@: No such file or directory\n" in check(os.EX_CONFIG)
    path.write_text("# none\n\nmailinator.example\n  bücher.example # two\n.sub.example *.all.example\r\n")
    check(os.EX_OK)
    path.write_text("mailinator.example\n\nhttp://trash.example\nb\n")
    assert "@:3: expected host names, not http://trash.example\n" in check(os.EX_CONFIG)
    path.write_bytes(b"a.example\nb\x1b[2J.example\n")
    assert "@:2: expected host names\n" in check(os.EX_CONFIG)
    path.unlink()
    path.mkdir()
    assert "@: Is a directory\n" in check(os.EX_CONFIG)
    path.rmdir()
    with open(path, "wb") as file:
        file.truncate(16 * 1024 * 1024 + 1)
    assert "@: File too large\n" in check(os.EX_CONFIG)
