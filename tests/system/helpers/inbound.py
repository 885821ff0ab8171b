# SPDX-License-Identifier: MIT
"""Inbound webhooks: adding, listing and calling them."""

PATH = "/inbound-webhook"


def add(campaign, name="Shop", maps=(), **fields):
    """Create an inbound webhook with a call; return its answer with the path of the URL. `maps`: paths by parameter."""
    form = [("name", name), *fields.items(), *((f"map[{target}]", path) for target, path in dict(maps).items())]
    answer = campaign.client.request("POST", campaign.path + PATH, form=form, key=campaign.key)
    assert answer.status == 200, answer.body
    made = answer.json
    if "url" in made:
        made["path"] = made["url"][made["url"].index("/inbound/"):]
    return made


def send(campaign, hook, payload=None, **options):
    if payload is not None:
        options["json_body"] = payload
    return campaign.client.request("POST", hook["path"], **options)


def listed(campaign):
    answer = campaign.get({}, path=PATH)
    assert answer.status == 200
    return answer.json
