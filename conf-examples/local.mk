# SPDX-License-Identifier: MIT
confexampledir = $(docdir)/conf-examples
dist_confexample_DATA = %D%/leadhook.conf
