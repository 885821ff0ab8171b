/* SPDX-License-Identifier: MIT */
#include "identity/address_hash.h"

#include <string.h>

#include "crypto/digest.h"
#include "identity/email.h"

enum { PREFIX_DROPPED = 4 };

static struct address_hash
hash_of(struct slice server_secret, struct slice purpose, struct slice address)
{
	const struct slice pieces[] = { purpose, address };
	const struct digest digest = digest_hmac_sha256(server_secret, pieces, ARRAY_SIZE(pieces));
	struct address_hash hash;
	memcpy(hash.bytes, digest.bytes, sizeof(hash.bytes));
	return hash;
}

struct address_hash
address_hash_mailbox(struct pool *pool, struct slice server_secret, struct slice email_key)
{
	return hash_of(server_secret, SLICE("leadhook mail recipient v1:"), email_mailbox(pool, email_key));
}

struct address_hash
address_hash_number(struct slice server_secret, struct slice number)
{
	return hash_of(server_secret, SLICE("leadhook text number v1:"), number);
}

struct address_hash
address_hash_prefix(struct slice server_secret, struct slice number)
{
	const size_t size = number.size > PREFIX_DROPPED ? number.size - PREFIX_DROPPED : 0;
	return hash_of(server_secret, SLICE("leadhook text prefix v1:"), slice_sub(number, 0, size));
}
