/* SPDX-License-Identifier: MIT
 * Erasures, reports and removals (docs/operating.md 7.4, 7.5), and failures at any transaction.
 * Modules: store/removal. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/encode.h"
#include "os/clock.h"
#include "store/breaks.h"
#include "store/removal/address_search.h"
#include "store/removal/campaigns.h"
#include "store/removal/erase.h"
#include "store/removal/person_report.h"
#include "store/removal/resume.h"
#include "store/world.h"

static void
fill(struct world *w)
{
	add_webhook(w, w->campaign, "https://example.org/hook", EVENT_BIT(EVENT_NEW_SIGNUP) | EVENT_BIT(EVENT_REFERRAL));
	const struct lead ada = sign_up_referred(w, "ada@example.org", SLICE_NONE);
	sign_up_referred(w, "bob@example.org", ada.social_id);
}

static int64_t
rows_with(const char *address)
{
	return root_number(
	    "SELECT (SELECT COUNT(*) FROM t_leads WHERE email = '%s') + (SELECT COUNT(*) FROM t_events WHERE payload LIKE "
	    "'%%%s%%') + (SELECT COUNT(*) FROM t_erasures)",
	    address, address);
}

static void
erase_all(struct world *w, const unsigned char id[ERASURE_ID_SIZE], struct removal_counts *counts)
{
	bool done = false;
	for (unsigned i = 0; i < 100 && !done; i++)
		if (store_continue_erasure(w->store, id, counts, &done) != RESULT_OK)
			done = false;
	assert_true(done);
}

/* The connection is lost at a COMMIT, before or after it took effect. */
static void
an_erasure_survives_lost_connections(void **state)
{
	struct world *w = *state;
	for (unsigned commit = 0; commit < 12; commit++)
		for (unsigned after = 0; after < 2; after++) {
			const struct erase_request request = { .person = { .channel = CHANNEL_EMAIL,
								   .address = SLICE("ada@example.org") } };
			struct removal_counts counts = { 0 };
			unsigned char id[ERASURE_ID_SIZE];
			size_t leads;
			bool done = false;
			w->campaign = add_campaign(w);
			fill(w);
			assert_true(rows_with("ada@example.org") >= 2);
			assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
			assert_int_equal(leads, 1);
			for (unsigned i = 0; i < commit && !done; i++)
				assert_int_equal(store_continue_erasure(w->store, id, &counts, &done), RESULT_OK);
			breaks = (struct breaks){ .commits = 1, .after = after == 1 };
			erase_all(w, id, &counts);
			breaks = (struct breaks){ 0 };
			assert_int_equal(counts.leads, 1);
			assert_int_equal(rows_with("ada@example.org"), 0);
			assert_int_equal(
			    root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign), 1);
		}
}

static void
a_removal_survives_lost_connections(void **state)
{
	struct world *w = *state;
	for (unsigned commit = 0; commit < 12; commit++)
		for (unsigned after = 0; after < 2; after++) {
			struct removal_counts counts = { 0 };
			bool done = false;
			const uint64_t campaign = w->campaign = add_campaign(w);
			fill(w);
			assert_int_equal(store_remove_campaign(w->store, campaign), RESULT_OK);
			assert_int_equal(store_remove_campaign(w->store, campaign), RESULT_NOT_FOUND);
			for (unsigned i = 0; i < commit && !done; i++)
				assert_int_equal(store_continue_removal(w->store, campaign, &counts, &done), RESULT_OK);
			breaks = (struct breaks){ .commits = 1, .after = after == 1 };
			for (unsigned i = 0; i < 100 && !done; i++)
				if (store_continue_removal(w->store, campaign, &counts, &done) != RESULT_OK)
					done = false;
			breaks = (struct breaks){ 0 };
			assert_true(done);
			assert_int_equal(counts.leads, 2);
			assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64, campaign), 0);
			assert_int_equal(
			    root_number("SELECT COUNT(*) FROM t_events WHERE campaign_id = %" PRIu64, campaign), 0);
			assert_int_equal(root_number("SELECT COUNT(*) FROM t_removed_campaigns"), 0);
		}
}

