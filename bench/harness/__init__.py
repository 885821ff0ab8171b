# SPDX-License-Identifier: MIT
"""bench/run: starts the contestants, has wrk and the receiver measure them, prints the table. Standard library only."""
import pathlib

BENCH = pathlib.Path(__file__).resolve().parents[1]
