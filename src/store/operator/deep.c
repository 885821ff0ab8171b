/* SPDX-License-Identifier: MIT
 * `leadhook check --deep`: counts again, from the rows that it follows from, everything that is kept beside them.
 *
 * Sign-ups go on meanwhile, and differ in nothing: each question is one statement, which compares within itself and sees one
 * snapshot of all its tables, whatever the isolation of transactions is. So nothing is locked, and no snapshot is kept longer
 * than a question takes. */
#include <inttypes.h>

#include "store/operator/check.h"

enum { DETAIL_MAX_BYTES = 4096 };

#define MEND_COUNT "stop the programs and write what was counted into "
#define MEND_REPORT "; then report it, for it is a defect, or a backup was not of one moment"
#define MEND_ROWS "stop the programs and remove these rows" MEND_REPORT

static const struct {
	enum statement statement;
	const char *what, *hint;
} questions[] = {
	{ SQL_DEEP_COUNTERS, "campaign_counters", MEND_COUNT "campaign_counters" MEND_REPORT },
	{ SQL_DEEP_SCORES, "scores", MEND_COUNT "leads.score, and the score histogram after it" MEND_REPORT },
	{ SQL_DEEP_HISTOGRAM, "score_histogram", MEND_COUNT "score_histogram" MEND_REPORT },
	{ SQL_DEEP_REFERRALS, "referral_counts", MEND_COUNT "these columns of leads" MEND_REPORT },
	{ SQL_DEEP_CREDIT, "referral_credit", MEND_COUNT "referral_links.credit" MEND_REPORT },
	{ SQL_DEEP_LINKS, "referral_links", MEND_COUNT "the referrer's counts, and these links" MEND_REPORT },
	{ SQL_DEEP_ADDRESSES, "ip_leads",
	    "set max_per_ip of the campaign to 0, once more if it is, and back: that counts them anew" },
	{ SQL_DEEP_DUE, "due", MEND_ROWS },
	{ SQL_DEEP_DELIVERIES, "deliveries", MEND_ROWS },
	{ SQL_DEEP_EVENTS, "events", MEND_COUNT "events.deliveries" MEND_REPORT },
	{ SQL_DEEP_ENTRIES, "score_entries", MEND_ROWS },
	{ SQL_DEEP_DELETED, "deleted_leads", MEND_ROWS },
	{ SQL_DEEP_ORPHANS, "orphans", MEND_ROWS },
};

/* These two take the id of the first event to be counted. */
static bool
is_of_history(enum statement statement)
{
	return statement == SQL_DEEP_DELIVERIES || statement == SQL_DEEP_EVENTS;
}

static enum result
ask(struct store *store, struct check *check, size_t question, uint64_t first_event)
{
	const struct db_value from = DB_U64(first_event);
	const struct db_arguments arguments = { .values = &from,
		.count = is_of_history(questions[question].statement) ? 1 : 0 };
	struct db_rows rows;
	struct buffer detail;
	enum result result = db_query(store->db, check->pool, questions[question].statement, &arguments, &rows);
	if (result != RESULT_OK || rows.count == 0)
		return result;
	buffer_init(&detail, DETAIL_MAX_BYTES);
	buffer_printf(&detail, "%" PRIu64 " found: ", db_get_u64(&rows, 0, 1));
	for (size_t i = 0; i < rows.count; i++)
		buffer_printf(&detail, "%s%.*s", i == 0 ? "" : ", ", SLICE_ARGS(db_get_bytes(&rows, i, 0)));
	if (db_get_u64(&rows, 0, 1) > rows.count)
		buffer_add_text(&detail, ", …");
	check_add(check, questions[question].what, buffer_slice(&detail), questions[question].hint);
	buffer_free(&detail);
	return RESULT_OK;
}

/* A day goes table by table, perhaps while we count: what is older than the retention, or than a table that has lost its first
 * day already, is left out. */
static enum result
find_first_event(struct store *store, struct check *check, uint64_t *first_event)
{
	struct history_days days;
	enum result result = store_read_days(store, check->pool, &days);
	uint64_t day = days.retained_from;
	for (size_t i = 0; i < HISTORY_TABLES; i++)
		if (days.first[i] != HISTORY_NO_DAY && days.first[i] > day)
			day = days.first[i];
	*first_event = history_id_floor(history_day_ms(day));
	return result;
}

void
check_deep(struct store *store, struct check *check)
{
	const unsigned ordinary_timeout_s = store_set_answer_timeout(store, STORE_LONG_TIMEOUT_S);
	uint64_t first_event = 0;
	enum result result = find_first_event(store, check, &first_event);
	for (size_t i = 0; result == RESULT_OK && i < ARRAY_SIZE(questions); i++)
		result = ask(store, check, i, first_event);
	if (result != RESULT_OK)
		check_add(
		    check, "deep", slice_of(store_error_text(store)), "fix this and check again: the rest was not counted");
	store_set_answer_timeout(store, ordinary_timeout_s);
}
