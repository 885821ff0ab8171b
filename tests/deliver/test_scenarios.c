/* SPDX-License-Identifier: MIT
 * Runs the files of tests/deliver/scenarios: a dispatcher in its own fake world (fake_world.h), days in milliseconds. Each file
 * states what it shows; scenarios/README.md describes the format. Modules: deliver. */
#include "unit.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "os/log.h"
#include "run_dispatcher.h"

enum { WORDS = 24, ACTIONS = 256, SCENARIOS = 64, TEXTS = 4096, SLOTS_OF_SCENARIOS = 256, POLL_OF_SCENARIOS = 200 };
struct line {
	const char *words[WORDS];
	size_t count;
};

struct planned {
	int64_t at_ms;
	struct line line;
	unsigned number;
};

static struct {
	const char *path;
	unsigned number; /* number of the line */
	struct planned actions[ACTIONS];
	size_t action_count, done;
	char texts[TEXTS]; /* texts for arguments of actions, and dates */
	size_t text_size;
} play;

#define WRONG(...)                                              \
	do {                                                    \
		print_error("%s:%u: ", play.path, play.number); \
		fail_msg(__VA_ARGS__);                          \
	} while (0)

/* ---- words ---- */

static const char *
copy_text(const char *text)
{
	size_t size = strlen(text) + 1;
	assert_true(play.text_size + size <= TEXTS);
	char *copied = play.texts + play.text_size;
	memcpy(copied, text, size);
	play.text_size += size;
	return copied;
}

static const char *
word(const struct line *line, size_t at)
{
	if (at >= line->count)
		WRONG("a word is missing at the end");
	return line->words[at];
}

/* The words from index `from`, joined by blanks. */
static struct slice
joined(const struct line *line, size_t from)
{
	static char text[256];
	size_t size = 0;
	text[0] = '\0';
	for (size_t i = from; i < line->count; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s ", line->words[i]);
	assert_true(size < sizeof(text));
	return slice_of(text);
}

static bool
is(const struct line *line, size_t at, const char *text)
{
	return at < line->count && strcmp(line->words[at], text) == 0;
}

static uint64_t
number(const char *text)
{
	uint64_t value = 0;
	if (!slice_to_u64(slice_of(text), UINT32_MAX, &value))
		WRONG("%s is no number", text);
	return value;
}

static int64_t
duration(const char *text)
{
	int64_t ms = 0;
	if (strcmp(text, "0") != 0 && !duration_parse(slice_of(text), &ms))
		WRONG("%s is no length of time", text);
	return ms;
}

/* "7", or "2-31". */
struct range {
	uint64_t first, last;
};

static struct range
range(const char *text)
{
	struct slice rest = slice_of(text), first, last;
	struct range r;
	if (!slice_next(&rest, '-', &first) || !slice_to_u64(first, WORLD_WEBHOOKS - 1, &r.first))
		WRONG("%s are no webhooks", text);
	r.last = r.first;
	if (slice_next(&rest, '-', &last) && !slice_to_u64(last, WORLD_WEBHOOKS - 1, &r.last))
		WRONG("%s are no webhooks", text);
	return r;
}

/* ---- responses of receivers ---- */

static const struct {
	const char *name;
	enum sender_error error;
} failures[] = {
	{ "timeout", SENDER_TIMEOUT },
	{ "refused", SENDER_REFUSED },
	{ "unresolved", SENDER_NOT_RESOLVED },
	{ "certificate", SENDER_CERTIFICATE },
};

/* The HTTP date of a time of the scenario. */
static const char *
date(int64_t at_ms)
{
	char text[64];
	struct tm when;
	time_t seconds = (time_t)((WORLD_DATABASE_AHEAD_MS + at_ms) / 1000);
	assert_non_null(gmtime_r(&seconds, &when));
	assert_true(strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &when) > 0);
	return copy_text(text);
}

/* "500", "timeout", with "x3" for three times, and a Retry-After after "/": "429/120", "503/date=2h". */
static struct world_answer
answer(const char *text)
{
	struct world_answer answer = { .times = 1 };
	char buffer[64];
	assert_true(strlen(text) < sizeof(buffer));
	memcpy(buffer, text, strlen(text) + 1);
	char *after = strchr(buffer, '/'), *times = strrchr(buffer, 'x');
	if (times != NULL) {
		answer.times = (unsigned)number(times + 1);
		*times = '\0';
	}
	if (after != NULL) {
		*after++ = '\0';
		answer.retry_after = strncmp(after, "date=", 5) == 0 ? date(duration(after + 5)) : copy_text(after);
	}
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (strcmp(buffer, failures[i].name) == 0) {
			answer.error = failures[i].error;
			return answer;
		}
	answer.status = (int)number(buffer);
	return answer;
}

