/* SPDX-License-Identifier: MIT
 * Challenges, which a sign-up without a key may have to solve (docs/api.md 8.2). */
#include "api/bots.h"

void
handle_challenge(struct call *call)
{
	const struct slice challenge = call_make_challenge(call);
	if (slice_present(challenge))
		call_answer(call, challenge);
}
