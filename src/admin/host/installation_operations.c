/* SPDX-License-Identifier: MIT
 * The installation: its tables, check and status. */
#include <inttypes.h>

#include "api/call/routes.h"
#include "engine/message.h"
#include "operation/operation.h"
#include "operation/operation_wiring.h"
#include "operation/value_types.h"
#include "store/messages/delays.h"
#include "store/operator/check_findings.h"
#include "store/operator/cluster_numbers.h"
#include "store/operator/database_nodes.h"
#include "store/operator/installation_check.h"
#include "store/operator/operator_status.h"
#include "store/operator/sealing.h"
#include "store/operator/upgrade.h"
#include "store/schema.h"
#include "store/users/second_factor.h"
#include "watch/watch.h"

static const struct parameter upgrade_parameters[] = { OPTION("dry_run", value_on, 0) };

static int
run_upgrade(struct operation_call *call)
{
	const bool apply = !*ARGUMENTS(call, bool);
	const uint32_t to = store_schema_wanted();
	uint32_t from = 0;
	uint64_t number;
	enum result result = apply ? store_upgrade(call->store, &from) : store_read_version(call->store, &from);
	if (result == RESULT_WRONG_SCHEMA)
		return operation_fail_schema(call, from);
	if (result == RESULT_OK && apply)
		result = store_set_cluster_number(call->store, &number);
	if (result == RESULT_REFUSED)
		return operation_fail(call, PROBLEM_CONFIG,
		    "cluster.number is %u, but the database has ids of %" PRIu64 ": set it to that", call->conf->cluster.number,
		    number);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	output_record(call->output);
	output_u64(call->output, "from", from);
	output_u64(call->output, "to", to);
	output_boolean(call->output, "applied", apply && from != to);
	return EX_OK;
}

struct check {
	bool deep, restored;
};
static const struct parameter check_parameters[] = {
	OPTION("deep", value_on, offsetof(struct check, deep)),
	OPTION("restored", value_on, offsetof(struct check, restored)),
};

static int
run_check(struct operation_call *call)
{
	struct finding *findings;
	size_t count;
	const struct connection_needs needs = call->wiring->connection_needs(call->conf);
	if (ARGUMENTS(call, struct check)->restored) {
		const enum result result = store_skip_ids(call->store);
		if (result != RESULT_OK)
			return operation_answer(call, result);
	}
	store_check(
	    call->store, call->pool, &needs, ARGUMENTS(call, struct check)->deep ? CHECK_DEEP : CHECK_QUICK, &findings, &count);
	struct output *list = output_new(call->pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < count; i++) {
		output_record(list);
		output_text(list, "what", findings[i].what);
		output_text(list, "detail", findings[i].detail);
		output_text(list, "hint", findings[i].hint);
	}
	output_record(call->output);
	output_boolean(call->output, "ok", count == 0);
	output_nested(call->output, "findings", list);
	return count == 0 ? EX_OK : EX_CONFIG;
}

static void
write_node(struct output *output, const struct node_status *node)
{
	output_text(output, "node", node->name);
	output_u64(output, "cluster_size", node->cluster_size);
	output_text(output, "node_state", node->state);
	output_u64(output, "receive_queue", node->receive_queue);
	output_boolean(output, "flow_control", node->flow_control);
	output_u64(output, "flow_control_paused_ms", node->paused_ms);
	output_u64(output, "flow_control_sent", node->sent);
	output_u64(output, "flow_control_received", node->received);
}

/* Outputs the state of each kind of process, and when it last showed a sign of life. */
static void
write_processes(struct operation_call *call, const struct heartbeat_seen seen[HEARTBEAT_PROCESSES])
{
	for (size_t i = 0; i < HEARTBEAT_PROCESSES; i++) {
		const char *name = heartbeat_process_name((enum heartbeat_process)i);
		output_text(call->output, name, heartbeat_state_name(seen[i].state));
		output_time(call->output, pool_printf(call->pool, "%s_at", name).data, seen[i].beat_ms);
	}
}

static void
write_disks(struct operation_call *call)
{
	struct watch_disk disks[METRIC_FILESYSTEM_COUNT];
	struct output *list = output_new(call->pool, OUTPUT_ARRAY);
	const size_t count =
	    watch_find_disks(call->pool, call->store, call->conf->server.state_dir, call->conf->log.file, disks);
	for (size_t i = 0; i < count; i++) {
		output_record(list);
		output_text(list, "what", slice_of(disks[i].what));
		output_i64(list, "free_bytes", disks[i].free_bytes);
		output_i64(list, "size_bytes", disks[i].size_bytes);
	}
	output_nested(call->output, "disks", list);
}

