# SPDX-License-Identifier: MIT
"""leadhook(1), lead erase and lead report: a person's data go, and what others have stays."""
import json
import signal
import subprocess

import pytest
from command import DATA, OK, USAGE, call
from mail_server import MailServer
from stack.mariadb import MariaDB
from stack.process import wait_until
from stack.receiver import Answer
from test_import import counts, imported, write

ADA = "Ada.Lovelace+x@Example.org"
KEY = "Ada.Lovelace+x@example.org".lower()
NAME = "Augusta Byron"
PHONE = "+4915112345678"
PARTS = [b"lovelace+x", b"lovelace%2bx", b"lovelace\\u002bx", b"augusta", b"15112345678"]


@pytest.fixture(scope="module")
def server():
    made = MailServer()
    yield made
    made.close()


@pytest.fixture(scope="module")
def scrubbing(make_folder):
    """A server of which InnoDB overwrites what is deleted."""
    folder = make_folder()
    made = MariaDB(folder, folder / "mariadb.sock", more=["--innodb-immediate-scrub-data-uncompressed=1"]).create()
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def service(make_service, scrubbing, server):
    return make_service(database=scrubbing, settings=server.settings())


def erase(service, *words, status=OK):
    done = call(service.installation, "lead", "erase", *words, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout) if status == OK else done.stderr


def rows(service):
    """All rows of all tables."""
    dump = subprocess.run(["mariadb-dump", "--no-defaults", f"--socket={service.database.socket}", "--skip-extended-insert",
                           service.installation.setting("database", "name")], capture_output=True, timeout=60, check=True)
    assert b"INSERT INTO `lh_leads`" in dump.stdout
    return dump.stdout.lower()


def present(text):
    return [part for part in PARTS if part in text]


def standing(campaign, lead):
    found = campaign.find(social_id=lead["social_id"])
    return found["contest_score"], found["referrals"], found["rank"], found["influence"]


def fill(service, campaign, server):
    """Ada refers Bob, and is referred by Carl; all of them have events, deliveries and mails."""
    carl = campaign.lead(email="carl@example.org", first_name="Carl")
    ada = campaign.lead(email=ADA, phone_number=PHONE, first_name=NAME, kid=carl["social_id"], ip="192.0.2.77",
                        __ref="https://example.org/?mail=ada.lovelace%2bx%40example.org")
    bob = campaign.lead(email="bob@example.org", kid=ada["social_id"])
    campaign.points(ada, 40)
    return carl, ada, bob


def test_nothing_is_left(service, account, server, scrubbing):
    """Rows, and the files of the tables."""
    campaign = service.campaign(account, mails="welcome referral", points_signup=3, points_direct=5, max_per_ip=3)
    other = service.campaign(account)
    campaign.webhook("new_signup", "referral", "score_change", "deleted")
    other.webhook("new_signup")
    carl, ada, bob = fill(service, campaign, server)
    service.dispatch()
    assert service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE state = 'sent'") == "3", "mails to Ada, Bob and Carl"
    service.receiver.script(campaign.hook, Answer(500))
    campaign.points(ada, 2)
    service.dispatch()
    other.lead(email=ADA.lower(), first_name=NAME)
    before = other.lead(email="zoe@example.org")
    campaign.change("delete", emails=["bob@example.org"])
    earlier = campaign.lead(email="Ada.Lovelace+x@example.org", note="again")
    assert earlier["social_id"] == ada["social_id"]
    scores = standing(campaign, carl), standing(other, before)
    assert len(present(rows(service))) == 4
    result = erase(service, "--email", ADA)
    assert result["leads"] == 2 and result["mentioned_by"] == []
    assert result["events"] >= 6 and result["pending_deliveries"] >= 1 and result["ended_deliveries"] >= 4 and result["messages"] >= 2
    assert present(rows(service)) == [], "in a table"
    assert (standing(campaign, carl), standing(other, before))[0][0] == scores[0][0], "the score of the referrer changes"
    assert campaign.get({"email": ADA}).status == 404 and other.get({"email": ADA}).status == 404
    assert not service.installation.sql("SELECT * FROM lh_ip_leads WHERE ip = '192.0.2.77'")
    received = len(service.receiver.deliveries)
    service.dispatch()
    assert not [hook for hook in service.receiver.deliveries[received:] if b"lovelace" in hook.body.lower()]
    service.check()
    scrubbing.sql("SET GLOBAL innodb_fast_shutdown = 0")
    scrubbing.stop()
    files = [path for path in (scrubbing.data / service.installation.setting("database", "name")).glob("*.ibd")]
    found = {path.name: present(path.read_bytes().lower()) for path in files}
    scrubbing.start()
    assert len(files) > 30 and not {name: parts for name, parts in found.items() if parts}
    service.wait_ready()