/* The dispatcher takes over what no process has worked on for a minute, and then keeps working on it. */
static void
what_stands_still_is_resumed(void **state)
{
	struct world *w = *state;
	const struct erase_request request = { .person = { .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org") } };
	struct resumed_removals resumed = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t leads;
	bool more = true;
	fill(w);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	assert_false(more);
	assert_true(rows_with("ada@example.org") > 0);
	root_run("UPDATE t_erasures SET worked_ms = worked_ms - 60000");
	do
		assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	while (more);
	assert_int_equal(rows_with("ada@example.org"), 0);
}

/* Nothing that others have written stops an erasure or makes it slow: for example texts of 60 KB that repeat what a number may
 * begin with (when the server compared them, this took hours), before and after rows of the person. */
static void
no_text_stops_an_erasure(void **state)
{
	struct world *w = *state;
	static const char *const repeated[] = { "+", "+ ", "%2b", "00", "\\\\u002b", "(", "+4" };
	const struct erase_request request = { .person = { .channel = CHANNEL_PHONE, .address = SLICE("+491701234500") } };
	struct removal_counts counts = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t leads;
	for (size_t i = 0; i < ARRAY_SIZE(repeated); i++)
		for (unsigned k = 0; k < 3; k++)
			root_run(
			    "INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) VALUES "
			    "(%zu, %" PRIu64 ", 1, 0, 0, 0, CONCAT('{\"x\":\"', REPEAT('%s', 60000 / LENGTH('%s')),"
			    " '\",\"phone_number\":\"%s\"}'))",
			    1000 + 3 * i + k, w->campaign, repeated[i], repeated[i], k == 1 ? "+491701234500" : "0");
	root_run("INSERT INTO t_inbound_calls (id, inbound_id, campaign_id, refused, state, size, body, received_ms, ended_ms, "
		 "expires_ms) VALUES (1000, 1, %" PRIu64 ", 1, 'refused', 1, REPEAT('+', 60000), 0, 0, 0)",
	    w->campaign);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts);
	assert_int_equal(counts.events, ARRAY_SIZE(repeated));
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_events WHERE id BETWEEN 1000 AND 1999 AND payload = ''"), ARRAY_SIZE(repeated));
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_inbound_calls WHERE id = 1000"), 1);
	root_run("UPDATE t_events SET campaign_id = 0, payload = '' WHERE id BETWEEN 1000 AND 1999");
	root_run("DELETE FROM t_inbound_calls");
}

/* An erasure waits neither for one that a newer version has begun nor for one that fails. */
static void
an_erasure_does_not_wait_for_another(void **state)
{
	struct world *w = *state;
	struct resumed_removals resumed = { 0 };
	bool more = true;
	fill(w);
	root_run("INSERT INTO t_erasures (id, campaign_id, channel, address, spellings, step, worked_ms, created_ms) VALUES "
		 "('later', 0, 'email', 'x@example.org', 'x@example.org', 99, 0, 0), "
		 "('other', 0, 'email', 'ada@example.org', 'ada@example.org', 0, 0, 0)");
	do
		assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	while (more);
	assert_int_equal(rows_with("ada@example.org"), 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_erasures WHERE id LIKE 'later%%' AND worked_ms > 0"), 1);
	root_run("DELETE FROM t_erasures");
}

/* docs/manage.md 1.8 */
static void
an_account_has_a_maximum_of_erasures(void **state)
{
	struct world *w = *state;
	struct erase_request request = {
		.person = { .campaign_id = w->campaign, .channel = CHANNEL_EMAIL, .address = SLICE("a@example.org") }, .most = 2
	};
	struct world other = *w;
	unsigned char id[ERASURE_ID_SIZE];
	size_t leads;
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_TOO_MANY);
	request.most = 0; /* as for an operator */
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	root_run("UPDATE t_campaigns SET account_id = account_id + 1 WHERE id = %" PRIu64, w->campaign);
	request.most = 2;
	request.person.campaign_id = add_campaign(&other);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	root_run("DELETE FROM t_erasures");
}

/* The whole report; asserts the size of each part. */
static size_t
count_items(struct world *w, const struct person *person, int64_t deadline_ms, const char *section, size_t *parts)
{
	struct report_place place = REPORT_BEGINNING;
	struct report_part part = { .more = true };
	size_t count = 0;
	for (*parts = 0; part.more; (*parts)++) {
		size_t size = 0;
		assert_int_equal(store_report_part(w->store, w->pool, person, deadline_ms, &place, &part), RESULT_OK);
		for (size_t i = 0; i < part.count; i++) {
			size += part.items[i].data.size;
			count += strcmp(part.items[i].section, section) == 0;
		}
		assert_true(size <= REPORT_PART_BYTES + 20 * 13000);
		assert_true(*parts < 10000);
	}
	return count;
}

/* Every part is small; a part for which there is no time is one piece. Nothing is left out or repeated where a part ends. */
static void
a_report_comes_in_parts(void **state)
{
	struct world *w = *state;
	const struct person person = {
		.campaign_id = w->campaign, .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org")
	};
	const struct erase_request request = { .person = person };
	struct removal_counts counts = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t parts, leads;
	const struct lead ada = sign_up_referred(w, "ada@example.org", SLICE_NONE);
	root_run("INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) SELECT 3000 + seq, "
		 "%" PRIu64 ", IF(seq %% 2, %" PRIu64 ", 999999), 0, 0, 0, "
		 "CONCAT('{\"email\":\"ada@example.org\",\"x\":\"', REPEAT('x', 12000), '\"}') FROM seq_1_to_602",
	    w->campaign, ada.id);
	root_run("INSERT INTO t_score_entries (lead_id, reason, ref, round, delta, requested, created_ms) SELECT %" PRIu64
		 ", 'referral', 1 + seq DIV 7, seq %% 7, 1, 1, 0 FROM seq_0_to_99",
	    ada.id);
	root_run("INSERT INTO t_confirmations (lead_id, confirmed_ms, channel, address) SELECT %" PRIu64
		 ", 1 + seq DIV 2, 1 + seq %% 2, 'a' FROM seq_0_to_44",
	    ada.id);
	for (int64_t deadline_ms = 0; deadline_ms >= 0; deadline_ms = deadline_ms == 0 ? CLOCK_NEVER : -1) {
		assert_int_equal(count_items(w, &person, deadline_ms, "events", &parts), 602);
		assert_true(parts > 6);
		assert_int_equal(count_items(w, &person, deadline_ms, "ledger", &parts), 100);
		assert_int_equal(count_items(w, &person, deadline_ms, "confirmations", &parts), 45);
		assert_int_equal(count_items(w, &person, deadline_ms, "lead", &parts), 1);
	}
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts);
	assert_true(counts.events >= 602);
	assert_int_equal(count_items(w, &person, CLOCK_NEVER, "events", &parts), 0);
}

