# SPDX-License-Identifier: MIT
"""Programs and the database die at any moment: no accepted sign-up is lost or duplicated, and every event arrives.

docs/requirements.md Delivery format 4, docs/deliveries.md 3 Guarantee, docs/api.md 2 unavailable, docs/architecture.md 7.
"""
import os
import pathlib
import signal

import pytest
from load import Load, check_leads
from processes import children
from service import settles
from stack.process import Child, wait_until
from stack.receiver import Answer

pytestmark = pytest.mark.slow
PER_WEBHOOK = 32  # docs/deliveries.md 3 and 4, dispatch.per_webhook: at most this many deliveries of a webhook may be sent twice


@pytest.fixture(scope="module")
def database(own_database):
    return own_database


def message_ids(campaign):
    return {one.headers["webhook-id"] for one in campaign.service.receiver.at(campaign.hook)}


def check_deliveries(campaign, leads, kills=0):
    """Check that there is one new_signup for each lead. A repetition has the same webhook-id; only deliveries in flight are
    repeated."""
    due = f"SELECT COUNT(*) FROM lh_due u JOIN lh_webhooks w ON w.id = u.webhook_id WHERE w.campaign_id = {campaign.id}"
    wait_until(lambda: campaign.service.installation.sql(due) == "0", 90, "every delivery has ended")
    received = campaign.service.receiver.at(campaign.hook)
    ids = message_ids(campaign)
    assert {one.json["social_id"] for one in received} == set(leads)
    assert len(ids) == len(leads)
    assert len(received) - len(ids) <= kills * PER_WEBHOOK
    assert all(one.verified for one in received)


def test_killed_responders(service, receiver, campaign):
    """workers die during requests: others continue, they are replaced, and no request is left half done"""
    campaign.webhook("new_signup")
    with Load(campaign) as load:
        load.wait_for(50)
        for _ in range(5):
            for victim in children(service.responders.pid)[::3]:
                os.kill(victim, signal.SIGKILL)
            load.wait_for(30)
    accepted = [email for email, status in load.answers.items() if status == 200]
    assert all(campaign.find(email=email)["counter"] == 1 for email in accepted)
    load.repeat_refused()
    leads = check_leads(campaign, load.answers)
    service.dispatch(max_runtime=30)
    check_deliveries(campaign, leads)


def test_workers_end_with_a_killed_parent(service, receiver, campaign):
    """after the parent's death, its workers end; the restarted parent serves on the same socket"""
    workers = children(service.responders.pid)
    assert workers
    with Load(campaign) as load:
        load.wait_for(50)
        service.responders.kill()
        wait_until(lambda: not any(alive(pid) for pid in workers), 5, "the workers have ended")
        service.responders.start()
        load.wait_for(50)
    load.repeat_refused()
    check_leads(campaign, load.answers)


def alive(pid):
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_dispatcher(service, receiver, campaign):
    """docs/deliveries.md 3 Guarantee: a killed dispatcher loses nothing; the next one starts without waiting for leases"""
    campaign.webhook("new_signup")
    leads = {campaign.lead(email=f"{number}@example.org")["social_id"] for number in range(200)}
    receiver.script(campaign.hook, Answer(delay=0.05))
    kills = 3
    for kill in range(1, kills + 1):
        service.dispatcher.start()
        wait_until(lambda kill=kill: len(message_ids(campaign)) >= 50 * kill, 45, "deliveries that are not repetitions")
        service.dispatcher.kill()
    service.dispatcher.start()
    try:
        check_deliveries(campaign, leads, kills)
    finally:
        service.dispatcher.stop()


def test_the_database_restarts_under_load(service, database, receiver, campaign):
    """docs/api.md 2 unavailable: 503 with Retry-After during the outage; the dispatcher runs on and continues"""
    campaign.webhook("new_signup")
    service.dispatcher.start()
    try:
        with Load(campaign) as load:
            load.wait_for(50)
            database.child.kill()
            load.wait_for(20, status=503)
            assert campaign.client.request("GET", "/health").status == 200
            ready = settles(lambda: campaign.client.request("GET", "/health/ready"), 503, "unavailable")
            assert int(ready.headers["Retry-After"]) > 0
            database.start()
            load.wait_for(50, seconds=60)
        assert load.retry_after and all(value and int(value) > 0 for value in load.retry_after)
        assert set(load.answers.values()) == {200, 503}
        accepted = [email for email, status in load.answers.items() if status == 200]
        assert all(campaign.find(email=email)["counter"] == 1 for email in accepted)
        load.repeat_refused()
        check_deliveries(campaign, check_leads(campaign, load.answers))
        assert service.dispatcher.alive()
    finally:
        service.dispatcher.stop()


def dispatcher_on(service, socket, log, *words):
    """Return a dispatcher of the service, which is not started, and whose database is or will be at another socket."""
    return Child("leadhook-dispatch", ["env", f"LEADHOOK_DATABASE_SOCKET={socket}", service.installation.program("leadhook-dispatch"),
                                       "--config", service.installation.config, *words], log)


def test_dispatcher_stops_without_a_database(service, tmp_path):
    """leadhook-dispatch(8): after TERM or INT, a dispatcher exits with 0, even while it waits; a run from cron exits with an
    error"""
    for words, number in ((["--daemon"], signal.SIGTERM), (["--max-runtime", "50"], signal.SIGINT)):
        dispatcher = dispatcher_on(service, "/nonexistent", tmp_path / str(number.value), *words).start()
        wait_until(lambda: " database step=" in dispatcher.log.read_text(), 10, "it connects to the database")
        assert dispatcher.stop(number) == 0
    assert dispatcher_on(service, "/nonexistent", tmp_path / "cron", "--max-runtime", "1").start().wait(15) == 69


def test_another_schema_after_an_outage(service, database, receiver, campaign, tmp_path):
    """docs/architecture.md 9: even a dispatcher that was started during an outage refuses another schema version. It logs the hint
    once, and continues after the correction."""
    campaign.webhook("new_signup")
    campaign.lead(email="a@example.org")
    socket, installation = tmp_path / "socket", service.installation
    dispatcher = dispatcher_on(service, socket, tmp_path / "log", "--daemon").start()
    try:
        wait_until(lambda: " database step=" in dispatcher.log.read_text(), 10, "it connects to the database")
        installation.sql("INSERT INTO lh_schema_version VALUES (99, 0)")
        socket.symlink_to(database.socket)
        wait_until(lambda: dispatcher.log.read_text().count("result=failed") > 2, 15, "it has reached the database")
        assert dispatcher.log.read_text().count("wrong_schema") == 1 and "hint=" in dispatcher.log.read_text()
        assert installation.sql("SELECT MAX(lease_until_ms) FROM lh_dispatch_shards") == "0" and receiver.at(campaign.hook) == []
        installation.sql("DELETE FROM lh_schema_version WHERE version = 99")
        campaign.delivered(1)
    finally:
        assert dispatcher.stop() == 0
