# SPDX-License-Identifier: MIT
"""For the walk through docs/requirements.md: calls in each way, and the fields of the payload as in its table."""
import urllib.parse

from client import multipart
from payload import check_payload

EVENTS = ("new_signup repeat_signup score_change marked_as_fraudulent opted_out referral tagged reward_level verified "
          "phone_number_opt_out new_signup_not_excluded deleted").split()
BODIES = ("JSON", "form", "multipart", "query")
ADA_FIELDS = {"first_name": "Ada", "plan": "gold"}

# The rows of "Lead: response payload": members of every answer, and members that some answers leave out.
URLS = "social_url redirect_url thankyou_url status_url unsubscribe_url".split()
ACTIONS = ["completed_actions"]
COMMON = """id social_id campaign_id list_id
rank rank_relative_position counter lead_count subscription_number
contest_score contest_score_rank contest_score_rank_relative_position
first_name given_name family_name display_name avatar
verified verified_email verified_phone_number waitlisted
referrals unverified_leads verified_leads influence""".split()
PERSONAL = "email phone_number custom_fields uid parent_id opted_out sms_opted_out utm tags".split()
KEYED = "ip referrer fraudulent".split()


def send(campaign, method, fields, way="JSON", path="", whole_path=None, **options):
    """A call with its fields in a body or the query, to the campaign's path or a path below it."""
    if way == "multipart":
        type, body = multipart([(name, str(value)) for name, value in fields.items()])
        sent = {"type": type, "body": body}
    else:
        sent = {{"JSON": "json_body", "form": "form", "query": "query"}[way]: fields}
    return campaign.client.request(method, whole_path or campaign.path + path, **sent, **options)


def sign_up(campaign, way="JSON", path="", **fields):
    """Creates or updates a lead without a key; returns the payload."""
    answer = send(campaign, "POST", fields, way, path)
    assert answer.status == 200, answer.body
    return answer.json


def look_up(campaign, way="query", **fields):
    """Looks up a lead without a key; returns the payload."""
    answer = send(campaign, "GET", fields, way)
    assert answer.status == 200, answer.body
    return answer.json


def same(one, other):
    """Whether two payloads describe the same lead."""
    return all(one[name] == other[name] for name in ("id", "social_id", "rank", "when"))


class MadeCampaign:
    """A campaign that exists, however it was made."""

    def __init__(self, client, id, key):
        self.client, self.id, self.path, self.key = client, id, f"/v2/{id}", key

    def find(self, **fields):
        """Looks up a lead with the key."""
        answer = send(self, "GET", fields, "query", key=self.key)
        assert answer.status == 200, answer.body
        return answer.json


def check_known_leads(campaign, name="ada"):
    """The most important promises of docs/requirements.md to callers without a key, about leads that exist: States and transitions,
    and GET /v2/{campaign_id}. The addresses must be new to the campaign."""
    ada, bob, number = {"email": f"{name}@example.org"}, {"email": f"{name}-bob@example.org"}, {"phone_number": "+14155552671"}
    made = check_payload(sign_up(campaign, **ADA_FIELDS, **ada), "public")
    for counter, way in enumerate(BODIES, 2):
        again = check_payload(sign_up(campaign, way, **ada, size=way, first_name="Augusta"), "public")
        assert same(again, made) and (again["counter"], again["first_name"]) == (counter, "Augusta")
    assert campaign.find(**ada)["custom_fields"] == {**ADA_FIELDS, "first_name": "Augusta", "size": way}
    assert same(sign_up(campaign, **ada, **number), made) and campaign.find(**ada)["phone_number"] == number["phone_number"]
    for fields in (ada, number, {"kid": made["social_id"]}, {"social_id": made["social_id"]}):
        for way in ("query", "JSON"):
            assert same(check_payload(look_up(campaign, way, **fields), "public"), made)
    link = urllib.parse.urlsplit(campaign.find(**ada)["unsubscribe_url"]["default"]).path
    assert campaign.client.request("GET", link.removeprefix(campaign.client.base_path)).status == 200
    assert campaign.find(**ada)["opted_out"] is True
    sign_up(campaign, **ada, __do_not_reset_opt_out=1)
    assert campaign.find(**ada)["opted_out"] is True
    assert same(sign_up(campaign, **ada, must_exist=True), made) and campaign.find(**ada)["opted_out"] is False
    phone = sign_up(campaign, phone_number="+14155552672")
    assert same(sign_up(campaign, phone_number="+14155552672", **bob), phone) and campaign.find(**bob)["counter"] == 2
    for fields in ({"email": f"no-{name}@example.org"}, {"phone_number": "+14155552679"}, {"social_id": "0000000000"}):
        assert send(campaign, "GET", fields, "query").verdict == (404, "lead_not_found")
    for method, path in (("GET", f"/v1/{campaign.id}/subscribe"), ("GET", f"/v1/{campaign.id}/info")):
        assert same(send(campaign, method, ada, "query", whole_path=path).json, made)
