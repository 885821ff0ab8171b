# SPDX-License-Identifier: MIT
"""bench/run: starts the subjects, measures them with wrk and the receiver, prints the table. Standard library only."""
import pathlib

BENCH = pathlib.Path(__file__).resolve().parents[1]
