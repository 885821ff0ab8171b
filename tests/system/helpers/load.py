# SPDX-License-Identifier: MIT
"""Steady sign-ups from several threads, each with its own address, and the answer to each."""
import concurrent.futures
import http.client
import threading

from stack.process import wait_until


def at_once(requests):
    """Run all requests at the same moment; return the results."""
    barrier = threading.Barrier(len(requests))

    def one(request):
        barrier.wait()
        return request()
    return in_parallel([lambda request=request: one(request) for request in requests], len(requests))


def in_parallel(requests, clients=16):
    """Run the requests in `clients` threads; return the results in order."""
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        return list(pool.map(lambda request: request(), requests))


class Clients:
    """A context in which each of the threads calls `run` with its number. `stopped` is set at the end."""

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
    """Leads are numbered from `first`. All attributes may be read while the threads run.

    `sent`: the email of each sign-up, in order; `answers`: the status by email, None if the connection failed; a sign-up in progress
    has no entry; `retry_after`: the Retry-After header of each answer 503.
    """

    def __init__(self, campaign, threads=8, first=0):
        super().__init__(self._run, threads)
        self.campaign = campaign
        self.sent, self.retry_after = [], []
        self._first, self._answers, self._lock = first, {}, threading.Lock()

    @property
    def answers(self):
        with self._lock:
            return dict(self._answers)

    def _run(self, _):
        while not self.stopped.is_set():
            with self._lock:
                email = f"load{self._first + len(self.sent)}@example.org"
                self.sent.append(email)
            status = self._post(email)
            with self._lock:
                self._answers[email] = status
            if status != 200:
                self.stopped.wait(0.02)  # no busy loop while the server refuses

    def _post(self, email):
        try:
            response = self.campaign.post({"email": email})
        except (OSError, http.client.HTTPException):
            return None
        if response.status == 503:
            self.retry_after.append(response.headers["Retry-After"])
        return response.status

    def count(self, status=200):
        return sum(answer == status for answer in self.answers.values())

    def wait_for(self, more, seconds=30, status=200):
        """Wait for `more` further answers with that status."""
        goal = self.count(status) + more
        wait_until(lambda: self.count(status) >= goal, seconds, f"{more} answers {status}")

    def repeat_refused(self, seconds=30):
        """Send refused sign-ups again until they are accepted, as a client does after an error."""
        for email in [email for email, status in self.answers.items() if status != 200]:
            wait_until(lambda email=email: self._post(email) == 200, seconds, f"{email} is accepted")


def lead_count(campaign):
    listed = campaign.client.request("GET", "/v2/campaigns", key=campaign.key).json
    return next(one["lead_count"] for one in listed if one["id"] == campaign.id)


def check_leads(campaign, emails):
    """Check that exactly these leads exist, once each, with ranks without gaps. Return their payloads by social id."""
    leads = [campaign.find(email=email) for email in emails]
    assert sorted(lead["rank"] for lead in leads) == list(range(1, len(leads) + 1))
    assert lead_count(campaign) == len(leads)
    return {lead["social_id"]: lead for lead in leads}
