# SPDX-License-Identifier: MIT
"""docs/operating.md 13: `leadhook doctor` about files and folders, and the account that they are for."""
import grp
import json
import os
import pwd
import re
import shutil
import socket
import subprocess

import pytest
from doctor import KEY, apply, changed, edited, examine, healthy, names, only, service  # noqa: F401  # fixtures
from marks import first

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
ACCOUNT = "www-data"


@pytest.fixture
def owned(service, edited):
    """A copy of the configuration, owned by an account other than root."""
    folder = service.installation.folder / "owned"
    folder.mkdir()
    path = edited(("server", "state_dir", folder), ("dispatch", "lock_file", folder / "dispatch.lock"))
    account = pwd.getpwnam(ACCOUNT)
    for one in (folder, path):
        os.chown(one, account.pw_uid, account.pw_gid)
    folder.chmod(0o700)
    shutil.copy2(service.installation.folder / "dispatch.lock", folder / "dispatch.lock")
    os.chown(folder / "dispatch.lock", account.pw_uid, account.pw_gid)
    os.utime(folder / "dispatch.lock")
    yield path, folder
    shutil.rmtree(folder)


def change(owned, *settings):
    """Changes and returns its configuration."""
    owned[0].write_text(changed(owned[0], settings))
    return owned[0]


def root_owns_state(folder):
    os.chown(folder, 0, 0)


def all_write_state(folder):
    folder.chmod(0o777)


def group_writes_state(folder):
    folder.chmod(0o770)


def root_owns_lock(folder):
    os.chown(folder / "dispatch.lock", 0, 0)


def no_state(folder):
    (folder / "dispatch.lock").rename(folder.parent / "moved.lock")
    folder.rmdir()


def open_configuration(folder):
    os.chown(folder.parent / "edited.conf", 65534, 65534)


@needs_root
@pytest.mark.parametrize(("what", "fault", "also"), first(
    ("state_dir_access", root_owns_state, ()), ("state_dir_mode", all_write_state, ()), ("state_dir_mode", group_writes_state, ()), ("lock_file_owner", root_owns_lock, ()),
    ("state_dir_missing", no_state, ("lock_file_directory",)),
    ("account_mismatch", open_configuration, ("file_access",))), ids=lambda value: value if isinstance(value, str) else "")
def test_files_of_the_account(service, owned, what, fault, also):
    """docs/operating.md 13: run by root, it checks for the account that owns the files"""
    path, folder = owned
    healthy(service, path)
    fault(folder)
    answer = examine(service, config=path)
    assert what in names(answer) and not set(names(answer)) - {what, *also, "lock_file_owner", "lock_file_directory"}, names(answer)
    finding = next(one for one in answer["findings"] if one["what"] == what)
    assert finding["fix"][0]["file"] in (str(folder), str(folder / "dispatch.lock"))
    apply(finding)
    if what == "state_dir_missing":
        (folder.parent / "moved.lock").rename(folder / "dispatch.lock")
    if what != "account_mismatch":
        healthy(service, path)
    assert what not in names(examine(service, config=path))


@needs_root
def test_a_lock_file_that_is_a_link(service, owned):
    """docs/operating.md 13: the remedy changes no file elsewhere"""
    path, folder = owned
    lock, target = folder / "dispatch.lock", folder.parent / "target"
    root_owns_lock(folder)
    finding = next(one for one in examine(service, config=path)["findings"] if one["what"] == "lock_file_owner")
    assert finding["fix"][0]["command"] == f"chown -h {ACCOUNT} {lock}"
    lock.rename(target)
    lock.symlink_to(target)
    finding = next(one for one in examine(service, config=path)["findings"] if one["what"] == "lock_file_owner")
    assert "no regular file" in finding["detail"] and finding["fix"][0]["command"] == f"rm {lock}"
    apply(finding)
    assert target.stat().st_uid == 0 and not lock.is_symlink()
    assert "lock_file_owner" not in names(examine(service, config=path))
    target.unlink()


@needs_root
def test_a_file_that_is_only_read(service, owned, make_folder):
    """docs/operating.md 13: afterwards the account may read it, but does not own it"""
    path, _ = owned
    folder = make_folder()
    domains, link = folder / "domains.txt", folder / "link.txt"
    domains.write_text("example.org\n")
    domains.chmod(0o600)
    link.symlink_to(domains)
    env = {"LEADHOOK_LEAD_DISPOSABLE_DOMAINS_FILE": str(link)}
    finding = next(one for one in examine(service, config=path, env=env)["findings"] if one["what"] == "file_access")
    assert finding["fix"][0]["command"] == f"chgrp {grp.getgrgid(pwd.getpwnam(ACCOUNT).pw_gid).gr_name} {domains} && chmod ug+r {domains}"
    apply(finding)
    assert (domains.stat().st_uid, domains.stat().st_mode & 0o777) == (0, 0o640)


def test_no_folder_for_the_lock_file(service, edited):
    """docs/operating.md 13: the dispatcher cannot create it"""
    folder = service.installation.folder / "none"
    path = edited(("dispatch", "lock_file", folder / "dispatch.lock"))
    finding = only(examine(service, config=path), "lock_file_directory")
    assert finding["fix"][0]["file"] == str(folder)
    apply(finding)
    healthy(service, path)


def test_no_log_file(service, edited):
    """docs/operating.md 13: the folder is missing"""
    path = edited(("log", "file", service.installation.folder / "logs" / "leadhook.log"))
    apply(only(examine(service, config=path), "log_file"))
    healthy(service, path)


