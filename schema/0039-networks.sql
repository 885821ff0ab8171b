-- SPDX-License-Identifier: MIT
-- Counts of leads for max_per_ip are those of an IPv6 /64 (docs/api.md 4.6). Safe to run twice. Older programs count whole addresses, and do
-- not see the counts of networks: if leads sign up by them after the upgrade, `leadhook check --deep` says how these are counted again.

INSERT INTO {prefix}ip_leads (campaign_id, ip, leads)
	SELECT campaign_id, CONCAT(INET6_NTOA(CONCAT(LEFT(INET6_ATON(ip), 8), REPEAT(X'00', 8))), '/64') AS network, SUM(leads)
	FROM {prefix}ip_leads
	WHERE ip LIKE '%:%' AND ip NOT LIKE '%/64'
	GROUP BY campaign_id, network
	ON DUPLICATE KEY UPDATE leads = VALUES(leads);

DELETE FROM {prefix}ip_leads WHERE ip LIKE '%:%' AND ip NOT LIKE '%/64';

REPLACE INTO {prefix}installation (name, value) VALUES ('oldest_programs_39', '38');