static void
script(struct world_webhook *webhook, const struct line *line, size_t from)
{
	webhook->script_count = webhook->script_at = 0;
	for (size_t i = from; i < line->count; i++) {
		assert_true(webhook->script_count < WORLD_ANSWERS);
		webhook->script[webhook->script_count++] = answer(line->words[i]);
	}
}

/* ---- actions ---- */

/* due WEBHOOKS COUNT [every TIME] */
static void
make_due(const struct line *line)
{
	const struct range webhooks = range(word(line, 1));
	const uint64_t count = number(word(line, 2));
	const int64_t every = is(line, 3, "every") ? duration(word(line, 4)) : 0;
	for (uint64_t i = 0; i < count; i++)
		for (uint64_t id = webhooks.first; id <= webhooks.last; id++) {
			if (world.delivery_count == WORLD_ROWS)
				WRONG("too many deliveries");
			world_add(id, 1, world.now_ms + (int64_t)i * every);
		}
}

/* webhook WEBHOOKS PROPERTY VALUE... */
static void
set_webhook(struct world_webhook *webhook, const struct line *line)
{
	if (is(line, 2, "answers"))
		script(webhook, line, 3);
	else if (is(line, 2, "takes"))
		webhook->latency_ms = duration(word(line, 3));
	else if (is(line, 2, "rate"))
		webhook->rate = (unsigned)number(word(line, 3));
	else if (is(line, 2, "schedule"))
		webhook->schedule = copy_text(word(line, 3));
	else if (is(line, 2, "new"))
		webhook->succeeded = false;
	else if (is(line, 2, "account")) {
		webhook->account_id = number(word(line, 3));
		world.several_accounts = true;
	} else if (is(line, 2, "rotated")) { /* until TIME */
		webhook->previous_secret = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=";
		webhook->previous_until_ms = duration(word(line, 4));
	} else
		WRONG("a webhook has no %s", word(line, 2));
}

/* operator enable WEBHOOKS; operator redeliver WEBHOOKS */
static void
operate(const struct line *line)
{
	const struct range webhooks = range(word(line, 2));
	for (uint64_t id = webhooks.first; id <= webhooks.last; id++) {
		struct world_webhook *webhook = &world.webhooks[id];
		if (is(line, 1, "enable")) {
			webhook->state = WEBHOOK_ACTIVE;
			webhook->failures = webhook->probes = 0;
			webhook->failing_since_ms = -1;
			webhook->hold_until_ms = 0;
		} else if (is(line, 1, "redeliver")) {
			world_redeliver(id);
		} else
			WRONG("operators cannot %s", word(line, 1));
	}
}

static void
happen(const struct line *line)
{
	if (is(line, 0, "due")) {
		make_due(line);
	} else if (is(line, 0, "operator")) {
		operate(line);
	} else if (is(line, 0, "webhook")) {
		const struct range webhooks = range(word(line, 1));
		for (uint64_t id = webhooks.first; id <= webhooks.last; id++)
			set_webhook(&world.webhooks[id], line);
	} else
		WRONG("nothing is known of %s", word(line, 0));
}

/* Runs the next of the actions, which are in order. */
static void
next_action(void)
{
	const struct planned *action = &play.actions[play.done++];
	const unsigned here = play.number;
	play.number = action->number;
	happen(&action->line);
	play.number = here;
	world.happen = play.done < play.action_count ? next_action : NULL;
	world.happens_ms = play.actions[play.done].at_ms;
}

/* at TIME ACTION... */
static void
plan(const struct line *line)
{
	assert_true(play.action_count + 1 < ACTIONS);
	struct planned *action = &play.actions[play.action_count];
	*action = (struct planned){ .at_ms = duration(word(line, 1)), .number = play.number };
	if (play.action_count > 0 && action->at_ms < action[-1].at_ms)
		WRONG("what comes later stands later");
	for (size_t i = 2; i < line->count; i++)
		action->line.words[action->line.count++] = copy_text(line->words[i]);
	play.action_count++;
	world.happen = next_action;
	world.happens_ms = play.actions[play.done].at_ms;
}

