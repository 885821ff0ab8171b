#!/bin/sh
# SPDX-License-Identifier: MIT
# Apache with mod_fcgid, the customer's part: the program that mod_fcgid starts. Writable only by the owner (chmod 755).

# --- edit ---
program="/home/alice/leadhook/sbin/leadhook-fcgi"
config="/home/alice/leadhook/etc/leadhook/leadhook.conf"
# ------------

# exec: mod_fcgid sends TERM to the process that it started. No workers: each process gets one request at a time.
exec "$program" --config "$config" --workers 0