/* Events of deleted leads; a piece ends among the events of one lead. The first lead's events have higher ids than those of the
 * leads after it; some contain the address; those that do not are more than a piece has. */
enum { MANY = 450, FEW = 5, STRANGE = 5000, WITH_ADDRESS = MANY / 3 + 2 * FEW };

static void
plant_events_of_leads(const struct world *w)
{
	static const struct {
		unsigned lead, first, count;
		const char *email;
	} leads[] = { { 800001, 20000, MANY, "IF(MOD(seq, 3) = 0, 'ada@example.org', 'former@example.org')" },
		{ 800002, 10000, FEW, "'ada@example.org'" }, { 800003, 30000, STRANGE, "'eve@example.org'" },
		{ 800004, 15000, FEW, "'ada@example.org'" } };
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++) {
		root_run(
		    "INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) SELECT %u + seq, "
		    "%" PRIu64 ", %u, 0, 0, 0, CONCAT('{\"social_id\":\"S%u\",\"email\":\"', %s, '\"}') FROM seq_1_to_%u",
		    leads[i].first, w->campaign, leads[i].lead, leads[i].lead, leads[i].email, leads[i].count);
	}
}

/* Each event is in the report once. */
static void
assert_each_event_once(struct world *w, const struct person *person, int64_t deadline_ms)
{
	struct report_place place = REPORT_BEGINNING;
	struct report_part part = { .more = true };
	uint8_t seen[40000] = { 0 };
	size_t count = 0, parts = 0;
	while (part.more) {
		assert_true(parts++ < 100);
		assert_int_equal(store_report_part(w->store, w->pool, person, deadline_ms, &place, &part), RESULT_OK);
		for (size_t i = 0; i < part.count; i++, count++) {
			unsigned id;
			assert_int_equal(sscanf(part.items[i].data.data, "{\"id\": %u,", &id), 1);
			assert_in_range(id, 1, sizeof(seen) - 1);
			assert_int_equal(seen[id]++, 0);
		}
	}
	assert_int_equal(count, WITH_ADDRESS);
}

