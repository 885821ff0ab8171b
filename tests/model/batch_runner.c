/* SPDX-License-Identifier: MIT
 * Runs the requests of tests/system/leads/test_model.py on a database. Each line of standard input is a JSON object, and so is
 * each line of the answers:
 *
 *   {"open":{"socket","user","database",…}}            {}
 *   {"commands":[{"kind","campaign",…},…]}   a batch   {"outcomes":[{"failure":code or null,"detail","lead","body"},…]}
 *   {"queue":{"campaign","action","leads",…}}          {"matched":n}
 *   {"show":{"campaign","full"}}                       {"leads":[payload,…],"leaders":[id,…]} */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "engine/command.h"
#include "json/writer.h"
#include "os/clock.h"
#include "os/log.h"
#include "store/batch.h"
#include "store/bulk.h"
#include "store/find.h"
#include "store/lead_pages.h"
#include "store/shown_leads.h"
#include "tree.h"

enum { TIME_MS = 20 * 1000, ANSWER_MAX = 256 * 1024 * 1024, PAGE = 250 };

static NO_RETURN void
fail(const char *what)
{
	fprintf(stderr, "batch_runner: %s\n", what);
	exit(EXIT_FAILURE);
}

/* --- requests --- */

static const struct {
	const char *name;
	size_t offset;
} signup_texts[] = {
	{ "email", offsetof(struct signup, email) },
	{ "email_key", offsetof(struct signup, email_key) },
	{ "phone", offsetof(struct signup, phone) },
	{ "subject", offsetof(struct signup, subject) },
	{ "own_id", offsetof(struct signup, own_id) },
	{ "referrer_id", offsetof(struct signup, referrer_id) },
	{ "utm", offsetof(struct signup, utm) },
	{ "uid", offsetof(struct signup, uid) },
	{ "redirect_url", offsetof(struct signup, redirect_url) },
	{ "ip", offsetof(struct signup, ip) },
	{ "user_agent", offsetof(struct signup, user_agent) },
	{ "referrer", offsetof(struct signup, referrer) },
	{ "source", offsetof(struct signup, source) },
	{ "signup_url", offsetof(struct signup, signup_url) },
	{ "session_id", offsetof(struct signup, session_id) },
	{ "request_id", offsetof(struct signup, request_id) },
};

/* [[name, JSON or null, text or null], …] */
static void
parse_custom_fields(struct pool *pool, const struct tree *list, struct signup *signup)
{
	if (list == NULL)
		return;
	struct custom_field *fields = POOL_ARRAY(pool, list->count, struct custom_field), *field = fields;
	for (const struct tree *item = list->first; item != NULL; item = item->next, field++)
		*field = (struct custom_field){ item->first->text, item->first->next->text, item->last->text };
	signup->custom_fields = fields;
	signup->custom_field_count = list->count;
}

static void
parse_signup(struct pool *pool, const struct tree *item, struct signup *signup)
{
	for (size_t i = 0; i < ARRAY_SIZE(signup_texts); i++) {
		struct slice text = tree_text(item, signup_texts[i].name);
		memcpy((char *)signup + signup_texts[i].offset, &text, sizeof(text));
	}
	parse_custom_fields(pool, tree_find(item, "custom_fields"), signup);
	signup->own_epoch = (uint32_t)tree_number(item, "own_epoch");
	signup->must_exist = tree_flag(item, "must_exist");
	signup->unproven = tree_flag(item, "unproven");
	signup->edits = tree_flag(item, "edits");
	signup->keep_opt_out = tree_flag(item, "keep_opt_out");
	signup->replace_ip = tree_flag(item, "replace_ip");
	signup->replace_user_agent = tree_flag(item, "replace_user_agent");
	signup->source_id = tree_id(item, "source_id");
	signup->points = (int32_t)tree_number(item, "points");
}

/* ["email" | "phone" | "social_id", text] or ["id", number] */
static struct lead_reference
parse_reference(const struct tree *pair)
{
	static const char *const identities[] = { "email", "phone", "social_id", "id" };
	for (size_t i = 0; i < ARRAY_SIZE(identities); i++)
		if (slice_equal(pair->first->text, slice_of(identities[i])))
			return (struct lead_reference){ .identity = (enum lead_identity)i,
				.value = pair->last->text,
				.id = i == LEAD_BY_ID ? strtoull(pair->last->text.data, NULL, 10) : 0 };
	fail("unknown identity of a lead");
}

static const struct lead_reference *
parse_references(struct pool *pool, const struct tree *list, size_t *count)
{
	struct lead_reference *references = POOL_ARRAY(pool, list->count, struct lead_reference);
	*count = 0;
	for (const struct tree *item = list->first; item != NULL; item = item->next)
		references[(*count)++] = parse_reference(item);
	return references;
}

static enum lead_action
parse_action(const struct tree *item)
{
	enum lead_action action;
	if (!lead_action_parse(tree_text(item, "action"), &action))
		fail("no such action");
	return action;
}

