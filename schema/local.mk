# SPDX-License-Identifier: MIT
schema_files = \
	%D%/0001-initial.sql \
	%D%/0002-names.sql \
	%D%/0003-leases.sql \
	%D%/0004-words.sql \
	%D%/0005-social-ids.sql \
	%D%/0006-public-actions.sql \
	%D%/0007-inbound.sql \
	%D%/0008-compat.sql \
	%D%/0009-phone-codes.sql \
	%D%/0010-pages.sql \
	%D%/0011-verification.sql \
	%D%/0012-bots.sql \
	%D%/0013-texts.sql \
	%D%/0014-messages.sql \
	%D%/0015-verify-phone.sql \
	%D%/0016-sent-codes.sql \
	%D%/0017-email-codes.sql \
	%D%/0018-removal.sql \
	%D%/0019-rights.sql \
	%D%/0020-users.sql \
	%D%/0021-sealed-secrets.sql \
	%D%/0022-hours.sql \
	%D%/0023-request-keys.sql \
	%D%/0024-jobs.sql \
	%D%/0025-mails-of-campaign.sql \
	%D%/0026-referred.sql \
	%D%/0027-referrers.sql \
	%D%/0028-sources.sql \
	%D%/0029-heartbeats.sql \
	%D%/0030-search.sql \
	%D%/0031-consents.sql \
	%D%/0032-audit-bytes.sql \
	%D%/0033-sendings.sql \
	%D%/0034-keyed-fields.sql \
	%D%/0035-token-epochs.sql \
	%D%/0036-points-due.sql \
	%D%/0037-opt-out-epochs.sql \
	%D%/0038-claims.sql \
	%D%/0039-networks.sql \
	%D%/0040-events-of-campaign.sql \
	%D%/0041-points-owed.sql \
	%D%/0042-turns-of-accounts.sql \
	%D%/0043-bulk-turns-of-accounts.sql \
	%D%/0044-proven-addresses.sql \
	%D%/0045-requests-of-pages.sql \
	%D%/0046-accepted-answers.sql \
	%D%/0047-time-zones.sql \
	%D%/0048-leaderboard-names.sql \
	%D%/0049-refusals-of-mail.sql \
	%D%/0050-marks.sql \
	%D%/0051-what-leads-see.sql
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = $(schema_files)
EXTRA_DIST += scripts/embed-schema
