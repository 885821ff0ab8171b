/* SPDX-License-Identifier: MIT */
#include "admin/data/import_batch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sysexits.h>

#include "admin/data/repeat.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "engine/failure.h"
#include "store/store.h"
#include "transfer/chains.h"
#include "transfer/csv.h"

enum {
	BATCH_MS = 30000, /* time of a batch, and of the attempts to run it */
	REASONS_SHOWN = 10,
	WORK_MS = 200, /* after so much work … */
	PAUSE_MS = 12, /* … the lock stays free for longer than a committer waits before it tries again */
};

struct import_row {
	struct record_place place;
	struct import import;
};

static int
fail_file(const struct import_run *run)
{
	return admin_fail(run->call, PROBLEM_IO, "the file could not be read: %s", strerror(errno));
}

static void
show_reason(struct import_run *run, const struct record_place *place, struct slice text, const char *reason)
{
	struct pool *pool = run->call->pool;
	output_record(run->reasons);
	output_u64(run->reasons, "line", place->line);
	output_text(run->reasons, "reason", slice_of(pool_string(pool, slice_of(reason))));
	output_text(run->reasons, "record", pool_copy(pool, utf8_sanitized(pool, text)));
}

static void
reject(struct import_run *run, const struct record_place *place, struct slice text, const char *reason)
{
	run->counts.rejected++;
	if (run->reasons != NULL)
		show_reason(run, place, text, reason);
	else if (run->rejects != NULL)
		rejects_add(run->rejects, place->line, text, reason);
	else if (run->counts.rejected <= REASONS_SHOWN)
		admin_fail(run->call, PROBLEM_INVALID, "line %" PRIu64 ": %s", place->line, reason);
}

static int
reject_at(struct import_run *run, const struct record_place *place, const char *reason)
{
	struct slice text;
	if (records_at(run->records, place->offset, place->size, &text) != RECORD_GOOD)
		return fail_file(run);
	reject(run, place, text, reason);
	return EX_OK;
}

/* Sign-ups wait for the lock of the campaign: they get it from time to time. */
static void
pause_for_others(struct import_run *run, int64_t took_ms)
{
	run->worked_ms += took_ms;
	if (run->worked_ms < WORK_MS)
		return;
	clock_pause(PAUSE_MS);
	run->worked_ms = 0;
}

/* Whether the failure is of the whole import, not of a row. */
static int
fails_whole(const struct import_run *run, enum failure failure)
{
	switch (failure) {
	case FAILURE_CAMPAIGN_NOT_FOUND:
		return admin_fail(run->call, PROBLEM_NOT_FOUND, "there is no such campaign");
	case FAILURE_CAMPAIGN_ENDED:
		return admin_fail(run->call, PROBLEM_CONFLICT, "the campaign has ended: reopen it, import, and end it again");
	case FAILURE_ACCOUNT_SUSPENDED:
		return admin_fail(run->call, PROBLEM_CONFLICT, "the account of the campaign is suspended");
	case FAILURE_UNAVAILABLE:
		return admin_fail(
		    run->call, PROBLEM_BUSY, "the database is out of reach; run the same command again later: it goes on");
	default:
		return EX_OK;
	}
}

static int
take_outcome(struct import_run *run, const struct import_row *row, const struct outcome *outcome)
{
	const char *reason = "the database refused the row; see the log";
	if (outcome->failure == FAILURE_NONE) {
		run->counts.imported += outcome->created ? 1 : 0;
		run->counts.unchanged += outcome->created ? 0 : 1;
		run->counts.unknown_names += outcome->created ? row->import.unknown_names : 0;
		return EX_OK;
	}
	if (outcome->failure == FAILURE_LEAD_NOT_FOUND)
		return deferred_add(run->deferred, &row->place)
			   ? EX_OK
			   : admin_fail(run->call, PROBLEM_IO, "the temporary file: %s", strerror(errno));
	const int status = fails_whole(run, outcome->failure);
	if (status != EX_OK)
		return status;
	if (slice_present(outcome->detail))
		reason = pool_string(run->pool, outcome->detail);
	return reject_at(run, &row->place, reason);
}