static void
parse_change(const struct tree *item, struct lead_change *change)
{
	*change = (struct lead_change){
		.action = parse_action(item),
		.lead = parse_reference(tree_find(item, "lead")),
		.tag_id = tree_id(item, "tag_id"),
		.argument = tree_text(item, "argument"),
		.address = tree_text(item, "address"),
		.by_lead = tree_flag(item, "by_lead"),
		.job_id = tree_id(item, "job_id"),
		.job_position = (uint32_t)tree_id(item, "job_position"),
	};
}

static const struct command *
parse_command(struct pool *pool, const struct tree *item)
{
	static const char *const kinds[] = { "signup", "tagging", "points", "completion", "change" };
	struct command *command = POOL_NEW(pool, struct command);
	size_t kind = 0;
	while (kind < ARRAY_SIZE(kinds) && !slice_equal(tree_text(item, "kind"), slice_of(kinds[kind])))
		kind++;
	command->kind = (enum command_kind)kind;
	command->campaign_id = tree_id(item, "campaign");
	command->account_id = tree_id(item, "account");
	command->rights = command->account_id == 0 ? RIGHTS_NONE : RIGHTS_FULL_KEY;
	command->view = (struct payload_view){ tree_flag(item, "full"), tree_flag(item, "skip_urls"),
		tree_flag(item, "skip_actions"), tree_flag(item, "url"), .own = false };
	switch (command->kind) {
	case COMMAND_SIGNUP:
		parse_signup(pool, item, &command->as.signup);
		return command;
	case COMMAND_TAGGING:
		parse_signup(pool, item, &command->as.tagging.signup);
		command->as.tagging.tag_id = tree_id(item, "tag_id");
		command->as.tagging.update = tree_flag(item, "update");
		return command;
	case COMMAND_POINTS:
		command->as.points.leads = parse_references(pool, tree_find(item, "leads"), &command->as.points.lead_count);
		command->as.points.points = (int32_t)tree_number(item, "points");
		command->as.points.message = tree_text(item, "message");
		return command;
	case COMMAND_COMPLETION:
		command->as.completion.lead = parse_reference(tree_find(item, "lead"));
		command->as.completion.action_id = tree_id(item, "action_id");
		command->as.completion.message = tree_text(item, "message");
		return command;
	case COMMAND_CHANGE:
		parse_change(item, &command->as.change);
		return command;
	case COMMAND_IMPORT:
		break;
	}
	fail("no such kind of command");
}

/* --- actions --- */

static void
write_outcome(struct json_writer *out, const struct outcome *outcome)
{
	json_begin_object(out);
	json_key(out, SLICE("failure"));
	json_string_or_null(
	    out, outcome->failure == FAILURE_NONE ? SLICE_NONE : slice_of(failure_info(outcome->failure)->code));
	json_key(out, SLICE("detail"));
	json_string_or_null(out, outcome->detail);
	json_key(out, SLICE("lead"));
	json_u64(out, outcome->lead_id);
	json_key(out, SLICE("body"));
	if (outcome->failure == FAILURE_NONE && slice_present(outcome->body))
		json_raw(out, outcome->body);
	else
		json_null(out);
	json_end_object(out);
}

static void
run_batch(struct store *store, struct pool *pool, const struct tree *list, struct json_writer *out)
{
	const struct command **commands = POOL_ARRAY(pool, list->count, const struct command *);
	struct outcome *outcomes = POOL_ARRAY(pool, list->count, struct outcome);
	size_t count = 0;
	for (const struct tree *item = list->first; item != NULL; item = item->next)
		commands[count++] = parse_command(pool, item);
	store_execute(store, pool,
	    &(struct execution){
		.commands = commands, .count = count, .deadline_ms = clock_monotonic_ms() + TIME_MS, .outcomes = outcomes });
	json_key(out, SLICE("outcomes"));
	json_begin_array(out);
	for (size_t i = 0; i < count; i++)
		write_outcome(out, &outcomes[i]);
	json_end_array(out);
}

static void
queue(struct store *store, struct pool *pool, const struct tree *item, struct json_writer *out)
{
	struct bulk_queued queued;
	const uint64_t tag_id = tree_id(item, "tag_id");
	struct bulk_request request = {
		.campaign_id = tree_id(item, "campaign"),
		.action = parse_action(item),
		.tag_ids = &tag_id,
		.tag_count = tag_id == 0 ? 0 : 1,
		.referrers = tree_flag(item, "referrers"),
		.argument = tree_text(item, "argument"),
	};
	request.leads = parse_references(pool, tree_find(item, "leads"), &request.lead_count);
	const enum result result = store_queue_bulk(store, NULL, &request, &queued);
	if (result != RESULT_OK && result != RESULT_NOT_FOUND)
		fail("cannot queue");
	json_key(out, SLICE("matched"));
	json_u64(out, queued.leads);
}

