# SPDX-License-Identifier: MIT
"""What the caller says to the tests themselves. His own LEADHOOK_ settings for the programs are no part of the tests."""
import os

# LEADHOOK_TEST_COMMITTER=no: services run without one.
TEST_SETTINGS = {name: os.environ[name] for name in ("LEADHOOK_HISTORIES", "LEADHOOK_KILLS", "LEADHOOK_SEED",
                                                     "LEADHOOK_TEST_COMMITTER") if name in os.environ}
for name in [name for name in os.environ if name.startswith("LEADHOOK_")]:
    del os.environ[name]