@needs_root
def test_a_log_of_root(service, owned):
    """docs/operating.md 13: a run as root created it; its contents are kept"""
    _, folder = owned
    path = change(owned, ("log", "file", folder / "leadhook.log"))
    (folder / "leadhook.log").write_text("a line\n")
    finding = only(examine(service, config=path), "log_file")
    apply(finding)
    assert (folder / "leadhook.log").read_text() == "a line\n"
    healthy(service, path)


@needs_root
def test_files_of_another_account_in_a_shared_folder(service, edited, make_folder):
    """docs/operating.md 13: the programs refuse them"""
    folder = make_folder()
    folder.chmod(0o777)
    path = edited(("log", "file", folder / "log"), ("dispatch", "lock_file", folder / "lock"))
    for name in ("log", "lock"):
        (folder / name).touch()
        os.chown(folder / name, pwd.getpwnam(ACCOUNT).pw_uid, -1)
    answer = examine(service, config=path)
    assert sorted(names(answer)) == ["lock_file_owner", "log_file"]
    for finding in answer["findings"]:
        assert "others can put files" in finding["detail"]
        apply(finding)
    healthy(service, path)


@needs_root
def test_a_folder_that_hides_the_others(service, owned, make_folder):
    """docs/operating.md 13: the account cannot enter the folder: the finding names the folder, not what is in it"""
    above = make_folder()
    (above / "state").mkdir(mode=0o700)
    os.chown(above / "state", pwd.getpwnam(ACCOUNT).pw_uid, -1)
    above.chmod(0o700)
    path = change(owned, ("server", "state_dir", above / "state"))
    finding = only(examine(service, config=path), "state_dir_access")
    assert [fix["command"] for fix in finding["fix"]] == [f"chmod o+x {above}"]
    apply(finding)
    healthy(service, path)


@needs_root
@pytest.mark.parametrize(("section", "key", "name", "what"), first(
    ("dispatch", "lock_file", "dispatch.lock", "lock_file_directory"), ("server", "state_dir", "", "state_dir_access")))
def test_a_folder_of_the_system(service, owned, make_folder, section, key, name, what):
    """docs/operating.md 13: a folder that contains folders, such as /run, is never given to the account"""
    shared = make_folder()
    (shared / "other").mkdir()
    path = change(owned, (section, key, shared / name if name else shared))
    finding = next(one for one in examine(service, config=path)["findings"] if one["what"] == what)
    [fix] = finding["fix"]
    assert (fix["command"], fix["place"]) == (None, f"[{section}]") and fix["line"].startswith(f"{key} = ")


@needs_root
def test_the_account_of_the_group(service, owned):
    """docs/operating.md 13: with the package, root owns the configuration, and the account's group may read it"""
    path, folder = owned
    os.chown(path, 0, pwd.getpwnam(ACCOUNT).pw_gid)
    path.chmod(0o640)
    os.chown(folder, 0, 0)
    finding = next(one for one in examine(service, config=path)["findings"] if one["what"] == "state_dir_access")
    assert f"the account {ACCOUNT} may not write there" in finding["detail"]
    apply(finding)
    assert "state_dir_access" not in names(examine(service, config=path))


def test_no_syslog_daemon(service, edited):
    """docs/operating.md 13: nothing is at the path, or the file is no socket; the line has the usual path"""
    path = service.installation.folder / "syslog.sock"
    config = edited(("log", "syslog", "daemon"), ("log", "syslog_socket", path))
    finding = only(examine(service, config=config), "syslog")
    assert (finding["severity"], finding["detail"]) == ("warning", f"{path}: No such file or directory")
    assert finding["fix"] == [{"file": str(config), "place": "[log]", "line": "syslog_socket = /dev/log", "command": None}]
    path.touch()
    assert only(examine(service, config=config), "syslog")["detail"] == f"{path}: Connection refused"
    path.unlink()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as daemon:
        daemon.bind(str(path))
        path.chmod(0o666)
        healthy(service, config)


@needs_root
def test_a_full_disk(service, edited):
    """docs/operating.md 13: the file system of state_dir"""
    folder = service.installation.folder / "small"
    folder.mkdir(mode=0o700)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "none", folder], check=False, capture_output=True).returncode != 0:
        pytest.skip("no tmpfs can be mounted")
    try:
        path = edited(("server", "state_dir", folder))
        healthy(service, path)
        (folder / "fill").write_bytes(b"x" * ((4 << 20) * 97 // 100))
        finding = only(examine(service, config=path), "disk_space")
        assert finding["severity"] == "warning" and finding["fix"][0]["file"] == str(folder)
        with (folder / "fill").open("ab") as file:
            file.write(b"x" * (100 << 10))
        assert only(examine(service, config=path), "disk_space")["severity"] == "error"
        (folder / "fill").unlink()
        healthy(service, path)
    finally:
        subprocess.run(["umount", folder], check=True)


@needs_root
def test_another_account(service, owned):
    """docs/operating.md 13: without root's rights, the doctor reports what it could not check, and finds no fault where there is none"""
    config, _ = owned
    program = shutil.copy2(service.installation.program("leadhook"), service.installation.folder)
    config.write_text(re.sub(r"^(password|secrets_key).*\n", "", config.read_text(), flags=re.M))
    config.chmod(0o644)
    done = subprocess.run(["runuser", "-u", "daemon", "--", program, "--config", config, "doctor", "--json"], text=True,
                          env={**os.environ, "LEADHOOK_DATABASE_PASSWORD": service.installation.setting("database", "password"),
                               "LEADHOOK_SERVER_SECRETS_KEY": KEY},
                          capture_output=True, check=False)
    answer = json.loads(done.stdout)
    assert names(answer) == [], answer["findings"]
    skipped = {one["check"]: one["detail"] for one in answer["checks"] if one["state"] == "skipped"}
    assert "run this as root, or as www-data" in skipped["lock_file"]
