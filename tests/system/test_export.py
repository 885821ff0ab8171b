# SPDX-License-Identifier: MIT
"""leadhook(1), lead export; and lead import of what it writes."""
import csv
import io
import json
import subprocess

import pytest
from command import DATA, OK, USAGE, call
from test_import import counts, imported, is_sound

SPECIAL = ["=1+1", "+49", "-5", "@x", "'=x", "''+", "plain", "'quoted'", 'a "b", c;d', "two\nlines", "ü €", "0123", "1e5", "true", "null"]


def export(campaign, *words, status=OK):
    done = subprocess.run([campaign.service.installation.program("leadhook"), "--config", campaign.service.installation.config,
                           "lead", "export", str(campaign.id), *map(str, words)], capture_output=True, timeout=60, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout


def records(campaign, *words):
    return list(csv.DictReader(io.StringIO(export(campaign, *words).decode(), newline=""), strict=True))


@pytest.fixture(scope="module")
def elsewhere(make_service):
    """Another installation: social ids are one lead's in an installation."""
    return make_service()


def define(campaign):
    """Tags and actions, the same in each campaign."""
    for name in ("vip", 'with "quotes", and; more', "beta"):
        campaign.define("tag", name, "--points", 7)
    campaign.define("action", "followed us", "--points", 3)


def fill(campaign):
    """Leads with everything that an export has."""
    tags = [one["id"] for one in campaign.service.installation.admin("tag", "list", str(campaign.id))]
    ada = campaign.lead(email="Ada@Example.org", phone_number="+14155552671", uid="=u", referrer="https://example.com/?a=1",
                        utm_source="=mail", utm_medium="x,y", ip="192.0.2.7", points=5, source="=s", user_agent="+ua",
                        __url="https://example.org/page?x=1")
    for number, text in enumerate(SPECIAL):
        campaign.lead(email=f"lead{number}@example.org", kid=ada["social_id"], note=text, **{"=formula": text, "score": text})
    campaign.lead(phone_number="+4930123456", size=4.50, flags=["a", 1, None, True], Plan="gold", empty="", nothing=None,
                  big=12345678901234567890, custom_fields={"kid": "x", "favourite colour": "grün"})
    for tag in tags:
        campaign.change("tag", tag_id=tag, social_ids=[ada["social_id"]])
    campaign.change("verify", emails=["lead1@example.org", "lead2@example.org"])
    campaign.change("block", emails=["lead3@example.org"])
    campaign.change("waitlist", emails=["lead4@example.org"])
    campaign.change("optout", emails=["lead5@example.org"])
    return ada


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_what_is_imported_is_exported_alike(service, account, elsewhere, leadhook, tmp_path, form):
    """export, import, export: the same bytes"""
    source, target = service.campaign(account, points_signup=2), elsewhere.campaign(elsewhere.account())
    for campaign in (source, target):
        define(campaign)
    fill(source)
    first = export(source, "--format", form)
    path = tmp_path / f"leads.{form}"
    path.write_bytes(first)
    total = source.stats()["total"]
    imported(target, path, expected=counts(total))
    assert export(target, "--format", form) == first
    assert total == len(SPECIAL) + 2
    is_sound(leadhook)
    elsewhere.check()
