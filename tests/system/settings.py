# SPDX-License-Identifier: MIT
"""Settings of the tests themselves. The caller's other LEADHOOK_ variables do not reach the programs."""
import os

# LEADHOOK_TEST_COMMITTER=no: services run without a committer.
TEST_SETTINGS = {name: os.environ[name] for name in ("LEADHOOK_HISTORIES", "LEADHOOK_KILLS", "LEADHOOK_SEED",
                                                     "LEADHOOK_TEST_COMMITTER") if name in os.environ}
for name in [name for name in os.environ if name.startswith("LEADHOOK_")]:
    del os.environ[name]