static void
show_page(struct store *store, struct pool *pool, const struct campaign *campaign, const struct lead_page *page, bool full,
    struct json_writer *out)
{
	const struct payload_settings *settings;
	struct payload_subject *subjects;
	if (store_payload_settings(store, &settings) != RESULT_OK ||
	    store_show_leads(store, pool, campaign->id, page->leads, page->count, &subjects) != RESULT_OK)
		fail("cannot show leads");
	for (size_t i = 0; i < page->count; i++) {
		struct buffer payload;
		buffer_init(&payload, PAYLOAD_MAX_BYTES);
		payload_write(&payload, settings, &subjects[i], (struct payload_view){ .full = full });
		json_raw(out, buffer_slice(&payload));
		buffer_free(&payload);
	}
}

/* All leads of a campaign by sign-up, and the leaders by score. */
static void
show(struct store *store, struct pool *pool, const struct tree *item, struct json_writer *out)
{
	struct campaign campaign;
	int64_t now_ms;
	struct lead_filter filter = { .verified = -1, .waitlisted = -1, .fraudulent = -1, .opted_out = -1, .limit = PAGE };
	struct lead_page page;
	struct lead *leaders;
	size_t leader_count;
	if (store_find_campaign(store, pool, tree_id(item, "campaign"), &campaign, &now_ms) != RESULT_OK)
		fail("no such campaign");
	json_key(out, SLICE("leads"));
	json_begin_array(out);
	do {
		if (store_list_leads(store, pool, campaign.id, &filter, &page) != RESULT_OK)
			fail("cannot list leads");
		show_page(store, pool, &campaign, &page, tree_flag(item, "full"), out);
		filter.after = page.next;
	} while (page.next != 0);
	json_end_array(out);
	if (store_leaderboard(store, pool, campaign.id, PAGE, &leaders, &leader_count) != RESULT_OK)
		fail("cannot read the leaderboard");
	json_key(out, SLICE("leaders"));
	json_begin_array(out);
	for (size_t i = 0; i < leader_count; i++)
		json_u64(out, leaders[i].id);
	json_end_array(out);
}

/* The pool must live as long as the store. */
static struct store *
open_store(struct pool *pool, const struct tree *item)
{
	struct host_list *disposable = POOL_NEW(pool, struct host_list);
	struct slice bad;
	struct store_options options = {
		.socket = pool_string(pool, tree_text(item, "socket")),
		.user = pool_string(pool, tree_text(item, "user")),
		.password = pool_string(pool, tree_text(item, "password")),
		.database = pool_string(pool, tree_text(item, "database")),
		.prefix = pool_string(pool, tree_text(item, "prefix")),
		.base_url = pool_string(pool, tree_text(item, "base_url")),
		.avatar_url = pool_string(pool, tree_text(item, "avatar_url")),
		.form_urls = "",
		.connect_timeout_s = TIME_MS / 1000,
		.io_timeout_s = TIME_MS / 1000,
		.custom_fields = { (size_t)tree_id(item, "fields"), (size_t)tree_id(item, "fields_bytes"),
		    (size_t)tree_id(item, "public_fields_bytes") },
		.disposable_domains = disposable,
	};
	if (!host_list_parse(pool, pool_copy(pool, tree_text(item, "disposable_domains")), disposable, &bad))
		fail("invalid list of hosts");
	return store_new(&options);
}

static void
answer(struct store **store, struct pool *texts, struct pool *pool, const struct tree *request, struct json_writer *out)
{
	const struct tree *what = request == NULL ? NULL : request->first;
	if (what == NULL)
		fail("a line is not a JSON object");
	if (slice_equal(what->key, SLICE("open")))
		*store = open_store(texts, what);
	else if (slice_equal(what->key, SLICE("commands")))
		run_batch(*store, pool, what, out);
	else if (slice_equal(what->key, SLICE("queue")))
		queue(*store, pool, what, out);
	else
		show(*store, pool, what, out);
}

int
main(void)
{
	struct store *store = NULL;
	struct pool *texts = pool_new(), *pool = pool_new();
	struct buffer line;
	struct json_writer out;
	char *input = NULL;
	size_t capacity = 0;
	ssize_t size;
	log_init("batch_runner", LOG_LEVEL_WARNING);
	buffer_init(&line, ANSWER_MAX);
	while ((size = getline(&input, &capacity, stdin)) > 0) {
		buffer_clear(&line);
		json_writer_init(&out, &line);
		json_begin_object(&out);
		answer(&store, texts, pool, tree_read(pool, (struct slice){ input, (size_t)size }), &out);
		json_end_object(&out);
		if (!buffer_ok(&line) || fwrite(line.data, 1, line.size, stdout) != line.size || putchar('\n') == EOF ||
		    fflush(stdout) != 0)
			fail("cannot answer");
		pool_reset(pool);
	}
	buffer_free(&line);
	free(input);
	store_free(&store);
	pool_free(&pool);
	pool_free(&texts);
	return EXIT_SUCCESS;
}