/* docs/operating.md 7.4, "a few rows at a time": a piece begins and ends anywhere among the events of a lead, and reads no more
 * than its own. */
static void
a_piece_ends_among_the_events_of_a_lead(void **state)
{
	enum { READ_FOR_A_PIECE = 2 * 200 + 50 };
	struct world *w = *state;
	const struct person person = {
		.campaign_id = w->campaign, .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org")
	};
	const struct erase_request request = { .person = person };
	const struct search_place places[] = { { 0 }, { 800001, 20100 }, { 800001, 20450 }, { 800002, 10003 },
		{ 800003, 32000 } };
	struct removal_counts counts = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	struct db_rows rows;
	size_t leads;
	plant_events_of_leads(w);
	assert_each_event_once(w, &person, 0);
	assert_each_event_once(w, &person, CLOCK_NEVER);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const int64_t before = root_rows_read();
		assert_int_equal(store_search(w->store, w->pool, SEARCH_EVENTS, w->campaign, places[i], &rows), RESULT_OK);
		assert_in_range(root_rows_read() - before, 200, READ_FOR_A_PIECE);
		assert_int_equal(rows.count, 200);
	}
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts);
	assert_int_equal(counts.events, MANY + 2 * FEW);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events WHERE campaign_id = %" PRIu64, w->campaign), STRANGE);
	root_run("DELETE FROM t_events WHERE id BETWEEN 10000 AND 39999");
}

/* docs/operating.md 7.4: the lead of an event or a call decides, not a mention in it. */
static void
what_mentions_a_person_stays(void **state)
{
	enum { OWN = 1, FORMER = 2, REFERRAL = 4, BY_ID = 8, FIELD = 16, DEEP = 32, DELETED = 64 };
	struct world *w = *state;
	const struct person person = {
		.campaign_id = w->campaign, .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org")
	};
	const struct erase_request request = { .person = person };
	struct removal_counts counts = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t parts, leads;
	const struct lead ada = sign_up_referred(w, "ada@example.org", SLICE_NONE),
			  bob = sign_up_referred(w, "bob@example.org", SLICE_NONE);
	const char *social_id = pool_copy(w->pool, ada.social_id).data;
	root_run(
	    "INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) SELECT 5000 + n, %" PRIu64
	    ", IF(n = 0, %" PRIu64 ", IF(n = 6, 999999, %" PRIu64 ")), IF(n IN (2, 3), %d, %d), 0, 0, p FROM (SELECT 0 AS n,"
	    " '{\"email\":\"x@example.org\"}' AS p"
	    " UNION ALL SELECT 1, '{\"email\":\"Ada@example.org\"}'"
	    " UNION ALL SELECT 2, '{\"email\":\"bob@example.org\",\"__referral\":{\"email\":\"ada@example.org\"}}'"
	    " UNION ALL SELECT 3, "
	    "'{\"email\":\"bob@example.org\",\"__referral\":{\"social_id\":\"%s\",\"email\":\"o@example.org\"}}'"
	    " UNION ALL SELECT 4, "
	    "'{\"social_id\":\"B\",\"email\":\"bob@example.org\",\"custom_fields\":{\"email\":\"ada@example.org\"}}'"
	    " UNION ALL SELECT 5, "
	    "'{\"social_id\":\"B\",\"custom_fields\":{\"a\":{\"__referral\":{\"social_id\":\"%s\",\"email\":\"ada@example."
	    "org\"}}}}'"
	    " UNION ALL SELECT 6, '{\"social_id\":\"D\",\"email\":\"del@example.org\",\"x\":\"ada@example.org\"}') e",
	    w->campaign, ada.id, bob.id, EVENT_REFERRAL, EVENT_NEW_SIGNUP, social_id, social_id);
	assert_int_equal(count_items(w, &person, CLOCK_NEVER, "events", &parts), 4);
	assert_int_equal(count_items(w, &person, CLOCK_NEVER, "mentioned_by", &parts), 3);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts);
	assert_int_equal(counts.events, 4);
	assert_int_equal(
	    root_number("SELECT SUM(1 << (id - 5000)) FROM t_events WHERE id BETWEEN 5000 AND 5006 AND payload = ''"),
	    OWN + FORMER);
	assert_int_equal(root_number("SELECT SUM(1 << (id - 5000)) FROM t_events WHERE id BETWEEN 5000 AND 5006 AND payload ="
				     " '{\"email\":\"bob@example.org\",\"__referral\":{}}'"),
	    REFERRAL + BY_ID);
	assert_int_equal(
	    root_number("SELECT SUM(1 << (id - 5000)) FROM t_events WHERE id BETWEEN 5000 AND 5006 AND payload LIKE"
			" '%%ada@example.org%%'"),
	    FIELD + DEEP + DELETED);
	root_run("DELETE FROM t_events WHERE id BETWEEN 5000 AND 5006");
}

