/* SPDX-License-Identifier: MIT */
#include "engine/source.h"

#include "identity/link.h"

const struct slice source_class_names[SOURCE_CLASSES] = {
	[SOURCE_UNKNOWN] = SLICE("unknown"),
	[SOURCE_DIRECT] = SLICE("direct"),
	[SOURCE_LINK] = SLICE("link"),
	[SOURCE_CAMPAIGN] = SLICE("campaign"),
	[SOURCE_REFERRAL] = SLICE("referral"),
	[SOURCE_INBOUND] = SLICE("inbound"),
	[SOURCE_IMPORT] = SLICE("import"),
};

/* What the stored fields of any lead show. */
static enum source_class
class_of_fields(const struct lead *lead)
{
	if (slice_equal(lead->source, SLICE("import")))
		return SOURCE_IMPORT;
	if (lead->parent_id != 0)
		return SOURCE_REFERRAL;
	return slice_present(lead->utm) ? SOURCE_CAMPAIGN : SOURCE_UNKNOWN;
}

/* Browsers send the page of a form as its referrer, and scripts of a site its own pages: those are not where visitors came
 * from. */
static bool
has_link(struct pool *pool, const struct lead *lead, const struct signup *signup)
{
	const struct slice from = signup->referrer_is_page ? SLICE_NONE : link_host(pool, lead->referrer);
	return slice_present(from) && !slice_equal(from, link_host(pool, lead->signup_url));
}

enum source_class
source_of_signup(struct pool *pool, const struct lead *lead, const struct signup *signup)
{
	const enum source_class class = class_of_fields(lead);
	if (class != SOURCE_UNKNOWN)
		return class;
	if (signup->inbound)
		return SOURCE_INBOUND;
	return has_link(pool, lead, signup) ? SOURCE_LINK : SOURCE_DIRECT;
}

enum source_class
source_of_lead(const struct lead *lead)
{
	return lead->source_class == SOURCE_UNKNOWN ? class_of_fields(lead) : (enum source_class)lead->source_class;
}