/* Lists the hourly limits that keep messages waiting, each with the first campaign that it affects. */
static enum result
find_limits_reached(struct operation_call *call, enum message_channel channel, struct output *list)
{
	struct mail_campaign *campaigns;
	size_t count;
	int64_t next_ms;
	const enum result result = store_mail_campaigns(call->store, call->pool, channel, &campaigns, &count, &next_ms);
	if (result != RESULT_OK)
		return result;
	const struct delays delays = delays_of(campaigns, count, &call->wiring->sending_limits[channel]);
	for (size_t scope = 0; scope < SENDING_SCOPES; scope++) {
		if (delays.first[scope] == NULL)
			continue;
		output_record(list);
		output_text(list, "limit", slice_of(sending_limit_setting(channel, (enum sending_scope)scope)));
		output_u64(list, "account", delays.first[scope]->account_id);
		output_u64(list, "campaign", delays.first[scope]->campaign_id);
	}
	return RESULT_OK;
}

static struct slice
hint_of(struct slice reason)
{
	const char *hint = message_hint(reason);
	return hint == NULL ? SLICE_NONE : slice_of(hint);
}

static int
run_status(struct operation_call *call)
{
	struct store_status status;
	struct mail_counts mails;
	struct mail_hold hold, text_hold;
	struct output *reached = output_new(call->pool, OUTPUT_ARRAY);
	enum result result = store_get_status(call->store, call->pool, &status);
	if (result == RESULT_OK)
		result = store_count_pending_mails(call->store, &mails);
	if (result == RESULT_OK)
		result = store_mail_hold(call->store, call->pool, MAIL_CHANNEL, &hold);
	if (result == RESULT_OK)
		result = store_mail_hold(call->store, call->pool, TEXT_CHANNEL, &text_hold);
	if (result == RESULT_OK)
		result = find_limits_reached(call, MAIL_CHANNEL, reached);
	if (result == RESULT_OK)
		result = find_limits_reached(call, TEXT_CHANNEL, reached);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	output_record(call->output);
	output_text(call->output, "version", SLICE(LEADHOOK_VERSION));
	output_u64(call->output, "schema_version", status.schema_version);
	output_text(call->output, "server_version", status.server_version);
	output_u64(call->output, "accounts", status.figures.accounts);
	output_u64(call->output, "campaigns", status.figures.campaigns);
	output_u64(call->output, "leads", status.figures.leads);
	output_u64(call->output, "webhooks", status.figures.webhooks);
	output_u64(call->output, "webhooks_failing", status.figures.webhooks_failing);
	output_u64(call->output, "webhooks_disabled", status.figures.webhooks_disabled);
	output_u64(call->output, "due_now", status.figures.due_now);
	output_u64(call->output, "due_later", status.figures.due_later);
	output_time(call->output, "oldest_due_at", status.figures.oldest_due_ms);
	output_u64(call->output, "bulk_jobs", status.figures.bulk_jobs);
	output_time(call->output, "oldest_bulk_at", status.figures.oldest_bulk_ms);
	output_u64(call->output, "operator_jobs", status.figures.operator_jobs);
	output_u64(call->output, "unfinished_removals", status.removals.all);
	write_processes(call, status.figures.heartbeats);
	output_boolean(call->output, "mail", store_sends_mail(call->store));
	output_u64(call->output, "mails_pending", mails.pending);
	output_time(call->output, "oldest_mail_at", mails.oldest_ms);
	output_time(call->output, "mail_held_since", hold.since_ms);
	output_text(call->output, "mail_held_by", hold.reason);
	output_text(call->output, "mail_server_answer", hold.answer);
	output_text(call->output, "mail_hint", hint_of(hold.reason));
	output_time(call->output, "mail_refused_at", hold.refused_ms);
	output_text(call->output, "mail_refused_by", hold.refused_ms < 0 ? SLICE_NONE : hold.refused_reason);
	output_text(call->output, "mail_refused_answer", hold.refused_ms < 0 ? SLICE_NONE : hold.refused_answer);
	output_text(call->output, "mail_refused_hint", hold.refused_ms < 0 ? SLICE_NONE : hint_of(hold.refused_reason));
	output_boolean(call->output, "texts", store_sends_texts(call->store));
	output_time(call->output, "texts_held_since", text_hold.since_ms);
	output_text(call->output, "texts_held_by", text_hold.reason);
	output_nested(call->output, "limits_reached", reached);
	write_disks(call);
	output_time(call->output, "now", status.figures.now_ms);
	if (status.node != NULL)
		write_node(call->output, status.node);
	return EX_OK;
}