/* docs/operating.md 7.4: a claim is an address that a stranger has added, verified or not; if that was not recorded, an
 * unverified address beside a verified one. */
static void
a_claim_shows_and_deletes_nothing(void **state)
{
	enum { ALONE = 1, OF_DELETED = 16, VERIFIED_OF_DELETED = 64, OWNER_OF_DELETED = 256 };
	struct world *w = *state;
	struct erase_request request = {
		.person = { .campaign_id = w->campaign, .channel = CHANNEL_PHONE, .address = SLICE("+4915112345678") }
	};
	struct removal_counts counts = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t parts, leads;
	const struct lead ada = sign_up_referred(w, "ada@example.org", SLICE_NONE);
	const struct slice hash = encode_hex(w->pool, lead_phone_hash(w->pool, w->campaign, request.person.address));
	root_run("UPDATE t_leads SET phone = '+4915112345678', phone_hash = UNHEX('%.*s'), verified_email = TRUE, "
		 "verified_phone = TRUE, claimed = 2 WHERE id = %" PRIu64,
	    SLICE_ARGS(hash), ada.id);
	root_run(
	    "INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) SELECT 6000 + n, %" PRIu64
	    ", IF(n IN (4, 6, 8), 999999, IF(n = 7, 999998, %" PRIu64
	    ")), IF(n = 5, %d, %d), 0, 0, CONCAT('{\"social_id\":\"A\",', p, '}') FROM (SELECT 0 AS n,"
	    " '\"phone_number\":\"+4915112345678\"' AS p"
	    " UNION ALL SELECT 1, '\"email\":\"ada@example.org\",\"phone_number\":\"+4915112345678\"'"
	    " UNION ALL SELECT 2, '\"email\":\"ada@example.org\",\"phone_number\":\"+4915112345678\",\"verified_email\":true'"
	    " UNION ALL SELECT 3, "
	    "'\"email\":\"ada@example.org\",\"phone_number\":\"+4915112345678\",\"verified_phone_number\":true'"
	    " UNION ALL SELECT 4, '\"email\":\"ada@example.org\",\"phone_number\":\"+4915112345678\"'"
	    " UNION ALL SELECT 5, '\"__referral\":{\"email\":\"ada@example.org\",\"phone_number\":\"+4915112345678\"}'"
	    " UNION ALL SELECT 6, "
	    "'\"email\":\"ada@example.org\",\"phone_number\":\"+4915112345678\",\"verified_phone_number\":true'"
	    " UNION ALL SELECT 7, '\"email\":\"ada@example.org\",\"phone_number\":\"+4915112345678\","
	    "\"verified_phone_number\":true,\"claimed\":\"phone_number\"'"
	    " UNION ALL SELECT 8, '\"email\":\"ada@example.org\",\"phone_number\":\"+4915112345678\","
	    "\"verified_email\":true,\"claimed\":\"email\"') e",
	    w->campaign, ada.id, EVENT_REFERRAL, EVENT_NEW_SIGNUP);
	assert_int_equal(count_items(w, &request.person, CLOCK_NEVER, "lead", &parts), 0);
	assert_int_equal(count_items(w, &request.person, CLOCK_NEVER, "events", &parts), 4);
	assert_int_equal(count_items(w, &request.person, CLOCK_NEVER, "mentioned_by", &parts), 5 + 1);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
		assert_int_equal(leads, 0);
		erase_all(w, id, &counts);
		assert_int_equal(counts.leads, 0);
		assert_int_equal(counts.claims, 1);
		assert_int_equal(
		    root_number(
			"SELECT COUNT(*) FROM t_leads WHERE id = %" PRIu64
			" AND phone IS NULL AND phone_hash IS NULL AND verified_email AND NOT verified_phone AND claimed = 0"
			" AND email = 'ada@example.org'",
			ada.id),
		    1);
		assert_int_equal(
		    root_number("SELECT SUM(1 << (id - 6000)) FROM t_events WHERE id BETWEEN 6000 AND 6008 AND payload = ''"),
		    ALONE + OF_DELETED + VERIFIED_OF_DELETED + OWNER_OF_DELETED);
	}
	assert_int_equal(count_items(w, &request.person, CLOCK_NEVER, "events", &parts), 0);
	assert_int_equal(count_items(w, &request.person, CLOCK_NEVER, "mentioned_by", &parts), 5);
	request.person =
	    (struct person){ .campaign_id = w->campaign, .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org") };
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts);
	assert_int_equal(counts.leads, 1);
	root_run("DELETE FROM t_events WHERE id BETWEEN 6000 AND 6008");
}

