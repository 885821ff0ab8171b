/* SPDX-License-Identifier: MIT
 * Runs commands that change something with a row of the audit log (docs/users.md 6), written before and completed after. */
#include "operation/audited.h"

#include <sysexits.h>

#include "admin/operations.h"
#include "os/log.h"
#include "store/operator/owners.h"
#include "store/users/audit.h"

/* What was before or is after, of commands that are not about people. */
enum { SHOWN_MAX_BYTES = AUDIT_JSON_MAX + 1 };

/* Reads the first operand if it is an id and given. Reports an invalid one and returns false: EX_DATAERR. */
static bool
read_id(struct admin_call *call)
{
	const char *subject = admin_subject(call->command);
	return subject == NULL || call->operand_count == 0 || admin_id(call, call->operands[0], subject, &call->id);
}

int
admin_run_command(struct admin_call *call)
{
	return read_id(call) ? call->command->run(call) : EX_DATAERR;
}

bool
admin_changes(const struct admin_call *call)
{
	const struct admin_command *command = call->command;
	if (command->only_shows || call->options[OPTION_DRY_RUN] != NULL || call->options[OPTION_LOOK] != NULL)
		return false;
	return command->changes || command->method == ADMIN_POST || command->method == ADMIN_PATCH ||
	       command->method == ADMIN_DELETE;
}

/* Whether what it shows is about leads, of which the log has nothing. */
static bool
is_personal(const struct admin_command *command)
{
	return (command->rights & ~(rights)(RIGHT_LEADS | RIGHT_CHANGE)) == 0;
}

static struct slice
public_json(struct pool *pool, const struct output *output)
{
	struct buffer json;
	buffer_init(&json, SHOWN_MAX_BYTES);
	output_write_public_json(output, &json);
	/* what is too large is replaced by the log */
	const struct slice copy = buffer_ok(&json) ? pool_copy(pool, buffer_slice(&json)) : SLICE_NONE;
	buffer_free(&json);
	return copy;
}

/* ---- before ---- */

static const struct admin_command *
find_get(struct slice path)
{
	size_t count;
	const struct admin_command *commands = admin_commands(&count);
	for (size_t i = 0; i < count; i++)
		if (commands[i].method == ADMIN_GET && slice_equal(slice_of(commands[i].path), path))
			return &commands[i];
	return NULL;
}

/* The command that shows what this one changes: GET of its path, or of the path without the word at its end. */
static const struct admin_command *
shown_by(const struct admin_command *command)
{
	if (command->path == NULL || command->creates)
		return NULL;
	const struct slice path = slice_of(command->path);
	const struct admin_command *show = find_get(path);
	size_t end = path.size;
	while (end > 0 && path.data[end - 1] != '/')
		end--;
	if (show == NULL && end > 0 && path.data[path.size - 1] != '}')
		show = find_get(slice_sub(path, 0, end - 1));
	return show == NULL || is_personal(show) ? NULL : show;
}

/* Absent when nothing shows it. */
static struct slice
show(const struct admin_call *call)
{
	const struct admin_command *command = shown_by(call->command);
	if (command == NULL || is_personal(call->command) || call->operand_count < command->minimum)
		return SLICE_NONE;
	struct admin_call shown = *call;
	shown.command = command;
	shown.operand_count = command->minimum;
	shown.output = output_new(call->pool, command->shape);
	shown.errors = NULL;
	shown.report = (struct admin_report){ .failed = false };
	for (size_t i = 0; i < ADMIN_OPTIONS; i++)
		shown.options[i] = NULL;
	return admin_run_command(&shown) == EX_OK ? public_json(call->pool, shown.output) : SLICE_NONE;
}

/* ---- the row ---- */

void
admin_set_actor(struct audit_entry *entry, struct pool *pool, const struct caller *caller)
{
	static const enum audit_actor actors[] = {
		[CALLER_SHELL] = AUDIT_SHELL, [CALLER_KEY] = AUDIT_KEY, [CALLER_USER] = AUDIT_USER
	};
	entry->actor = actors[caller == NULL ? CALLER_SHELL : caller->kind];
	entry->actor_name = caller_name(pool, caller);
	if (caller == NULL)
		return;
	entry->actor_id = caller->id;
	entry->ip = caller->address;
	entry->request_id = caller->request_id;
}

/* The account of --account, else that of the caller; 0: none. */
static uint64_t
account_of(const struct admin_call *call)
{
	const char *text = call->options[OPTION_ACCOUNT];
	uint64_t id;
	return text != NULL && admin_is_id(slice_of(text), &id) ? id : caller_account(call->caller);
}

/* RESULT_NOT_FOUND: the object does not exist. */
static enum result
find_target(struct admin_call *call, struct audit_entry *entry)
{
	struct owner owner = { 0 };
	enum owned_kind kind = admin_subject_kind(call->command);
	const char *campaign = call->options[OPTION_CAMPAIGN];
	uint64_t id = 0;
	const bool has_subject = call->operand_count > 0 && kind != OWNED_KINDS;
	const char *text = has_subject ? call->operands[0] : campaign;
	if (text == NULL || !admin_is_id(slice_of(text), &id)) {
		entry->account_id = account_of(call);
		return RESULT_OK;
	}
	if (has_subject)
		entry->target_id = id;
	const enum result result = store_find_owner(call->store, has_subject ? kind : OWNED_CAMPAIGN, id, &owner);
	entry->account_id = owner.account_id;
	entry->campaign_id = owner.campaign_id;
	return result;
}

static void
end(struct admin_call *call, const struct audit_entry *entry, uint64_t row, int status)
{
	const enum admin_problem problem = call->report.problem;
	const bool unknown = call->report.failed && (problem == PROBLEM_UNCERTAIN || problem == PROBLEM_INCOMPLETE);
	/* one that has output its result did what it could, such as an import that has rejected rows */
	const bool done = status == EX_OK || !output_is_empty(call->output), personal = is_personal(call->command);
	struct slice after = SLICE_NONE;
	if (unknown)
		return;
	if (done && call->command->logs_answer)
		after = public_json(call->pool, call->output);
	else if (done && !personal)
		after = call->command->creates ? public_json(call->pool, call->output) : show(call);
	const uint64_t made = done && call->command->creates ? output_first_id(call->output) : 0;
	if (store_end_audit(call->store, entry, row, done ? AUDIT_DONE : AUDIT_FAILED, made, after) != RESULT_OK)
		log_warning("audit_incomplete", LOG_UINT("row", row));
}

int
admin_run_audited(struct admin_call *call)
{
	struct audit_entry entry = { .operation = slice_of(call->command->words) };
	uint64_t row;
	if (!admin_changes(call))
		return admin_run_command(call);
	const enum result found = find_target(call, &entry);
	if (found == RESULT_NOT_FOUND) /* the command says so */
		return admin_run_command(call);
	if (found != RESULT_OK)
		return admin_answer(call, found);
	admin_set_actor(&entry, call->pool, call->caller);
	entry.before = show(call);
	entry.json_max = caller_is_operator(call->caller) ? 0 : call->conf->limits.audit_bytes_per_account;
	const enum result begun = store_begin_audit(call->store, &entry, &row);
	if (begun != RESULT_OK)
		return admin_answer(call, begun);
	const int status = admin_run_command(call);
	store_expect_settings(call->store, NULL);
	end(call, &entry, row, status);
	return status;
}
