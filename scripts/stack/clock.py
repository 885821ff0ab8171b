# SPDX-License-Identifier: MIT
"""The clock of a program, which libfaketime changes. Leadhook takes the times that it stores from the clock of its MariaDB."""
import pathlib

LIBRARY = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)  # None: libfaketime is not installed


class Clock:
    """`file` contains the difference from the real time, `seconds`. `words` precede the command of the program; `options` are added to the
    command of MariaDB. With `monotonic`, the clock that measures durations jumps as well."""

    # InnoDB measures waits for its latches with this clock, and aborts the server after 600 s. A jump during a short wait would look
    # like that.
    options = ["--innodb-fatal-semaphore-wait-threshold=4294967295"]

    def __init__(self, file, monotonic=False):
        self.file = pathlib.Path(file)
        self.words = ["env", f"LD_PRELOAD={LIBRARY}", f"FAKETIME_TIMESTAMP_FILE={self.file}", "FAKETIME_NO_CACHE=1",
                      f"FAKETIME_DONT_FAKE_MONOTONIC={0 if monotonic else 1}"]
        self.jump(0)

    def jump(self, seconds):
        """Set the clock this many seconds ahead of the real one."""
        self.seconds = seconds
        whole = self.file.with_suffix(".new")
        whole.write_text(f"{seconds:+d}\n")
        whole.replace(self.file)
