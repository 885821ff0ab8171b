# SPDX-License-Identifier: MIT
"""The tested build and its sources: top_builddir and top_srcdir, by default the tree of this file."""
import os
import pathlib

SOURCE = pathlib.Path(os.environ.get("top_srcdir") or pathlib.Path(__file__).resolve().parents[3]).resolve()
BUILD = pathlib.Path(os.environ.get("top_builddir") or SOURCE).resolve()