static bool
any_unavailable(const struct outcome *outcomes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (outcomes[i].failure == FAILURE_UNAVAILABLE)
			return true;
	return false;
}

/* The rows may be run again: those that are committed are then unchanged. */
static void
execute(struct import_run *run, const struct command *const *commands, struct outcome *outcomes)
{
	unsigned failures = 0;
	do
		store_execute(
		    run->call->store, run->pool, commands, run->row_count, clock_monotonic_ms() + BATCH_MS, outcomes, NULL);
	while (any_unavailable(outcomes, run->row_count) && !run->call->is_remote && repeat_later(&failures));
}

/* Whether a remote call has taken so long, and a record: the next call takes the rest. */
static bool
is_late(const struct import_run *run, int64_t ms)
{
	return run->call->is_remote && run->counts.rows > 0 && clock_monotonic_ms() - run->began_ms >= ms;
}

/* Imports the collected rows. */
static int
flush_batch(struct import_run *run)
{
	const int64_t began_ms = clock_monotonic_ms();
	struct command *commands = POOL_ARRAY(run->pool, run->row_count, struct command);
	const struct command **pointers = POOL_ARRAY(run->pool, run->row_count, const struct command *);
	struct outcome *outcomes = POOL_ARRAY(run->pool, run->row_count, struct outcome);
	int status = EX_OK;
	for (size_t i = 0; i < run->row_count; i++) {
		run->rows[i].import.last_number = run->last_number;
		run->rows[i].import.events = run->events;
		commands[i] = (struct command){ .kind = COMMAND_IMPORT,
			.rights = caller_rights(run->call->caller),
			.campaign_id = run->call->id,
			.as.import = &run->rows[i].import };
		pointers[i] = &commands[i];
	}
	if (run->row_count > 0)
		execute(run, pointers, outcomes);
	for (size_t i = 0; i < run->row_count && status == EX_OK; i++)
		status = take_outcome(run, &run->rows[i], &outcomes[i]);
	if (run->row_count > 0)
		progress_show(
		    &run->progress, run->counts.imported + run->counts.unchanged, run->rows[run->row_count - 1].place.offset);
	run->row_count = run->taken = run->taken_bytes = run->taken_names = 0;
	pool_reset(run->pool);
	run->rows = POOL_ARRAY(run->pool, IMPORT_BATCH_ROWS, struct import_row);
	pause_for_others(run, clock_monotonic_ms() - began_ms);
	return status;
}

/* Reads the record's values. NULL, or what is wrong. *splits: it has the form of a record. */
static const char *
read_row(const struct import_run *run, struct slice text, struct import *import, bool *splits)
{
	struct csv_fields fields;
	*splits = true;
	if (run->format == RECORDS_NDJSON)
		return row_from_json(run->pool, &run->limits, text, import);
	const char *problem = csv_split(run->pool, text, run->delimiter, &fields);
	*splits = problem == NULL;
	if (problem != NULL)
		return pool_printf(run->pool, "the record %s", problem).data;
	return row_from_csv(run->pool, &run->limits, run->columns, run->column_count, &fields, import);
}

/* The part of a bad record that is rejected: of a quote that has no end, only the line where it begins. */
static struct slice
rejected_part(struct slice text, bool splits)
{
	return splits ? text : slice_sub(text, 0, slice_find(text, '\n'));
}

/* `drop_unknown`: it is imported without its referrer if that is no lead. */
static int
add_row(struct import_run *run, const struct record_place *place, struct slice text, bool drop_unknown, bool *splits)
{
	struct import_row *row = &run->rows[run->row_count];
	const char *problem = read_row(run, text, &row->import, splits);
	row->import.drop_unknown_referrer = drop_unknown;
	row->place = *place;
	if (problem != NULL)
		reject(run, place, rejected_part(text, *splits), problem);
	else if (!run->dry_run)
		run->row_count++;
	run->taken++;
	run->taken_bytes += text.size;
	run->taken_names += problem == NULL ? row->import.name_count : 0;
	const bool is_full =
	    run->taken == IMPORT_BATCH_ROWS || run->taken_bytes >= IMPORT_BATCH_BYTES || run->taken_names >= IMPORT_BATCH_NAMES;
	return is_full ? flush_batch(run) : EX_OK;
}

