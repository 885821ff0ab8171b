# SPDX-License-Identifier: MIT
"""leadhook(1), domains update: a checked list replaces the file of lead.disposable_domains_file at once."""
import os
import stat

import pytest
from command import CONFIG, DATA, OK, USAGE, call
from tree import SOURCE

CANTCREAT, NOINPUT = 73, 66
SNAPSHOT = SOURCE / "conf-examples" / "disposable-domains.txt"


@pytest.fixture
def files(make_folder, service):
    """(the folder, the file of the setting, a new list, what a call returns)"""
    folder = make_folder()
    path, new = folder / "hosts.txt", folder / "new.txt"
    config = folder / "leadhook.conf"
    config.write_text(f"[lead]\ndisposable_domains_file = {path}\n[database]\nsocket = /nonexistent\n", encoding="utf-8")

    def update(*words, file=new, status=OK):
        done = call(service.installation, "domains", "update", "--file", str(file), "--json", *words, config=str(config))
        assert done.returncode == status, done.stderr
        return done.stderr if status else done.stdout
    return folder, path, new, update


def test_a_list_is_replaced(files):
    """it needs no database; the file may be missing or wrong, and its permissions stay the same"""
    folder, path, new, update = files
    new.write_text("# a comment\nmailinator.example\n*.Trash.example b\u00fccher.example\n", encoding="utf-8")
    wanted = f'{{"file":"{path}","hosts":3,"replaced":true}}'
    assert update("--dry-run").strip() == wanted.replace("true", "false") and not path.exists()
    assert update().strip() == wanted
    assert path.read_bytes() == new.read_bytes() and stat.S_IMODE(path.stat().st_mode) == 0o644
    path.write_text("not a host!\n")
    path.chmod(0o640)
    before = path.stat().st_ino
    assert update().strip() == wanted
    assert path.read_bytes() == new.read_bytes() and stat.S_IMODE(path.stat().st_mode) == 0o640 and path.stat().st_ino != before
    assert sorted(one.name for one in folder.iterdir()) == ["hosts.txt", "leadhook.conf", "new.txt"]


def test_a_wrong_list_changes_nothing(files):
    """each error names the file and, where it is known, the line"""
    folder, path, new, update = files
    path.write_text("old.example\n")
    assert f"{folder}/none: No such file or directory" in update(file=folder / "none", status=NOINPUT)
    assert f"{folder}: Is a directory" in update(file=folder, status=NOINPUT)
    for text, said in ((b"a.example\n\nhttp://b.example\n", ":3: expected host names, not http://b.example\n"),
                       (b"a.example\nb\x1b[2J.example\n", ":2: expected host names\n"),
                       (b"# nothing\n", ": there are no host names in it\n"), (b"", ": there are no host names in it\n")):
        new.write_bytes(text)
        assert update(status=DATA) == f"leadhook: {new}{said}"
    with open(new, "wb") as file:
        file.truncate(16 * 1024 * 1024 + 1)
    assert update(status=DATA) == f"leadhook: {new}: File too large\n"
    assert path.read_text() == "old.example\n"
    path.unlink()
    path.mkdir()
    new.write_text("a.example\n")
    assert update(status=CANTCREAT) == f"leadhook: {path}: Is a directory\n"
    assert sorted(one.name for one in folder.iterdir()) == ["hosts.txt", "leadhook.conf", "new.txt"]


def test_a_list_in_a_folder_of_another_account(files):
    """WRITTEN FILES: a link there is not followed, and a file is replaced by one that belongs to the caller"""
    folder, path, new, update = files
    new.write_text("a.example\n")
    target = new.with_name("target")
    target.write_text("precious")
    path.symlink_to(target)
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    else:
        folder.chmod(0o777)
    assert update(status=CANTCREAT) == f"leadhook: {path}: Too many levels of symbolic links\n"
    assert target.read_text() == "precious"
    path.unlink()
    path.write_text("old.example\n")
    path.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
        update()
        assert (path.stat().st_uid, stat.S_IMODE(path.stat().st_mode), path.read_text()) == (0, 0o644, "a.example\n")


def test_the_setting_and_the_option_are_needed(service, refused):
    assert refused(CONFIG, "domains", "update", "--file", "x") == \
        "leadhook: lead.disposable_domains_file is not set: it names the file that is replaced\n"
    done = call(service.installation, "domains", "update")
    assert (done.returncode, done.stderr) == (USAGE, "leadhook: domains update takes --file FILE [--dry-run]\n")


def test_the_list_that_ships(files):
    """conf-examples/disposable-domains.txt is valid and sorted, and contains no mail service that people use"""
    _, path, _, update = files
    hosts = [line for line in SNAPSHOT.read_text(encoding="ascii").splitlines() if not line.startswith("#")]
    assert hosts == sorted(set(hosts)) and len(hosts) > 5000
    assert not {"gmail.com", "outlook.com", "gmx.de", "web.de", "yahoo.com", "icloud.com", "proton.me", "duck.com"} & set(hosts)
    assert f'"hosts":{len(hosts)}' in update(file=SNAPSHOT)
    assert path.read_bytes() == SNAPSHOT.read_bytes() and os.access(path, os.R_OK)
