/* SPDX-License-Identifier: MIT */
#include "page/page_assets.h"

#include "crypto/base64.h"
#include "crypto/digest.h"

struct slice
asset_integrity(struct pool *pool, const struct asset *asset)
{
	return POOL_JOIN(pool, SLICE("sha384-"), base64_encode(pool, digest_sha384(pool, asset->plain)));
}
