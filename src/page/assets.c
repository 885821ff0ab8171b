/* SPDX-License-Identifier: MIT */
#include "page/assets.h"

#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"

enum { VERSION_BYTES = 8 };

struct slice
page_asset(enum page_asset asset)
{
	const struct slice assets[] = {
		[PAGE_ASSET_STYLE] = { page_style, page_style_size },
		[PAGE_ASSET_SCRIPT] = { page_script, page_script_size },
		[PAGE_ASSET_EMBED] = { embed_script, embed_script_size },
	};
	return assets[asset];
}

struct slice
page_asset_version(struct pool *pool, enum page_asset asset)
{
	const struct slice text = page_asset(asset);
	const struct digest digest = digest_sha256(&text, 1);
	return encode_hex(pool, slice_sub(digest_slice(&digest), 0, VERSION_BYTES));
}

struct slice
page_asset_integrity(struct pool *pool, enum page_asset asset)
{
	return POOL_JOIN(pool, SLICE("sha384-"), base64_encode(pool, digest_sha384(pool, page_asset(asset))));
}