/* set NAME VALUE... */
static void
set(const struct line *line)
{
	const struct {
		const char *name;
		int64_t *duration;
	} durations[] = {
		{ "breaker_wait", &options.health.probe_wait_ms },
		{ "breaker_max_wait", &options.health.probe_wait_max_ms },
		{ "disable_after", &options.health.disable_after_ms },
		{ "attempt_timeout", &options.sender.timeout_ms },
		{ "lease", &options.lease_ms },
		{ "max_runtime", &options.max_runtime_ms },
		{ "poll_interval", &options.poll_ms },
		{ "full_poll", &world.poll_ms },
	};
	struct slice bad;
	for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++)
		if (is(line, 1, durations[i].name)) {
			*durations[i].duration = duration(word(line, 2));
			return;
		}
	if (is(line, 1, "schedule") && retry_schedule_parse(joined(line, 2), &schedule, &bad))
		return;
	if (is(line, 1, "breaker_failures"))
		options.health.breaker_failures = (unsigned)number(word(line, 2));
	else if (is(line, 1, "in_flight"))
		options.sender.in_flight = number(word(line, 2));
	else if (is(line, 1, "initial_concurrency"))
		options.health.concurrency_start = number(word(line, 2));
	else if (is(line, 1, "per_webhook"))
		options.health.concurrency_max = number(word(line, 2));
	else
		WRONG("no such setting or value: %s", word(line, 1));
}

/* ---- expectations ---- */

/* Fails unless `actual` has this relation to `expected`. */
static void
compare(const char *what, int64_t actual, const char *relation, int64_t expected)
{
	bool holds = strcmp(relation, "=") == 0    ? actual == expected
		     : strcmp(relation, "<=") == 0 ? actual <= expected
		     : strcmp(relation, ">=") == 0 ? actual >= expected
						   : false;
	if (!holds)
		WRONG("%s: %" PRId64 " is not %s %" PRId64, what, actual, relation, expected);
}

/* gaps WEBHOOK TIME... [within PERCENT]: the times between starts of attempts, in order; a final "…" allows more. */
static void
expect_gaps(const struct line *line)
{
	const uint64_t id = range(word(line, 2)).first;
	int64_t reach = 0, previous = -1;
	size_t last = line->count, at = 3;
	if (last > 5 && is(line, last - 2, "within")) {
		reach = (int64_t)number(word(line, last - 1));
		last -= 2;
	}
	const bool more = is(line, last - 1, "...");
	const int64_t slack_ms = 2 * options.poll_ms; /* until the next poll */
	last -= more ? 1 : 0;
	for (size_t i = 0; i < world.seen_count; i++) {
		if (world.seen[i].webhook_id != id)
			continue;
		const int64_t gap = world.seen[i].at_ms - previous;
		const bool first = previous < 0;
		previous = world.seen[i].at_ms;
		if (first)
			continue;
		if (at == last) {
			if (!more)
				WRONG("one more attempt, after %" PRId64 " ms", gap);
			return;
		}
		const int64_t wanted = duration(line->words[at++]);
		if (gap < wanted - wanted * reach / 100 || gap > wanted + wanted * reach / 100 + slack_ms)
			WRONG("gap %zu is %" PRId64 " ms", at - 3, gap);
	}
	if (at < last)
		WRONG("only %zu gaps", at - 3);
}

static bool
seen_between(const struct world_seen *seen, const struct range *webhooks, int64_t from_ms, int64_t to_ms)
{
	return seen->webhook_id >= webhooks->first && seen->webhook_id <= webhooks->last && seen->at_ms >= from_ms &&
	       seen->at_ms < to_ms;
}

/* received|signatures WEBHOOKS [between TIME TIME] RELATION NUMBER: the number of attempts, of all webhooks together; the
 * signatures of each. */
static void
expect_seen(const struct line *line)
{
	const struct range webhooks = range(word(line, 2));
	const bool between = is(line, 3, "between");
	const int64_t from_ms = between ? duration(word(line, 4)) : 0, to_ms = between ? duration(word(line, 5)) : INT64_MAX;
	const size_t at = between ? 6 : 3;
	const int64_t expected = (int64_t)number(word(line, at + 1));
	int64_t count = 0;
	assert_true(world.seen_count <= WORLD_SEEN);
	for (size_t i = 0; i < world.seen_count; i++) {
		if (!seen_between(&world.seen[i], &webhooks, from_ms, to_ms))
			continue;
		count++;
		if (is(line, 1, "signatures"))
			compare("signatures", world.seen[i].signatures, word(line, at), expected);
	}
	if (is(line, 1, "received"))
		compare("received", count, word(line, at), expected);
	else if (count == 0)
		WRONG("nothing was received");
}

/* The deliveries to some webhooks: */
struct tally {
	int64_t counts[DELIVERY_FAILED + 1];
	int64_t attempts;    /* the maximum of recorded attempts of one delivery */
	int64_t start_delay; /* the longest time from when a delivery is due to its first attempt, or until now */
};

static struct tally
tally(const struct range *webhooks)
{
	struct tally tally = { .attempts = 0 };
	for (size_t i = 0; i < world.delivery_count; i++) {
		const struct world_delivery *delivery = &world.deliveries[i];
		if (delivery->webhook_id < webhooks->first || delivery->webhook_id > webhooks->last)
			continue;
		const bool started = delivery->started > 0;
		const int64_t delay = (started ? delivery->started_ms[0] : world.now_ms) - delivery->born_ms;
		tally.counts[delivery->state]++;
		tally.attempts = delivery->attempts > tally.attempts ? delivery->attempts : tally.attempts;
		tally.start_delay = delay > tally.start_delay ? delay : tally.start_delay;
	}
	return tally;
}

