# SPDX-License-Identifier: MIT
"""Steady sign-ups from several threads, each with an address of its own, and what became of each."""
import concurrent.futures
import http.client
import itertools
import threading

from stack.process import wait_until


def at_once(requests):
    """Call all of them at the same moment; the results."""
    barrier = threading.Barrier(len(requests))

    def one(request):
        barrier.wait()
        return request()
    return in_parallel([lambda request=request: one(request) for request in requests], len(requests))


def in_parallel(requests, clients=16):
    """Call them from so many threads; the results, in their order."""
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        return list(pool.map(lambda request: request(), requests))


class Clients:
    """Use as a context: `run` is called in so many threads, with their numbers, until `stopped` is set at the end."""

    def __init__(self, run, threads):
        self.stopped = threading.Event()
        self._threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(threads)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self._threads:
            thread.join()


class Load(Clients):
    """`answers` maps each email to the status, None where no answer came."""

    def __init__(self, campaign, threads=8):
        super().__init__(self._run, threads)
        self.campaign = campaign
        self.answers = {}
        self.retry_after = set()  # what 503 answers carried
        self._numbers = itertools.count()

    def _run(self, _):
        while not self.stopped.is_set():
            email = f"load{next(self._numbers)}@example.org"
            status = self._post(email)
            self.answers[email] = status
            if status != 200:
                self.stopped.wait(0.02)  # a refusing server is not asked in a busy loop

    def _post(self, email):
        try:
            response = self.campaign.post({"email": email})
        except (OSError, http.client.HTTPException):
            return None
        if response.status == 503:
            self.retry_after.add(response.headers["Retry-After"])
        return response.status

    def count(self, status=200):
        return sum(1 for answer in list(self.answers.values()) if answer == status)

    def wait_for(self, more, seconds=30, status=200):
        """Until `more` further answers of that status have come."""
        goal = self.count(status) + more
        wait_until(lambda: self.count(status) >= goal, seconds, f"{more} answers {status}")

    def repeat_refused(self, seconds=30):
        """What a client does after an error: send it again, until it is accepted."""
        for email in [email for email, status in self.answers.items() if status != 200]:
            wait_until(lambda email=email: self._post(email) == 200, seconds, f"{email} is accepted")


def lead_count(campaign):
    listed = campaign.client.request("GET", "/v2/campaigns", key=campaign.key).json
    return next(one["lead_count"] for one in listed if one["id"] == campaign.id)


def check_leads(campaign, emails):
    """Exactly these leads, once each, ranks without gap; their payloads by social id."""
    leads = [campaign.find(email=email) for email in emails]
    assert sorted(lead["rank"] for lead in leads) == list(range(1, len(leads) + 1))
    assert lead_count(campaign) == len(leads)
    return {lead["social_id"]: lead for lead in leads}
