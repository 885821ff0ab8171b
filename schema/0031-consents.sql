-- SPDX-License-Identifier: MIT
-- Texts of consents have a prefix of their own: views of pages read those with "page." in each request. Programs of the version before
-- do not show them then, and one that they store meanwhile is not shown either. Safe to run twice.

UPDATE {prefix}campaign_texts SET name = SUBSTRING(name, 6) WHERE name LIKE 'page.consent.%';

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_31', '30');