/* What a pass does with a record. `problem`: what is wrong with it, or NULL. *splits, initially true: whether it has the form
 * of a record. */
typedef int on_record(
    struct import_run *run, const struct record_place *place, struct slice text, const char *problem, bool *splits);

static int
for_each_record(struct import_run *run, on_record *handle)
{
	struct record record;
	int status = EX_OK;
	while (status == EX_OK) {
		const enum record_state state = records_next(run->records, &record);
		const struct record_place place = { record.offset, record.line, record.text.size };
		const bool good = state == RECORD_GOOD;
		bool splits = true;
		if (state == RECORD_END)
			return EX_OK;
		if (state == RECORD_FAILED)
			return fail_file(run);
		if (is_late(run, IMPORT_PART_MS)) {
			run->next_line = record.line;
			return EX_OK;
		}
		status = handle(run, &place, good ? record.text : slice_sub(record.text, 0, RECORD_MAX_BYTES),
		    good ? NULL : "the record is longer than 1 MiB, or a quote has no end", &splits);
		if (!splits)
			records_resume(run->records, &record);
	}
	return status;
}

/* The first pass: the largest subscription number, which sign-ups during the import must not take; and the number of records.
 * A caller that may not read leads gives none a social id: links that are known to others may have it. */
static int
survey(struct import_run *run, const struct record_place *place UNUSED, struct slice text, const char *problem, bool *splits)
{
	struct import import;
	const bool good = problem == NULL && read_row(run, text, &import, splits) == NULL;
	const bool names_id = good && slice_present(import.signup.subject);
	if (good && import.number > run->last_number)
		run->last_number = import.number;
	pool_reset(run->pool);
	if (names_id && !caller_has_right(run->call->caller, RIGHT_LEADS))
		return admin_fail(run->call, PROBLEM_FORBIDDEN, "social_id is imported with the right leads, too");
	if (++run->surveyed <= IMPORT_PART_ROWS || !run->call->is_remote)
		return EX_OK;
	return admin_fail(run->call, PROBLEM_INVALID, "there are more than %d records: send them in parts", IMPORT_PART_ROWS);
}

/* The second pass: every record. */
static int
take_record(struct import_run *run, const struct record_place *place, struct slice text, const char *problem, bool *splits)
{
	if (run->format == RECORDS_CSV && csv_is_empty(run->pool, text, run->delimiter))
		return EX_OK;
	run->counts.rows++;
	if (problem == NULL)
		return add_row(run, place, text, false, splits);
	reject(run, place, text, problem);
	return EX_OK;
}

static int
read_deferred(struct import_run *run, struct deferred *from, uint64_t at, struct record_place *place, struct slice *text)
{
	const bool read =
	    deferred_get(from, at, place) && records_at(run->records, place->offset, place->size, text) == RECORD_GOOD;
	return read ? EX_OK : fail_file(run);
}

/* Takes a deferred record again, unless it is late. `drop_unknown`: as in add_row. */
static int
retry_deferred(struct import_run *run, struct deferred *from, uint64_t at, bool drop_unknown)
{
	struct record_place place;
	struct slice text;
	bool splits;
	const int status = read_deferred(run, from, at, &place, &text);
	if (status == EX_OK && is_late(run, 2 * IMPORT_PART_MS))
		return deferred_add(run->deferred, &place) ? EX_OK : fail_file(run);
	return status == EX_OK ? add_row(run, &place, text, drop_unknown, &splits) : status;
}

/* The last one first: in a file that begins with the newest lead, referrers come after the leads that they referred. */
static int
run_backwards(struct import_run *run, struct deferred *from)
{
	int status = EX_OK;
	for (uint64_t at = deferred_count(from); at > 0 && status == EX_OK; at--)
		status = retry_deferred(run, from, at - 1, false);
	return status == EX_OK ? flush_batch(run) : status;
}

