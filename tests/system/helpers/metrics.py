# SPDX-License-Identifier: MIT
"""The page of metrics: scraping it, and reading Prometheus' text format 0.0.4."""
import http.client
import re

from client import Response
from openapi import documented

LINE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def parse(text):
    """{(name, labels as sorted pairs): value}; every line must have the form of a sample or a comment."""
    samples = {}
    for line in text.splitlines():
        if line.startswith(("# HELP ", "# TYPE ")):
            continue
        found = LINE.fullmatch(line)
        assert found, line
        key = found[1], tuple(sorted(LABEL.findall(found[2] or "")))
        assert key not in samples, line
        samples[key] = float(found[3])
    return samples


class Page:
    """The samples of one scrape: page("requests_total", route="/v2", class_="2xx"). Returns None for a missing sample."""

    def __init__(self, text):
        self.text, self.samples = text, parse(text)

    def __call__(self, name, **labels):
        return self.samples.get((f"leadhook_{name}", tuple(sorted((key.rstrip("_"), value) for key, value in labels.items()))))

    def total(self, name, **labels):
        """The sum of the samples that have at least these labels."""
        wanted = {(key.rstrip("_"), value) for key, value in labels.items()}
        return sum(value for (found, pairs), value in self.samples.items()
                   if found == f"leadhook_{name}" and wanted <= set(pairs))

    @property
    def counters(self):
        """What may only grow."""
        kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", self.text, re.MULTILINE))
        counts = {name for name, kind in kinds.items() if kind == "counter"}
        counts |= {name + end for name, kind in kinds.items() if kind == "histogram" for end in ("_bucket", "_sum", "_count")}
        return {key: value for key, value in self.samples.items() if key[0] in counts}


def fetch(service, headers=(), method="GET"):
    """A request for the page as a scraper on this host sends it; without X-Forwarded-For."""
    connection = http.client.HTTPConnection("127.0.0.1", service.client.port, timeout=15)
    try:
        connection.request(method, service.client.base_path + "/metrics", headers=dict(headers))
        answer = connection.getresponse()
        response = Response(answer.status, answer.headers, answer.read())
    finally:
        connection.close()
    documented.check(method, "/metrics", response)
    return response.status, response.headers, response.body.decode()


def scrape(service, headers=()):
    status, found, text = fetch(service, headers)
    assert (status, found["Content-Type"]) == (200, CONTENT_TYPE), text
    return Page(text)
