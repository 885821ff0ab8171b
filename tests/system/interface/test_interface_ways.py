# SPDX-License-Identifier: MIT
"""docs/requirements.md, for campaigns that were created in any other way than by `leadhook campaign add` alone, with and without mail: the
core of the interface without a key, and the settings. test_quickstart.py tests those of a quickstart."""
import json
import re

import pytest
from caller import Caller
from interface import MadeCampaign, check_known_leads, look_up, same, sign_up
from transfers import run_import, write
from tree import SOURCE

OWN = ("id", "name", "created_at", "lead_count")  # differ for each campaign
NEW_ID = 7_000_001


@pytest.fixture(scope="module", params=[False, True], ids=["without mail", "with mail"])
def service(request, make_service, mail_server):
    made = make_service(workers=4, settings=mail_server.settings() if request.param else ())
    yield made
    made.stop()


@pytest.fixture(scope="module")
def manage(service, account):
    return Caller(service, service.installation.admin("key", "add", str(account.id), "--rights", "all")["key"])


@pytest.fixture
def settings(leadhook):
    """Returns all that is shown about a campaign by its id, except values that every campaign has for itself."""
    return lambda id: {name: value for name, value in leadhook("campaign", "show", id).items() if name not in OWN}


@pytest.fixture
def plain(service, account, settings):
    """The settings of a campaign that was created without any."""
    return settings(service.plain_campaign(account).id)


def differences(one, other):
    return {name: one[name] for name in one if one[name] != other[name]}


def test_with_an_id(service, account, leadhook, settings, plain):
    """`campaign add --id`, for pages that contain this id: such a campaign sends no mails, and does not look for bots"""
    id = leadhook("campaign", "add", account.id, "Old", "--id", NEW_ID + int(service.installation.name.removeprefix("leadhook")))["id"]
    assert differences(settings(id), plain) == {"mails": [], "bots": "off"}
    check_known_leads(MadeCampaign(service.client, id, account.key))


def test_over_http(service, account, manage, settings, plain):
    """a campaign from `POST /manage/v1/accounts/{account}/campaigns` has the settings of a plain one"""
    made = manage("POST", f"accounts/{account.id}/campaigns", {"name": "New"})
    assert made.status == 201, made.body
    assert differences(settings(made.json["id"]), plain) == {}
    check_known_leads(MadeCampaign(service.client, made.json["id"], account.key))


def presets():
    """Return what the dashboard sends in addition to the name, by the purpose that is chosen."""
    text = (SOURCE / "src/dashboard/web/overview.js").read_text(encoding="utf-8").split("const PRESETS = {\n")[1].split("\n};\n")[0]
    found = re.findall(r"^\t(\w+): \[\s*\"[^\"]*\",\s*\"[^\"]*\",\s*\{(.*?)\},?\s*\],$", text, re.M | re.S)
    return {name: json.loads("{" + re.sub(r"(\w+):", r'"\1":', fields) + "}") for name, fields in found}


def test_presets():
    """presets() finds all purposes of the dashboard"""
    assert list(presets()) == ["referral", "waiting", "plain", "api"]


@pytest.mark.parametrize("preset", ["referral", "waiting", "plain"])
@pytest.mark.parametrize("confirms", [{}, {"verify_email": True}], ids=["at once", "confirmed"])
def test_in_the_dashboard(service, account, manage, settings, plain, preset, confirms):
    """What the dialog sends for each purpose that concerns visitors; with mail, they may have to confirm their address"""
    chosen = {**presets()[preset], **confirms}
    made = manage("POST", f"accounts/{account.id}/campaigns", {"name": "New", **chosen})
    assert made.status == 201, made.body
    assert differences(settings(made.json["id"]), plain).items() <= chosen.items()
    assert not {"public_lookup", "public_update", "require_key"} & chosen.keys()
    check_known_leads(MadeCampaign(service.client, made.json["id"], account.key))


def test_by_setup(service, account, leadhook, settings, plain):
    """The command with which `leadhook setup` creates the first campaign by default"""
    script = (SOURCE / "setup/setup.in").read_text(encoding="utf-8")
    [words] = re.findall(r'as_service campaign add "\$account_id" "\$[1@]"(.*) --json', script)
    assert words == "" and 'make_campaign "$setup_campaign_name"\n' in script
    id = leadhook("campaign", "add", account.id, "Launch")["id"]
    assert differences(settings(id), plain) == {}
    check_known_leads(MadeCampaign(service.client, id, account.key))


def test_after_an_import(service, account, tmp_path, settings, plain):
    """Imported leads are known leads: they are found and updated, and not duplicated; the campaign's settings stay"""
    campaign = service.plain_campaign(account)
    result, _ = run_import(campaign, write(tmp_path, "email,phone,first_name,social_id\neve@example.org,+14155552673,Eve,a1b2c3\n"))
    assert result["imported"] == 1 and settings(campaign.id) == plain
    found = look_up(campaign, email="eve@example.org")
    assert found["first_name"] == "Eve"
    for fields in ({"phone_number": "+14155552673"}, {"kid": found["social_id"]}, {"social_id": "a1b2c3"}):
        assert same(look_up(campaign, **fields), found)
    again = sign_up(campaign, email="eve@example.org", first_name="Evelyn")
    assert same(again, found) and (again["counter"], again["first_name"]) == (found["counter"] + 1, "Evelyn")
    check_known_leads(campaign)
