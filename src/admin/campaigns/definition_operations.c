/* SPDX-License-Identifier: MIT
 * Definitions of a campaign: tags, actions, reward levels. */
#include <stddef.h>
#include <sysexits.h>

#include "admin/operations.h"
#include "operation/value_types.h"
#include "store/operator/admin.h"

#define PLACE(member) offsetof(struct definition, as.member)
static const char characters[] = "1 to 200 characters", points[] = "a whole number from -99999 to 99999",
		  required_points[] = "a whole number from 0 to 4 billion", link[] = "an http or https URL, or nothing",
		  description[] = "a text of at most 4096 bytes, or nothing";

static const struct value_setting tag_settings[] = {
	{ "name", value_trimmed, PLACE(tag.name), characters },
	{ "points", value_delta, PLACE(tag.points), points },
	{ "description", value_description, PLACE(tag.description), description },
};
static const struct value_setting action_settings[] = {
	{ "text", value_trimmed, PLACE(action.text), characters },
	{ "points", value_delta, PLACE(action.points), points },
	{ "tag", value_id_or_none, PLACE(action.tag_id), "the id of a tag, or nothing" },
	{ "public", value_switch, PLACE(action.public), "yes or no" },
	{ "link", value_url, PLACE(action.link), link },
};
static const struct value_setting reward_settings[] = {
	{ "subject", value_trimmed, PLACE(reward.subject), characters },
	{ "required_points", value_count, PLACE(reward.required_points), required_points },
	{ "emailed", value_switch, PLACE(reward.emailed), "yes or no" },
};
const struct value_settings admin_tag_settings = { tag_settings, ARRAY_SIZE(tag_settings), "a tag", 0 };
const struct value_settings admin_action_settings = { action_settings, ARRAY_SIZE(action_settings), "an action", 0 };
const struct value_settings admin_reward_settings = { reward_settings, ARRAY_SIZE(reward_settings), "a reward level", 0 };

static const struct value_option tag_options[] = {
	{ OPTION_POINTS, value_delta, PLACE(tag.points), points },
	{ OPTION_DESCRIPTION, value_description, PLACE(tag.description), description },
};
static const struct value_option action_options[] = {
	{ OPTION_POINTS, value_delta, PLACE(action.points), points },
	{ OPTION_TAG, value_id, PLACE(action.tag_id), "the id of a tag" },
	{ OPTION_PUBLIC, value_given, PLACE(action.public), "nothing" },
	{ OPTION_LINK, value_url, PLACE(action.link), link },
};
static const struct value_option reward_options[] = {
	{ OPTION_REQUIRED_POINTS, value_count, PLACE(reward.required_points), required_points },
	{ OPTION_EMAILED, value_given, PLACE(reward.emailed), "nothing" },
};

static const struct {
	const char *several;
	size_t text; /* offset of the text that is the operand of `add` */
	const struct value_option *options;
	size_t option_count;
} kinds[] = {
	[DEFINITION_TAG] = { "tags", PLACE(tag.name), tag_options, ARRAY_SIZE(tag_options) },
	[DEFINITION_ACTION] = { "actions", PLACE(action.text), action_options, ARRAY_SIZE(action_options) },
	[DEFINITION_REWARD] = { "reward levels", PLACE(reward.subject), reward_options, ARRAY_SIZE(reward_options) },
};

/* The variant of the commands that all kinds have. */
static enum definition_kind
kind_of(struct admin_call *call)
{
	return (enum definition_kind)call->command->variant;
}

static int
fail_refused(struct admin_call *call, enum definition_refusal refusal)
{
	switch (refusal) {
	case DEFINITION_TOO_MANY:
		return admin_fail(call, PROBLEM_CONFLICT, "the campaign has %zu %s already",
		    store_definitions_max(kind_of(call)), kinds[kind_of(call)].several);
	case DEFINITION_NAME_TAKEN:
		return admin_fail(call, PROBLEM_CONFLICT, "the campaign has a tag with this name already");
	case DEFINITION_NO_TAG:
		return admin_fail(call, PROBLEM_INVALID, "the campaign has no tag with this id");
	case DEFINITION_FITS:
	case DEFINITION_REFUSED:
		break;
	}
	return EX_DATAERR; /* already reported */
}

int
admin_definition_add(struct admin_call *call)
{
	const enum definition_kind kind = kind_of(call);
	struct definition definition = { .kind = kind };
	enum definition_refusal refusal;
	uint64_t id;
	struct slice *text = (struct slice *)((char *)&definition + kinds[kind].text);
	*text = slice_trim(slice_of(call->operands[1]));
	if (!admin_name(call, *text) || !values_take(call, kinds[kind].options, kinds[kind].option_count, &definition))
		return EX_DATAERR;
	enum result result = store_add_definition(call->store, call->id, &definition, &id, &refusal);
	return result == RESULT_INVALID ? fail_refused(call, refusal) : admin_answer_id(call, result, id);
}

static bool
apply_settings(void *context, struct definition *definition)
{
	return values_apply(context, 1, definition);
}

int
admin_definition_set(struct admin_call *call)
{
	enum definition_refusal refusal;
	enum result result = store_edit_definition(call->store, kind_of(call), call->id, apply_settings, call, &refusal);
	return result == RESULT_INVALID ? fail_refused(call, refusal) : admin_answer_id(call, result, call->id);
}

int
admin_definition_remove(struct admin_call *call)
{
	return admin_answer_id(call, store_remove_definition(call->store, kind_of(call), call->id), call->id);
}

/* Finds the definitions of the campaign of the first operand. Returns 0, or a status after reporting the error. */
static int
find_definitions(struct admin_call *call, struct definitions *all)
{
	struct campaign campaign;
	int64_t now_ms;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, all);
	return admin_answer(call, result);
}

int
admin_tag_list(struct admin_call *call)
{
	struct definitions all;
	int status = find_definitions(call, &all);
	for (size_t i = 0; status == EX_OK && i < all.tag_count; i++) {
		output_record(call->output);
		output_u64(call->output, "id", all.tags[i].id);
		output_text(call->output, "name", all.tags[i].name);
		output_text(call->output, "description", all.tags[i].description);
		output_i64(call->output, "points", all.tags[i].points);
	}
	return status;
}

int
admin_action_list(struct admin_call *call)
{
	struct definitions all;
	int status = find_definitions(call, &all);
	for (size_t i = 0; status == EX_OK && i < all.action_count; i++) {
		output_record(call->output);
		output_u64(call->output, "id", all.actions[i].id);
		output_text(call->output, "text", all.actions[i].text);
		output_i64(call->output, "points", all.actions[i].points);
		output_u64_or_null(call->output, "tag_id", all.actions[i].tag_id);
		output_boolean(call->output, "public", all.actions[i].public);
		output_text(call->output, "link", all.actions[i].link);
	}
	return status;
}

int
admin_reward_list(struct admin_call *call)
{
	struct definitions all;
	int status = find_definitions(call, &all);
	for (size_t i = 0; status == EX_OK && i < all.reward_count; i++) {
		output_record(call->output);
		output_u64(call->output, "id", all.rewards[i].id);
		output_text(call->output, "subject", all.rewards[i].subject);
		output_u64(call->output, "required_points", all.rewards[i].required_points);
		output_boolean(call->output, "emailed", all.rewards[i].emailed);
	}
	return status;
}