/* Any number of confirmations of an address that their lead no longer has: the report shows each once, an erasure deletes and
 * counts them. */
static void
former_addresses_are_the_persons(void **state)
{
	struct world *w = *state;
	const struct person person = {
		.campaign_id = w->campaign, .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org")
	};
	const struct erase_request request = { .person = person };
	struct removal_counts counts = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t parts, leads;
	const struct lead bob = sign_up_referred(w, "bob@example.org", SLICE_NONE),
			  eve = sign_up_referred(w, "eve@example.org", SLICE_NONE);
	root_run("INSERT INTO t_confirmations (lead_id, confirmed_ms, channel, address) SELECT %" PRIu64
		 ", 1 + seq, 'email', 'Ada@example.org' FROM seq_1_to_45",
	    bob.id);
	root_run("INSERT INTO t_confirmations (lead_id, confirmed_ms, channel, address) VALUES (%" PRIu64
		 ", 1, 'email', 'bob@example.org'), (%" PRIu64 ", 1, 'email', 'ada@example.org')",
	    bob.id, eve.id);
	for (int64_t deadline_ms = 0; deadline_ms >= 0; deadline_ms = deadline_ms == 0 ? CLOCK_NEVER : -1)
		assert_int_equal(count_items(w, &person, deadline_ms, "confirmations", &parts), 46);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts);
	assert_int_equal(counts.confirmations, 46);
	assert_int_equal(count_items(w, &person, CLOCK_NEVER, "confirmations", &parts), 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_confirmations WHERE address = 'bob@example.org'"), 1);
	root_run("DELETE FROM t_confirmations");
}

