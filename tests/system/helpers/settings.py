# SPDX-License-Identifier: MIT
"""Settings of the tests themselves. The caller's other LEADHOOK_ variables do not reach the programs."""
import os

NAMES = ("LEADHOOK_ANSWERS", "LEADHOOK_EXAMPLES", "LEADHOOK_FAILURES", "LEADHOOK_FIGURES", "LEADHOOK_HISTORIES", "LEADHOOK_KILLS",
         "LEADHOOK_LEADS", "LEADHOOK_PICTURES", "LEADHOOK_PREVIOUS", "LEADHOOK_SEED", "LEADHOOK_TEST_COMMITTER")
INHERITED = "TESTS_OF_"  # prefix for the processes of pytest-xdist: the programs would refuse the names without it

for name in NAMES:
    if name in os.environ:
        os.environ[INHERITED + name] = os.environ[name]
# LEADHOOK_TEST_COMMITTER=no: services run without a committer.
TEST_SETTINGS = {name: os.environ[INHERITED + name] for name in NAMES if INHERITED + name in os.environ}
for name in [name for name in os.environ if name.startswith("LEADHOOK_")]:
    del os.environ[name]
