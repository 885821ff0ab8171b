# SPDX-License-Identifier: MIT
"""The attempts that the dispatcher has recorded, and webhooks for attempts."""
import dataclasses

from deliveries import ATTEMPTS

LOG = f"""
SELECT d.webhook_id, COALESCE(a.status, ''), COALESCE(a.error, ''), a.duration_ms, LENGTH(COALESCE(a.answer, '')),
d.state = 'delivered'
FROM {ATTEMPTS} a JOIN (SELECT id, webhook_id, 'pending' AS state FROM lh_due
UNION ALL SELECT id, webhook_id, state FROM lh_deliveries) d ON d.id = a.delivery_id ORDER BY a.delivery_id, a.attempt
"""


@dataclasses.dataclass
class Attempt:
    status: int | None
    error: str | None
    seconds: float
    stored: int  # bytes of the response body
    delivered: bool  # the delivery, not the attempt


def attempts(service, webhook):
    """Return the attempts of one webhook (its id), oldest first."""
    rows = [line.split("\t") for line in service.installation.sql(LOG).splitlines()]
    return [Attempt(int(status) if status else None, error or None, int(duration) / 1000, int(stored), delivered == "1")
            for id, status, error, duration, stored, delivered in rows if int(id) == webhook]


def add_webhook(campaign, url, **certificates):
    """Add a webhook for new_signup. `certificates` are columns of the table. Return its id."""
    response = campaign.post({"url": url, "event": "new_signup"}, path="/outbound-webhook")
    assert response.status == 200, response.body
    webhook = response.json["referenceId"]
    for column, path in certificates.items():
        campaign.service.installation.sql(f"UPDATE lh_webhooks SET {column} = '{path}' WHERE id = {webhook}")
    return webhook


def attempt_each(campaign, urls, dispatch):
    """Run the dispatcher once, with one attempt for each of the URLs (a dict). Return the webhooks' ids by the same keys."""
    webhooks = {key: add_webhook(campaign, url) for key, url in urls.items()}
    campaign.lead(email="ada@example.org")
    dispatch()
    return webhooks
