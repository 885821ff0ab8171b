-- SPDX-License-Identifier: MIT
-- Bulk calls that undo `sms_optout` and `verify`. Safe to run twice.
-- It does not allow older programs: a dispatcher that finds a job with a word it has not would do no bulk work any more.

ALTER TABLE {prefix}bulk_jobs
	MODIFY COLUMN action ENUM('optout', 'sms_optout', 'verify', 'approve', 'block', 'waitlist', 'unwaitlist', 'tag', 'delete', 'points',
		'sms_optin', 'unverify') NOT NULL;
