/* SPDX-License-Identifier: MIT
 * REMOTE_ADDR, X-Forwarded-For and the trusted proxies, one per line (leadhook.conf(5)): a client cannot change its address by
 * prepending to the header. */
#include "fuzz.h"
#include "identity/network.h"

/* As text; absent when it cannot be determined. */
static struct slice
find_client(struct pool *pool, struct slice remote, struct slice forwarded, const struct network_list *trusted)
{
	struct ip_address client;
	return client_address(remote, forwarded, trusted, &client) ? ip_address_format(pool, &client) : SLICE_NONE;
}

static void
require_text(struct pool *pool, struct slice text, struct ip_address *address)
{
	REQUIRE(ip_address_parse(text, address));
	REQUIRE(slice_equal(ip_address_format(pool, address), text));
}

/* Text left of the first untrusted address has no effect. */
static void
require_unforged(struct pool *pool, struct slice remote, struct slice forwarded, const struct network_list *trusted)
{
	static const struct slice forged[] = { SLICE("203.0.113.9, "), SLICE("127.0.0.1,"), SLICE("x,,"),
		SLICE("[::1]:1, \t,") };
	struct slice found = find_client(pool, remote, forwarded, trusted);
	for (size_t i = 0; i < ARRAY_SIZE(forged); i++) {
		struct slice longer = POOL_JOIN(pool, forged[i], forwarded);
		REQUIRE(slice_equal(find_client(pool, remote, longer, trusted), found));
	}
}

/* Text left of an unreadable entry has no effect. */
static void
require_end(struct pool *pool, struct slice remote, struct slice forwarded, const struct network_list *trusted)
{
	struct slice unreadable = POOL_JOIN(pool, SLICE("unknown, "), forwarded);
	struct slice forged = POOL_JOIN(pool, SLICE("203.0.113.9, "), unreadable);
	REQUIRE(slice_equal(find_client(pool, remote, unreadable, trusted), find_client(pool, remote, forged, trusted)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice rest = fuzz_input(data, size), remote = fuzz_line(&rest), forwarded = fuzz_line(&rest), bad;
	struct network_list trusted, none = { 0 };
	struct ip_address address;
	if (!network_list_parse(pool, rest, &trusted, &bad))
		REQUIRE(network_list_parse(pool, SLICE("127.0.0.0/8 ::1 10.0.0.0/8"), &trusted, &bad));
	struct slice peer = find_client(pool, remote, forwarded, &none);
	struct slice client = find_client(pool, remote, forwarded, &trusted);
	REQUIRE(slice_present(peer) == slice_present(client));
	if (slice_present(client)) {
		require_text(pool, peer, &address);
		REQUIRE(network_list_contains(&trusted, &address) || slice_equal(peer, client));
		require_end(pool, remote, forwarded, &trusted);
		require_text(pool, client, &address);
		if (!network_list_contains(&trusted, &address))
			require_unforged(pool, remote, forwarded, &trusted);
	}
	pool_free(&pool);
	return 0;
}
