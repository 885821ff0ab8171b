/* SPDX-License-Identifier: MIT
 * Definitions of a campaign: tags, actions, reward levels. */
#include "operation/operation.h"
#include "operation/value_types.h"
#include "store/operator/definitions.h"

#define PLACE(member) offsetof(struct definition, as.member)
static const struct parameter tag_rows[] = {
	SETTING("name", value_title, PLACE(tag.name)),
	SETTING("points", value_delta, PLACE(tag.points)),
	SETTING("description", value_description, PLACE(tag.description)),
};
static const struct parameter action_rows[] = {
	SETTING("text", value_title, PLACE(action.text)),
	SETTING("points", value_delta, PLACE(action.points)),
	SETTING("tag", value_tag_or_none, PLACE(action.tag_id)),
	SETTING("public", value_boolean, PLACE(action.public)),
	SETTING("link", value_link, PLACE(action.link)),
};
static const struct parameter reward_rows[] = {
	SETTING("subject", value_title, PLACE(reward.subject)),
	SETTING("required_points", value_count, PLACE(reward.required_points)),
	SETTING("emailed", value_boolean, PLACE(reward.emailed)),
};
static const struct parameter tag_parameters[] = {
	OPERAND("name", value_title, PLACE(tag.name)),
	OPTION("points", value_delta, PLACE(tag.points)),
	OPTION("description", value_description, PLACE(tag.description)),
};
static const struct parameter action_parameters[] = {
	OPERAND("text", value_title, PLACE(action.text)),
	OPTION("points", value_delta, PLACE(action.points)),
	OPTION("tag", value_tag, PLACE(action.tag_id)),
	OPTION("public", value_on, PLACE(action.public)),
	OPTION("link", value_link, PLACE(action.link)),
};
static const struct parameter reward_parameters[] = {
	OPERAND("subject", value_title, PLACE(reward.subject)),
	OPTION_WITH("required_points", value_count, PLACE(reward.required_points), PARAMETER_REQUIRED),
	OPTION("emailed", value_on, PLACE(reward.emailed)),
};
#undef PLACE

static const struct settings_table kinds[] = {
	[DEFINITION_TAG] = SETTINGS_OF(tag_rows, struct definition, "a tag"),
	[DEFINITION_ACTION] = SETTINGS_OF(action_rows, struct definition, "an action"),
	[DEFINITION_REWARD] = SETTINGS_OF(reward_rows, struct definition, "a reward level"),
};

static const char *const several[] = {
	[DEFINITION_TAG] = "tags", [DEFINITION_ACTION] = "actions", [DEFINITION_REWARD] = "reward levels"
};

/* The kind is the variant of the operation. */
static enum definition_kind
kind_of(struct operation_call *call)
{
	return (enum definition_kind)call->operation->variant;
}

static int
fail_refused(struct operation_call *call, enum definition_refusal refusal)
{
	switch (refusal) {
	case DEFINITION_TOO_MANY:
		return operation_fail(call, PROBLEM_CONFLICT, "the campaign has %zu %s already",
		    store_definitions_max(kind_of(call)), several[kind_of(call)]);
	case DEFINITION_NAME_TAKEN:
		return operation_fail(call, PROBLEM_CONFLICT, "the campaign has a tag with this name already");
	case DEFINITION_NO_TAG:
		return operation_fail(call, PROBLEM_INVALID, "the campaign has no tag with this id");
	case DEFINITION_FITS:
	case DEFINITION_REFUSED:
		break;
	}
	return EX_DATAERR; /* already reported */
}

static int
run_definition_add(struct operation_call *call)
{
	struct definition definition = *ARGUMENTS(call, struct definition);
	struct new_definition new = { .definition = &definition };
	definition.kind = kind_of(call);
	enum result result = store_add_definition(call->store, &call->precondition, call->id, &new);
	return result == RESULT_REFUSED ? fail_refused(call, new.refusal) : operation_answer_id(call, result, new.id);
}

static bool
apply_settings(void *context, struct definition *definition)
{
	struct operation_call *call = context;
	settings_assign(call, definition);
	return true;
}

static int
run_definition_set(struct operation_call *call)
{
	const struct definition_reference reference = { kind_of(call), call->id };
	struct definition_change change = { .edit = apply_settings, .context = call };
	enum result result = store_edit_definition(call->store, &call->precondition, &reference, &change);
	return result == RESULT_REFUSED ? fail_refused(call, change.refusal) : operation_answer_id(call, result, call->id);
}

static int
run_definition_remove(struct operation_call *call)
{
	const struct definition_reference reference = { kind_of(call), call->id };
	return operation_answer_id(call, store_remove_definition(call->store, &call->precondition, &reference), call->id);
}

static void
add_tag(struct output *output, const struct tag *tag)
{
	output_record(output);
	output_u64(output, "id", tag->id);
	output_text(output, "name", tag->name);
	output_text(output, "description", tag->description);
	output_i64(output, "points", tag->points);
}

static void
add_action(struct output *output, const struct action *action)
{
	output_record(output);
	output_u64(output, "id", action->id);
	output_text(output, "text", action->text);
	output_i64(output, "points", action->points);
	output_u64_or_null(output, "tag_id", action->tag_id);
	output_boolean(output, "public", action->public);
	output_text(output, "link", action->link);
}

