/* SPDX-License-Identifier: MIT */
#include "page/lead.h"

#include "webhook/document.h"

/* The member of an object with this name and type, or NULL. */
static const struct document_node *
member(const struct document_node *object, struct slice name, enum document_type type)
{
	const struct document_node *node = object->type == DOCUMENT_OBJECT ? document_child(object, name) : NULL;
	return node != NULL && node->type == type ? node : NULL;
}

static struct slice
text_of(const struct document_node *object, struct slice name)
{
	const struct document_node *node = member(object, name, DOCUMENT_STRING);
	return node != NULL && node->text.size > 0 ? node->text : SLICE_NONE;
}

static uint64_t
number_of(const struct document_node *object, struct slice name)
{
	const struct document_node *node = member(object, name, DOCUMENT_NUMBER);
	uint64_t number = 0;
	return node != NULL && slice_to_u64(node->text, INT64_MAX, &number) ? number : 0;
}

static bool
is_true(const struct document_node *object, struct slice name)
{
	const struct document_node *node = member(object, name, DOCUMENT_BOOLEAN);
	return node != NULL && node->boolean;
}

bool
page_lead_read(struct pool *pool, struct slice payload, struct page_lead *lead)
{
	const struct document_node *root = document_read_trusted(pool, payload);
	if (root == NULL)
		return false;
	*lead = (struct page_lead){
		.social_id = text_of(root, SLICE("social_id")),
		.first_name = text_of(root, SLICE("first_name")),
		.email = text_of(root, SLICE("email")),
		.phone_number = text_of(root, SLICE("phone_number")),
		.social_url = text_of(root, SLICE("social_url")),
		.status_url = text_of(root, SLICE("status_url")),
		.thankyou_url = text_of(root, SLICE("thankyou_url")),
		.redirect_url = text_of(root, SLICE("redirect_url")),
		.rank = number_of(root, SLICE("contest_score_rank")),
		.leads = number_of(root, SLICE("lead_count")),
		.score = number_of(root, SLICE("contest_score")),
		.referrals = number_of(root, SLICE("referrals")),
		.verified = is_true(root, SLICE("verified")),
		.verified_email = is_true(root, SLICE("verified_email")),
		.verified_phone_number = is_true(root, SLICE("verified_phone_number")),
		.opted_out = is_true(root, SLICE("opted_out")),
		.check_mail = is_true(root, SLICE("check_mail")),
	};
	return slice_present(lead->social_id);
}

static void
add_leader(struct page_board *board, const struct document_node *node)
{
	board->leaders[board->count++] = (struct page_leader){
		.rank = number_of(node, SLICE("rank")),
		.score = number_of(node, SLICE("contest_score")),
		.social_id = text_of(node, SLICE("social_id")),
		.name = text_of(node, SLICE("display_name")),
	};
}

static bool
has_leader(const struct page_board *board, struct slice social_id)
{
	for (size_t i = 0; i < board->count; i++)
		if (slice_equal(board->leaders[i].social_id, social_id))
			return true;
	return false;
}

bool
page_board_read(struct pool *pool, struct slice json, struct page_board *board)
{
	const struct document_node *root = document_read_trusted(pool, json);
	*board = (struct page_board){ .count = 0 };
	if (root == NULL || root->type != DOCUMENT_OBJECT)
		return false;
	const struct document_node *leaders = member(root, SLICE("leaders"), DOCUMENT_ARRAY),
				   *me = member(root, SLICE("me"), DOCUMENT_OBJECT);
	const struct document_node *leader = leaders == NULL ? NULL : leaders->first;
	for (; leader != NULL && board->count < PAGE_LEADERS_MAX; leader = leader->next)
		add_leader(board, leader);
	if (me != NULL && slice_present(text_of(me, SLICE("social_id"))) && !has_leader(board, text_of(me, SLICE("social_id"))))
		add_leader(board, me);
	return true;
}
