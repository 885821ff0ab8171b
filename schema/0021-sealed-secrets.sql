-- SPDX-License-Identifier: MIT
-- Room for sealed secrets (SECURITY.md, Secrets in the database). Safe to run twice. Older programs run until the first secret is
-- sealed, which then refuses them (src/store/operator/secrets.c).

ALTER TABLE {prefix}webhooks
	MODIFY COLUMN url VARBINARY(3000) NOT NULL,
	MODIFY COLUMN secret VARBINARY(255) NOT NULL,
	MODIFY COLUMN previous_secret VARBINARY(255) NULL;

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_21', '20');
