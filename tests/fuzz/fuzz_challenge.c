/* SPDX-License-Identifier: MIT
 * The JSON of a solution (docs/api.md 8), as it is and as Base64: only a solution by ALTCHA's own library passes, and only for
 * its own challenge. The input may be any bytes. */
#include "fuzz.h"

#include <string.h>

#include "bots/solved.h"
#include "crypto/base64.h"

static enum solution_verdict
check(struct pool *pool, struct slice text, struct challenge *challenge)
{
	return solution_check(pool, text, SOLVED_SECRET, SOLVED_CAMPAIGN, SOLVED_EXPIRES_S, challenge);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct slice input = fuzz_input(data, size);
	const struct challenge solved = solved_challenge();
	struct pool *pool = pool_new();
	struct challenge challenge;
	(void)check(pool, input, &challenge);
	/* the signature cannot be forged, so this is the known solution */
	if (check(pool, base64_encode(pool, input), &challenge) == SOLUTION_GOOD) {
		REQUIRE(memmem(input.data, input.size, "939", 3) != NULL);
		REQUIRE(memcmp(challenge.nonce, solved.nonce, sizeof(solved.nonce)) == 0);
		REQUIRE(memcmp(challenge.salt, solved.salt, sizeof(solved.salt)) == 0);
		REQUIRE(challenge.campaign_id == SOLVED_CAMPAIGN && challenge.expires_s == SOLVED_EXPIRES_S);
		REQUIRE(challenge.work.cost == solved.work.cost && challenge.work.digits == solved.work.digits);
	}
	pool_free(&pool);
	return 0;
}