static int
reject_deferred(struct import_run *run, struct deferred *from)
{
	int status = EX_OK;
	for (uint64_t i = 0; i < deferred_count(from) && status == EX_OK; i++) {
		struct record_place place;
		if (!deferred_get(from, i, &place))
			return fail_file(run);
		status = reject_at(run, &place, "its referrer is not a lead of the campaign");
	}
	return status;
}

static int
read_chains(struct import_run *run, struct deferred *from, struct chains *chains)
{
	static const struct import nothing = { .created_ms = -1 };
	int status = EX_OK;
	for (uint64_t i = 0; i < deferred_count(from) && status == EX_OK; i++) {
		struct record_place place = { 0 };
		struct slice text;
		struct import import = nothing;
		bool splits;
		status = read_deferred(run, from, i, &place, &text);
		if (status == EX_OK && read_row(run, text, &import, &splits) != NULL)
			import = nothing; /* the file was changed: the row is rejected when it is added */
		chains_add(chains, &import, place.line);
		pool_reset(run->pool);
	}
	run->rows = POOL_ARRAY(run->pool, IMPORT_BATCH_ROWS, struct import_row);
	chains_sort(chains);
	return status;
}

/* Each record after its referrer. A referrer that is unknown then is not in the file, or was rejected. */
static int
run_in_order(struct import_run *run, struct deferred *from)
{
	struct chains *chains = chains_new();
	int status = read_chains(run, from, chains);
	for (uint64_t i = 0; i < deferred_count(from) && status == EX_OK; i++)
		status = retry_deferred(run, from, chains_at(chains, i), run->drop_unknown_referrers);
	chains_free(&chains);
	return status == EX_OK ? flush_batch(run) : status;
}

typedef int deferred_pass(struct import_run *run, struct deferred *from);

/* Takes the deferred records; those whose referrer is still not there are deferred again. */
static int
take_deferred(struct import_run *run, deferred_pass *pass)
{
	struct deferred *from = run->deferred;
	if (deferred_count(from) == 0)
		return EX_OK;
	run->deferred = deferred_new(run->call->is_remote);
	if (run->deferred == NULL) {
		run->deferred = from;
		return fail_file(run);
	}
	const int status = pass(run, from);
	deferred_free(&from);
	return status;
}

/* Records whose referrer was not there yet. The pass in order needs memory for each of them, and mostly has few. */
static int
finish_deferred(struct import_run *run)
{
	int status = take_deferred(run, run_backwards);
	if (status == EX_OK)
		status = take_deferred(run, run_in_order);
	return status == EX_OK ? reject_deferred(run, run->deferred) : status;
}

static int
import_all(struct import_run *run)
{
	run->began_ms = clock_monotonic_ms();
	int status = for_each_record(run, take_record);
	if (status == EX_OK)
		status = flush_batch(run);
	return status == EX_OK ? finish_deferred(run) : status;
}

int
import_run(struct import_run *run)
{
	struct record first;
	int status = EX_OK;
	run->pool = pool_new();
	run->rows = POOL_ARRAY(run->pool, IMPORT_BATCH_ROWS, struct import_row);
	run->deferred = deferred_new(run->call->is_remote);
	run->progress = progress_begin(run->call->errors, "rows", run->file_size);
	if (run->deferred == NULL)
		status = fail_file(run);
	if (status == EX_OK && (!run->dry_run || run->call->is_remote))
		status = for_each_record(run, survey);
	run->rows = POOL_ARRAY(run->pool, IMPORT_BATCH_ROWS, struct import_row);
	records_rewind(run->records);
	for (size_t i = 0; i < run->heading_records && status == EX_OK; i++)
		status = records_next(run->records, &first) == RECORD_GOOD ? EX_OK : fail_file(run);
	if (status == EX_OK)
		status = import_all(run);
	progress_end(&run->progress);
	if (run->rejects == NULL && run->reasons == NULL && run->counts.rejected > REASONS_SHOWN)
		admin_fail(run->call, PROBLEM_INVALID,
		    "%" PRIu64 " more rows are rejected; --rejects FILE writes all of them to a file",
		    run->counts.rejected - REASONS_SHOWN);
	deferred_free(&run->deferred);
	pool_free(&run->pool);
	return status;
}