/* pending|delivered|failed|attempts|busiest WEBHOOKS RELATION NUMBER; start_delay WEBHOOKS RELATION TIME; state WEBHOOKS = WORD
 */
static void
expect(const struct line *line)
{
	if (is(line, 1, "gaps")) {
		expect_gaps(line);
		return;
	}
	if (is(line, 1, "received") || is(line, 1, "signatures")) {
		expect_seen(line);
		return;
	}
	const char *what = word(line, 1), *relation = word(line, 3), *expected = word(line, 4);
	const struct range webhooks = range(word(line, 2));
	const struct tally t = tally(&webhooks);
	enum delivery_state state;
	enum webhook_state webhook_state;
	if (strcmp(what, "pending") == 0)
		compare(what, t.counts[DELIVERY_PENDING], relation, (int64_t)number(expected));
	else if (delivery_state_parse(slice_of(what), &state))
		compare(what, t.counts[state], relation, (int64_t)number(expected));
	else if (strcmp(what, "attempts") == 0)
		compare(what, t.attempts, relation, (int64_t)number(expected));
	else if (strcmp(what, "start_delay") == 0)
		compare(what, t.start_delay, relation, duration(expected));
	else if (strcmp(what, "busiest") == 0)
		compare(what, (int64_t)world.webhooks[webhooks.first].most_in_flight, relation, (int64_t)number(expected));
	else if (strcmp(what, "state") == 0 && webhook_state_parse(slice_of(expected), &webhook_state))
		compare(what, world.webhooks[webhooks.first].state, relation, webhook_state);
	else
		WRONG("%s %s cannot be expected", what, expected);
}

/* ---- the files ---- */

/* run TIME: a daemon until then; run cron: until nothing is due */
static void
start(const struct line *line)
{
	if (is(line, 1, "cron")) {
		options.stay = false;
		world.stop_ms = -1;
		assert_int_equal(run(NULL), RESULT_OK);
		return;
	}
	const int64_t max_runtime_ms = options.max_runtime_ms;
	stay_until(duration(word(line, 1)));
	options.max_runtime_ms = max_runtime_ms;
}

static void
play_line(char *text)
{
	struct line line = { .count = 0 };
	char *rest = text;
	text[strcspn(text, "#\n")] = '\0';
	for (char *next; (next = strtok_r(rest, " \t", &rest)) != NULL; line.words[line.count++] = next)
		assert_true(line.count < WORDS);
	if (line.count == 0)
		return;
	if (is(&line, 0, "set"))
		set(&line);
	else if (is(&line, 0, "at"))
		plan(&line);
	else if (is(&line, 0, "run"))
		start(&line);
	else if (is(&line, 0, "expect"))
		expect(&line);
	else
		happen(&line);
}

static void
play_scenario(void **state)
{
	char text[512];
	memset(&play, 0, sizeof(play));
	play.path = *state;
	fresh_world(NULL);
	options.sender.in_flight = SLOTS_OF_SCENARIOS;
	options.poll_ms = POLL_OF_SCENARIOS;
	options.health = (struct health_rules){ .concurrency_start = 4,
		.concurrency_max = 32,
		.breaker_failures = 5,
		.probe_wait_ms = 10 * SECOND,
		.probe_wait_max_ms = HOUR,
		.disable_after_ms = INT64_C(120) * HOUR };
	FILE *file = fopen(play.path, "re");
	assert_non_null(file);
	while (fgets(text, sizeof(text), file) != NULL) {
		play.number++;
		play_line(text);
	}
	fclose(file);
	assert_int_equal(play.done, play.action_count);
}

int
main(void)
{
	struct CMUnitTest tests[SCENARIOS];
	const char *top = getenv("top_srcdir");
	char pattern[4096];
	glob_t found;
	log_init("test", LOG_LEVEL_ERROR);
	snprintf(pattern, sizeof(pattern), "%s/tests/deliver/scenarios/*.txt", top == NULL ? "." : top);
	if (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc > SCENARIOS) {
		fprintf(stderr, "%s: none, or more than %d\n", pattern, SCENARIOS);
		return 1;
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		tests[i] = (struct CMUnitTest){ .name = strrchr(found.gl_pathv[i], '/') + 1,
			.test_func = play_scenario,
			.initial_state = found.gl_pathv[i] };
	/* the macro cannot be used, because it requires an array of known size */
	int failed = _cmocka_run_group_tests("deliver/scenarios", tests, found.gl_pathc, NULL, NULL);
	globfree(&found);
	return failed;
}
