/* SPDX-License-Identifier: MIT
 * Destinations of webhooks (docs/deliveries.md 1, 5) and links of a page (docs/api.md 4.4): the dialled URL passes the same
 * checks as the registered one, and no script is accepted as a link. */
#include "fuzz.h"
#include "identity/link.h"
#include "webhook/webhook_url.h"

static void
require_request_line(struct slice url)
{
	REQUIRE(slice_is_ascii(url) && !slice_has_control(url) && slice_find(url, ' ') == url.size);
	REQUIRE(slice_find(url, '\\') == url.size && slice_find(url, '#') == url.size);
	struct slice authority = slice_sub(url, slice_find(url, '/') + 2, url.size);
	authority = slice_sub(authority, 0, slice_find(authority, '/'));
	for (size_t i = 0; i < authority.size && authority.data[0] != '['; i++) /* which may contain the name of an interface */
		REQUIRE(authority.data[i] == ascii_lower(authority.data[i]));
	REQUIRE(
	    authority.size > 0 && slice_find(authority, '@') == authority.size && slice_find(authority, '?') == authority.size);
}

static void
require_webhook(struct pool *pool, struct slice url)
{
	struct address_rules rules;
	struct slice bad, dialled, again;
	REQUIRE(address_rules_parse(pool, SLICE_NONE, SLICE("22 25"), &rules, &bad));
	enum webhook_url_result result = webhook_url_judge(pool, url, &rules);
	bool dials = webhook_url_dial(pool, url, &dialled);
	REQUIRE(dials == (result != WEBHOOK_URL_INVALID));
	if (!dials)
		return;
	require_request_line(dialled);
	struct slice without_fragment = slice_sub(url, 0, slice_find(url, '#'));
	REQUIRE(webhook_url_dial(pool, without_fragment, &again) && slice_equal(dialled, again));
	if (dialled.size > WEBHOOK_URL_MAX) /* too long to register in that spelling */
		return;
	REQUIRE(webhook_url_judge(pool, dialled, &rules) == result);
	REQUIRE(webhook_url_dial(pool, dialled, &again) && slice_equal(dialled, again));
}

/* As browsers read it: without leading white space and control characters, tabs and line ends. */
static void
require_link(struct pool *pool, struct slice link)
{
	static const struct slice scripts[] = { SLICE("javascript:"), SLICE("data:"), SLICE("vbscript:"), SLICE("file:") };
	char *read = pool_alloc(pool, link.size + 1);
	size_t size = 0;
	for (size_t i = 0; i < link.size; i++) {
		unsigned char c = (unsigned char)link.data[i];
		if ((size > 0 || c > ' ') && c != '\t' && c != '\n' && c != '\r')
			read[size++] = link.data[i];
	}
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
		REQUIRE(!link_is_web(link) || !slice_starts_with_nocase((struct slice){ read, size }, scripts[i]));
}

static void
require_host(struct pool *pool, struct slice link)
{
	struct slice host = link_host(pool, link);
	REQUIRE(slice_is_ascii(host) && !slice_has_control(host));
	for (size_t i = 0; i < host.size; i++)
		REQUIRE(host.data[i] == ascii_lower(host.data[i]));
	if (host.size > 0)
		REQUIRE(slice_equal(link_host(pool, host), host));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice text = fuzz_input(data, size);
	require_webhook(pool, text);
	require_link(pool, text);
	require_host(pool, text);
	pool_free(&pool);
	return 0;
}
