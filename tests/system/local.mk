# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	%D%/client.py \
	%D%/conftest.py \
	%D%/database_proxy.py \
	%D%/fastcgi_client.py \
	%D%/load.py \
	%D%/payload.py \
	%D%/processes.py \
	%D%/service.py \
	%D%/test_admin.py \
	%D%/test_commit.py \
	%D%/test_concurrency.py \
	%D%/test_crash.py \
	%D%/test_cron.py \
	%D%/test_delivery.py \
	%D%/test_errors.py \
	%D%/test_fastcgi.py \
	%D%/test_health.py \
	%D%/test_identity.py \
	%D%/test_lookup.py \
	%D%/test_payload.py \
	%D%/test_program.py \
	%D%/test_quickstart.py \
	%D%/test_readme.py \
	%D%/test_requests.py \
	%D%/test_retries.py \
	%D%/test_signup.py \
	%D%/test_web_servers.py \
	%D%/test_webhooks_api.py
