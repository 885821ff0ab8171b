# SPDX-License-Identifier: MIT
"""A private Prometheus on loopback, with the files of conf-examples/."""
import json
import re
import shutil
import urllib.error
import urllib.parse
import urllib.request

import pytest
from stack.front import free_port
from stack.process import Child
from tree import SOURCE

EXAMPLES = SOURCE / "conf-examples"
needs_prometheus = pytest.mark.skipif(shutil.which("prometheus") is None or shutil.which("promtool") is None,
                                      reason="Prometheus is not installed; scripts/check installs it")


class Prometheus:
    """Scrapes `targets` every second. Its rules are those of the example, but alerts fire at once."""

    def __init__(self, folder, targets, path="/metrics"):
        self.url = f"127.0.0.1:{free_port()}"
        rules = (EXAMPLES / "prometheus-rules.yml").read_text()
        (folder / "prometheus-rules.yml").write_text(re.sub(r"( for:) \w+", r"\1 1s", rules))
        config = (EXAMPLES / "prometheus.yml").read_text()
        for old, new in ((r"_interval: 15s", "_interval: 1s"), (r'"127\.0\.0\.1:80"', ", ".join(f'"{target}"' for target in targets)),
                         (r"metrics_path: /metrics", f"metrics_path: {path}")):
            config, count = re.subn(old, new, config)
            assert count, old
        (folder / "prometheus.yml").write_text(config)
        self.child = Child("prometheus", ["prometheus", f"--config.file={folder / 'prometheus.yml'}",
                                          f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address={self.url}",
                                          "--log.level=warn"], folder / "prometheus.log")

    def start(self):
        self.child.start()
        self.child.ready(lambda: self._get("/-/ready") is not None, 30)
        return self

    def stop(self):
        self.child.stop()

    def _get(self, path, **query):
        try:
            with urllib.request.urlopen(f"http://{self.url}{path}?{urllib.parse.urlencode(query)}", timeout=15) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            if error.code == 503:
                return None
            raise AssertionError(error.read()) from error
        except OSError:
            return None

    def query(self, expression):
        """Return the samples that an instant query finds now; an invalid query fails."""
        answer = json.loads(self._get("/api/v1/query", query=expression))
        assert answer["status"] == "success", answer
        return answer["data"]["result"]

    def firing(self):
        """Return the names of the alerts that fire, except for those about file systems of the host, which may be full."""
        alerts = json.loads(self._get("/api/v1/alerts"))["data"]["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts
                if alert["state"] == "firing" and alert["labels"].get("of", "log") == "log"}
