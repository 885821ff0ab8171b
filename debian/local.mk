# SPDX-License-Identifier: MIT
# The package is built from a tarball as well.
EXTRA_DIST += \
	%D%/README.Debian \
	%D%/changelog \
	%D%/control \
	%D%/copyright \
	%D%/leadhook.dirs \
	%D%/leadhook.docs \
	%D%/leadhook.links \
	%D%/leadhook.lintian-overrides \
	%D%/leadhook.logrotate \
	%D%/leadhook.postinst \
	%D%/leadhook.postrm \
	%D%/leadhook.prerm \
	%D%/leadhook.templates \
	%D%/po/POTFILES.in \
	%D%/po/templates.pot \
	%D%/rules \
	%D%/source/format