/* docs/manage.md 1.8: a place that no part has returned. */
static void
places_of_reports_are_verified(void **state)
{
	(void)state;
	static const struct {
		struct report_place place;
		bool valid;
	} cases[] = { { REPORT_BEGINNING, true }, { { 812, 13, 4711, 1 }, true }, { { 0, 14, -1, -1 }, true },
		{ { 0, 13, -1, -1 }, false }, { { 812, 14, -1, -1 }, false }, { { 0, 99, -1, -1 }, false },
		{ { 0, 256, -1, -1 }, false } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(store_is_report_place(&cases[i].place), cases[i].valid);
}

/* The person has a lead in each of many campaigns: what was found is stored once, in order, and completely. */
static void
an_erasure_of_many_leads_goes_on_where_it_was(void **state)
{
	struct world *w = *state;
	enum { LEADS = 130 };
	const struct erase_request request = { .person = { .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org") } };
	struct removal_counts counts = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t leads;
	bool done;
	for (unsigned i = 0; i < LEADS; i++) {
		w->campaign = add_campaign(w);
		sign_up_referred(w, "ada@example.org", SLICE_NONE);
	}
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	assert_int_equal(leads, LEADS);
	assert_int_equal(store_continue_erasure(w->store, id, &counts, &done), RESULT_OK);
	w->campaign = add_campaign(w);
	sign_up_referred(w, "ada@example.org", SLICE_NONE);
	erase_all(w, id, &counts);
	assert_int_equal(counts.leads, LEADS + 1);
	assert_int_equal(rows_with("ada@example.org"), 0);
}

static void
plant_jobs(const struct world *w)
{
	root_run("DELETE FROM t_operator_jobs");
	root_run(
	    "INSERT INTO t_operator_jobs (id, account_id, campaign_id, kind, parameters, made_by, result, created_ms) VALUES "
	    "(1, 0, NULL, 'mail_test', '{\"address\":\"Ada@example.org\"}', 'x', NULL, 0), "
	    "(2, 0, NULL, 'mail_test', '{\"address\":\"a@b.example\"}', 'x', '{\"answer\":\"550 <ada@example.org>\"}', 0), "
	    "(3, %" PRIu64 ", %" PRIu64 ", 'redelivery', '{}', 'x', '{}', 0), "
	    "(4, %" PRIu64 ", NULL, 'mail_test', '{\"address\":\"bada@example.org\"}', 'x', NULL, 0), "
	    "(5, 0, NULL, 'webhook_test', '{\"webhook\":1}', 'x', '{\"answer\":\"ada@example.org\"}', 0)",
	    w->account, w->campaign, w->account);
}

static int64_t
jobs(void)
{
	return root_number("SELECT COALESCE(SUM(1 << id), 0) FROM t_operator_jobs");
}

/* A test mail to a person; but not the answers of mail servers and receivers, which may contain anything. */
static void
jobs_have_addresses(void **state)
{
	struct world *w = *state;
	struct erase_request request = {
		.person = { .campaign_id = w->campaign, .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org") }
	};
	struct removal_counts counts = { 0 };
	struct report_place place = REPORT_BEGINNING;
	struct report_part report;
	unsigned char id[ERASURE_ID_SIZE];
	size_t leads;
	plant_jobs(w);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts); /* only those of the campaign */
	assert_int_equal(jobs(), 2 + 4 + 8 + 16 + 32);
	request.person.campaign_id = 0;
	assert_int_equal(store_report_part(w->store, w->pool, &request.person, CLOCK_NEVER, &place, &report), RESULT_OK);
	assert_false(report.more);
	assert_int_equal(report.count, 1);
	assert_string_equal(report.items[0].section, "jobs");
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	erase_all(w, id, &counts);
	assert_int_equal(jobs(), 4 + 8 + 16 + 32);
}

static void
jobs_go_with_their_campaign_and_account(void **state)
{
	struct world *w = *state;
	struct removal_counts counts = { 0 };
	bool done = false;
	plant_jobs(w);
	assert_int_equal(store_remove_campaign(w->store, w->campaign), RESULT_OK);
	while (!done)
		assert_int_equal(store_continue_removal(w->store, w->campaign, &counts, &done), RESULT_OK);
	assert_int_equal(jobs(), 2 + 4 + 16 + 32);
	assert_int_equal(store_remove_account(w->store, w->account), RESULT_OK);
	assert_int_equal(jobs(), 2 + 4 + 32);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(an_erasure_survives_lost_connections),
		WORLD_TEST(a_removal_survives_lost_connections),
		WORLD_TEST(what_stands_still_is_resumed),
		WORLD_TEST(no_text_stops_an_erasure),
		WORLD_TEST(an_erasure_does_not_wait_for_another),
		WORLD_TEST(an_account_has_a_maximum_of_erasures),
		WORLD_TEST(a_report_comes_in_parts),
		WORLD_TEST(a_piece_ends_among_the_events_of_a_lead),
		WORLD_TEST(what_mentions_a_person_stays),
		WORLD_TEST(a_claim_shows_and_deletes_nothing),
		WORLD_TEST(former_addresses_are_the_persons),
		WORLD_TEST(places_of_reports_are_verified),
		WORLD_TEST(an_erasure_of_many_leads_goes_on_where_it_was),
		WORLD_TEST(jobs_have_addresses),
		WORLD_TEST(jobs_go_with_their_campaign_and_account),
	};
	return WORLD_MAIN(tests);
}
