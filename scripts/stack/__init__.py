# SPDX-License-Identifier: MIT
"""A whole Leadhook on loopback: private MariaDB, programs, web server, webhook receiver.

Used by the quickstart and by the system tests; standard library only. Nothing here needs root, and nothing
outlives the process that started it.
"""
