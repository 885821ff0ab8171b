# SPDX-License-Identifier: MIT
"""The clock of a private MariaDB, which libfaketime changes; Leadhook takes the times that it stores from the database."""
import pathlib

LIBRARY = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)  # None: libfaketime is not installed


class Clock:
    """`file` has the difference to the real time. `words` precede the command of the server; `options` are added to it."""

    # InnoDB measures waits for its latches by this clock, and aborts the server after 600 s. A jump during a short wait would look
    # like that.
    options = ["--innodb-fatal-semaphore-wait-threshold=4294967295"]

    def __init__(self, file):
        self.file = pathlib.Path(file)
        self.words = ["env", f"LD_PRELOAD={LIBRARY}", f"FAKETIME_TIMESTAMP_FILE={self.file}", "FAKETIME_NO_CACHE=1",
                      "FAKETIME_DONT_FAKE_MONOTONIC=1"]
        self.jump(0)

    def jump(self, seconds):
        """Sets the clock that many seconds ahead of the real one."""
        whole = self.file.with_suffix(".new")
        whole.write_text(f"{seconds:+d}\n")
        whole.replace(self.file)