static void
add_reward(struct output *output, const struct reward_level *reward)
{
	output_record(output);
	output_u64(output, "id", reward->id);
	output_text(output, "subject", reward->subject);
	output_u64(output, "required_points", reward->required_points);
	output_boolean(output, "emailed", reward->emailed);
}

static int
run_definition_list(struct operation_call *call)
{
	const enum definition_kind kind = kind_of(call);
	struct definitions all;
	enum result result = operation_find_campaign(call, NULL);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, &all);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	for (size_t i = 0; kind == DEFINITION_TAG && i < all.tag_count; i++)
		add_tag(call->output, &all.tags[i]);
	for (size_t i = 0; kind == DEFINITION_ACTION && i < all.action_count; i++)
		add_action(call->output, &all.actions[i]);
	for (size_t i = 0; kind == DEFINITION_REWARD && i < all.reward_count; i++)
		add_reward(call->output, &all.rewards[i]);
	return EX_OK;
}

OPERATION(tag_add, "tag add", "CAMPAIGN NAME [--points N] [--description TEXT]", "add a tag", run_definition_add,
    .variant = DEFINITION_TAG, .subject = &subject_campaign, PARAMETERS(tag_parameters, struct definition),
    HTTP(POST, "campaigns/{campaign}/tags", RIGHT_MANAGE), .effect = CREATES, .versioned = true);
OPERATION(tag_list, "tag list", "CAMPAIGN", "list the tags of a campaign", run_definition_list, .variant = DEFINITION_TAG,
    .subject = &subject_campaign, .shape = OUTPUT_ARRAY, HTTP(GET, "campaigns/{campaign}/tags", RIGHTS_ALL), .versioned = true);
OPERATION(tag_set, "tag set", "TAG SETTING=VALUE...", "change a tag", run_definition_set, .variant = DEFINITION_TAG,
    .subject = &subject_tag, .settings = &kinds[DEFINITION_TAG], HTTP(PATCH, "tags/{tag}", RIGHT_MANAGE), .effect = CHANGES,
    .versioned = true);
OPERATION(tag_remove, "tag remove", "TAG", "remove a tag", run_definition_remove, .variant = DEFINITION_TAG,
    .subject = &subject_tag, HTTP(DELETE, "tags/{tag}", RIGHT_MANAGE), .effect = CHANGES, .needs_password = true,
    .versioned = true);
OPERATION(action_add, "action add", "CAMPAIGN TEXT [--points N] [--tag ID] [--public] [--link URL]", "add an action",
    run_definition_add, .variant = DEFINITION_ACTION, .subject = &subject_campaign,
    PARAMETERS(action_parameters, struct definition), HTTP(POST, "campaigns/{campaign}/actions", RIGHT_MANAGE),
    .effect = CREATES, .versioned = true);
OPERATION(action_list, "action list", "CAMPAIGN", "list the actions of a campaign", run_definition_list,
    .variant = DEFINITION_ACTION, .subject = &subject_campaign, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/actions", RIGHTS_ALL), .versioned = true);
OPERATION(action_set, "action set", "ACTION SETTING=VALUE...", "change an action", run_definition_set,
    .variant = DEFINITION_ACTION, .subject = &subject_action, .settings = &kinds[DEFINITION_ACTION],
    HTTP(PATCH, "actions/{action}", RIGHT_MANAGE), .effect = CHANGES, .versioned = true);
OPERATION(action_remove, "action remove", "ACTION", "remove an action", run_definition_remove, .variant = DEFINITION_ACTION,
    .subject = &subject_action, HTTP(DELETE, "actions/{action}", RIGHT_MANAGE), .effect = CHANGES, .needs_password = true,
    .versioned = true);
OPERATION(reward_add, "reward add", "CAMPAIGN SUBJECT --required-points N [--emailed]", "add a reward level",
    run_definition_add, .variant = DEFINITION_REWARD, .subject = &subject_campaign,
    PARAMETERS(reward_parameters, struct definition), HTTP(POST, "campaigns/{campaign}/rewards", RIGHT_MANAGE),
    .effect = CREATES, .versioned = true);
OPERATION(reward_list, "reward list", "CAMPAIGN", "list the reward levels of a campaign", run_definition_list,
    .variant = DEFINITION_REWARD, .subject = &subject_campaign, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/rewards", RIGHTS_ALL), .versioned = true);
OPERATION(reward_set, "reward set", "REWARD SETTING=VALUE...", "change a reward level", run_definition_set,
    .variant = DEFINITION_REWARD, .subject = &subject_reward, .settings = &kinds[DEFINITION_REWARD],
    HTTP(PATCH, "rewards/{reward}", RIGHT_MANAGE), .effect = CHANGES, .versioned = true);
OPERATION(reward_remove, "reward remove", "REWARD", "remove a reward level", run_definition_remove,
    .variant = DEFINITION_REWARD, .subject = &subject_reward, HTTP(DELETE, "rewards/{reward}", RIGHT_MANAGE), .effect = CHANGES,
    .needs_password = true, .versioned = true);