static int
run_installation(struct operation_call *call)
{
	const struct conf *conf = call->conf;
	struct output *output = call->output;
	struct mail_hold hold, text_hold;
	struct heartbeat_seen processes[HEARTBEAT_PROCESSES];
	enum result result = store_see_heartbeats(call->store, call->pool, processes);
	if (result == RESULT_OK)
		result = store_mail_hold(call->store, call->pool, MAIL_CHANNEL, &hold);
	if (result == RESULT_OK)
		result = store_mail_hold(call->store, call->pool, TEXT_CHANNEL, &text_hold);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	output_record(output);
	output_text(output, "version", SLICE(LEADHOOK_VERSION));
	output_text(output, "base_url", slice_of(conf->server.base_url));
	write_processes(call, processes);
	output_boolean(output, "mail", store_sends_mail(call->store));
	output_time(output, "mail_held_since", hold.since_ms);
	output_time(output, "mail_refused_at", hold.refused_ms);
	output_boolean(output, "texts", store_sends_texts(call->store));
	output_time(output, "texts_held_since", text_hold.since_ms);
	output_boolean(output, "second_factor", store_seals_totp(call->store));
	output_i64(output, "secret_overlap_seconds", conf->dispatch.rotation_overlap / SECOND_MS);
	output_i64(output, "retention_seconds", conf->dispatch.retention / SECOND_MS);
	output_i64(output, "invitation_seconds", conf->users.invitation / SECOND_MS);
	return EX_OK;
}

/* If the database or the file of counts is missing, the rest is printed. */
static int
run_metrics(struct operation_call *call)
{
	const struct conf *conf = call->conf;
	size_t count;
	struct buffer out;
	const struct metric_route *routes = route_names(call->pool, &count);
	struct metrics_page *page = metrics_page_new(call->pool, routes, count);
	if (!metrics_page_read_counts(page, conf->server.state_dir))
		operation_warn(call,
		    "%s/metrics: no counts: no program of this version has made the file since the start of this host, or this "
		    "account cannot read it",
		    conf->server.state_dir);
	watch_add_database(page, call->pool, call->store);
	watch_add_filesystems(page, conf->server.state_dir, conf->log.file);
	buffer_init(&out, METRICS_PAGE_MAX_BYTES);
	metrics_page_write(page, &out);
	const bool written = buffer_ok(&out) && fwrite(out.data, 1, out.size, call->out) == out.size && fflush(call->out) == 0;
	buffer_free(&out);
	call->writes_out = true;
	return written ? EX_OK : operation_fail(call, PROBLEM_IO, "the metrics could not be written");
}

/* Secrets that cannot be opened are reported after everything else was done. */
static int
output_counts(struct operation_call *call, const struct secret_counts *counts, uint64_t changed)
{
	output_record(call->output);
	output_u64(call->output, "changed", changed);
	output_u64(call->output, "sealed", counts->sealed);
	output_u64(call->output, "old_key", counts->old);
	output_u64(call->output, "not_sealed", counts->plain);
	output_u64(call->output, "unreadable", counts->unreadable);
	return counts->unreadable == 0
		   ? EX_OK
		   : operation_fail(call, PROBLEM_CONFIG,
			 "server.secrets_key does not open %" PRIu64 " secrets: add the key that they were sealed with; the "
			 "first: %.*s",
			 counts->unreadable, SLICE_ARGS(counts->first_unreadable));
}

static const struct parameter seal_parameters[] = { OPTION_WITH("dry_run", value_on, 0, PARAMETER_PREVIEW) };

static int
run_secrets_seal(struct operation_call *call)
{
	struct secret_counts counts;
	uint64_t changed = 0;
	if (!store_has_secrets_key(call->store))
		return operation_fail(call, PROBLEM_CONFIG,
		    "server.secrets_key is not set: set it on every host, start the programs again, then run this command");
	enum result result = RESULT_OK;
	if (!*ARGUMENTS(call, bool))
		result = store_seal_secrets(call->store, &changed);
	if (result == RESULT_OK)
		result = store_count_secrets(call->store, call->pool, &counts);
	return result == RESULT_OK ? output_counts(call, &counts, changed) : operation_answer(call, result);
}

OPERATION(install, "install", "", "create the tables", run_upgrade, .arguments_size = sizeof(bool), .needs = NEEDS_DATABASE,
    .effect = PREPARES);
OPERATION(upgrade, "upgrade", "[--dry-run]", "upgrade the tables to this program's version", run_upgrade,
    PARAMETERS(upgrade_parameters, bool), .needs = NEEDS_DATABASE, .effect = PREPARES);
OPERATION(check, "check", "[--deep] [--restored]", "check the installation for problems", run_check,
    PARAMETERS(check_parameters, struct check), .needs = NEEDS_DATABASE);
OPERATION(status, "status", "", "show counts and the backlog", run_status, HTTP(GET, "status", RIGHT_STATS),
    .audience = FOR_OPERATORS);
OPERATION(installation, "installation", "", "show what is set up, and whether a dispatcher runs and mail is held",
    run_installation, HTTP(GET, "installation", RIGHT_STATS | RIGHT_LEADS | RIGHT_HOOKS | RIGHT_MANAGE));
OPERATION(metrics, "metrics", "", "print the metrics, as GET /metrics does", run_metrics, .shape = OUTPUT_NONE,
    .needs = NEEDS_DATABASE_ALONE);
OPERATION(secrets_seal, "secrets seal", "[--dry-run]",
    "seal the secrets in the database with the first key of server.secrets_key", run_secrets_seal,
    PARAMETERS(seal_parameters, bool), .effect = CHANGES);
