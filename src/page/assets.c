/* SPDX-License-Identifier: MIT */
#include "page/assets.h"

#include "base/encode.h"
#include "crypto/digest.h"

enum { VERSION_BYTES = 8 };

struct slice
page_asset(enum page_asset asset)
{
	return asset == PAGE_ASSET_STYLE ? (struct slice){ page_style, page_style_size }
					 : (struct slice){ page_script, page_script_size };
}

struct slice
page_asset_version(struct pool *pool, enum page_asset asset)
{
	const struct slice text = page_asset(asset);
	const struct digest digest = digest_sha256(&text, 1);
	return encode_hex(pool, slice_sub(digest_slice(&digest), 0, VERSION_BYTES));
}
