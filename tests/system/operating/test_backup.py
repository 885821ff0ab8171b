# SPDX-License-Identifier: MIT
"""docs/operating.md 10: backups of a running service, and the effects of a restore."""
import getpass
import shutil
import subprocess
import threading

import pytest
from command import OK, call
from sql import Database


def dump(service, folder):
    """Dumps the database; returns a server with the restored database."""
    name = service.installation.setting("database", "name")
    content = subprocess.run(["mariadb-dump", "--no-defaults", f"--socket={service.database.socket}", "--single-transaction",
                              "--skip-lock-tables", name], capture_output=True, timeout=120, check=True).stdout

    def restore():
        service.database.sql(f"DROP DATABASE `{name}`; CREATE DATABASE `{name}` CHARACTER SET utf8mb4")
        subprocess.run(["mariadb", "--no-defaults", f"--socket={service.database.socket}", name], input=content, timeout=120, check=True)
    return restore


def copy(service, folder):
    target = folder / "backup"
    options = [f"--target-dir={target}"]
    subprocess.run(["mariadb-backup", "--no-defaults", "--backup", f"--socket={service.database.socket}", f"--user={getpass.getuser()}", *options],
                   capture_output=True, timeout=120, check=True)
    subprocess.run(["mariadb-backup", "--no-defaults", "--prepare", *options], capture_output=True, timeout=120, check=True)

    def restore():
        service.database.stop()
        shutil.rmtree(service.database.data)
        shutil.copytree(target, service.database.data)
        service.database.start()
    return restore


@pytest.fixture
def own_service(make_service, make_folder):
    folder = make_folder()
    database = Database(folder, folder / "mariadb.sock").create()
    database.start()
    yield make_service(database=database)
    database.stop()


@pytest.mark.parametrize("way", [dump, pytest.param(copy, marks=pytest.mark.skipif(
    shutil.which("mariadb-backup") is None, reason="needs mariadb-backup"))])
def test_a_restore(own_service, tmp_path, way):
    """Sign-ups continue during the backup, which is consistent; events after the restore have new ids."""
    service = own_service
    campaign = service.campaign(points_direct=1)
    campaign.webhook("new_signup")
    first = campaign.lead(email="first@example.org")
    ended, made = threading.Event(), []

    def sign_up():
        while not ended.is_set():
            made.append(campaign.lead(email=f"{len(made)}@example.org", kid=first["social_id"]))
    load = threading.Thread(target=sign_up)
    load.start()
    try:
        restore = way(service, tmp_path)
    finally:
        ended.set()
        load.join()
    service.dispatch()
    before = {one.headers["webhook-id"] for one in service.receiver.at(campaign.hook)}
    highest = max(lead["id"] for lead in made)
    assert len(before) == len(made) + 1
    service.responders.stop()
    restore()
    done = call(service.installation, "check", "--restored", "--deep")
    assert done.returncode == OK, done.stdout + done.stderr
    service.responders.start()
    service.wait_ready()
    total = campaign.stats()["total"]
    assert 1 <= total <= len(made) + 1
    lead = campaign.lead(email="new@example.org")
    assert lead["id"] > highest
    service.dispatch()
    again = [one.headers["webhook-id"] for one in service.receiver.at(campaign.hook)[len(before):]]
    assert len([one for one in again if one not in before]) == 1, "the new lead's event has an id of its own"
    assert len(again) == total + 1 and len(set(again)) == len(again), "what was pending is sent, with its old ids"
    service.check()
