/* SPDX-License-Identifier: MIT */
#include "page/page_preview.h"

#include "identity/link.h"
#include "page/page_assets.h"
#include "page/page_form.h"

#define SAMPLE_ID "SAMPLE0000"

bool
page_view_parse(struct slice text, enum page_view *view)
{
	static const struct slice names[PAGE_VIEWS] = {
		[PAGE_VIEW_SIGNUP] = SLICE("signup"), [PAGE_VIEW_STATUS] = SLICE("status")
	};
	for (unsigned i = 0; i < PAGE_VIEWS; i++)
		if (slice_equal(text, names[i])) {
			*view = (enum page_view)i;
			return true;
		}
	return false;
}

static const struct page_board sample_board = {
	.leaders = { { 1, 12, SLICE("SAMPLE0001"), SLICE("Grace H.") }, { 2, 9, SLICE("SAMPLE0002"), SLICE("Alan T.") },
	    { 3, 8, SLICE("SAMPLE0003"), SLICE("Katherine J.") }, { 42, 7, SLICE(SAMPLE_ID), SLICE("Ada L.") } },
	.count = 4,
};

/* The page of a sample lead that has nothing to confirm. */
static void
write_status(const struct page *page, const struct page_status *given)
{
	const struct slice place = slice_present(page->base_url) ? page->base_url : page->root;
	const struct page_lead lead = { .social_id = SLICE(SAMPLE_ID),
		.first_name = SLICE("Ada"),
		.email = SLICE("ada@example.org"),
		.social_url = link_to_page(page->pool, place, page->campaign_id, SLICE("?kid=" SAMPLE_ID)),
		.rank = 42,
		.leads = 1234,
		.score = 7,
		.referrals = 3,
		.verified = true,
		.verified_email = true };
	struct page_status status = *given;
	status.lead = &lead;
	status.own = true;
	status.social_id = lead.social_id;
	status.board = looks_have_board(&page->looks) ? &sample_board : NULL;
	page_write_status(page, &status);
}

bool
page_write_preview(const struct page *page, enum page_view view, const struct page_status *status, struct slice *problem)
{
	struct page_fields fields;
	struct page_form form;
	struct page preview = *page;
	preview.is_preview = true;
	if (!page_form_begin(&preview, &fields, &form, problem))
		return false;
	if (view == PAGE_VIEW_SIGNUP)
		page_write_signup(&preview, &form);
	else
		write_status(&preview, status);
	return true;
}

void
page_write_preview_style(const struct page *page, struct buffer *out)
{
	buffer_add(out, page_style.plain);
	looks_write_style(out, &page->looks);
}
