/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "days.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "webhook/delivery.h"

static const struct {
	const char *name, *id;
} tables[] = { { "events", "id" }, { "deliveries", "id" }, { "attempts", "delivery_id" } };

enum { TEXT_BYTES = 8192 };

uint64_t
today(void)
{
	return (uint64_t)root_number("SELECT DATEDIFF(UTC_DATE(), '1970-01-01')");
}

uint64_t
id_of(uint64_t day)
{
	return day << DAY_BITS;
}

int64_t
date_of(uint64_t day)
{
	return root_number("SELECT DATE_FORMAT('1970-01-01' + INTERVAL %" PRIu64 " DAY, '%%Y%%m%%d') + 0", day);
}

void
remake_days(uint64_t from, uint64_t to)
{
	char days[TEXT_BYTES];
	int used = 0;
	for (uint64_t day = from; day <= to; day++)
		used += snprintf(days + used, sizeof(days) - (size_t)used,
		    "PARTITION d%" PRId64 " VALUES LESS THAN (%" PRIu64 "), ", date_of(day), id_of(day + 1));
	days[used] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		root_run("TRUNCATE TABLE t_%s", tables[i].name);
		root_run("ALTER TABLE t_%s PARTITION BY RANGE (%s) (%sPARTITION later VALUES LESS THAN MAXVALUE)",
		    tables[i].name, tables[i].id, days);
	}
	root_run("DELETE FROM t_due");
	end_rest();
}

void
end_rest(void)
{
	root_run("DELETE FROM t_installation WHERE name = 'history_rests_until_ms'");
}

int64_t
tables_with(uint64_t day)
{
	return root_number(
	    "SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN "
	    "('t_events', 't_deliveries', 't_attempts') AND PARTITION_NAME = 'd%" PRId64
	    "' AND PARTITION_DESCRIPTION = '%" PRIu64 "'",
	    date_of(day), id_of(day + 1));
}

const char *
days_of(struct pool *pool, const char *table)
{
	struct slice text = SLICE("");
	int64_t count = root_number("SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND "
				    "TABLE_NAME = 't_%s'",
	    table);
	for (int64_t i = 1; i < count; i++)
		text = pool_printf(pool, "%.*sd%" PRId64 ",", SLICE_ARGS(text),
		    root_number("SELECT SUBSTR(PARTITION_NAME, 2) + 0 FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = "
				"DATABASE() AND TABLE_NAME = 't_%s' AND PARTITION_ORDINAL_POSITION = %" PRId64,
			table, i));
	assert_int_equal(
	    root_number("SELECT PARTITION_NAME = 'later' AND PARTITION_DESCRIPTION = 'MAXVALUE' FROM "
			"information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't_%s' AND "
			"PARTITION_ORDINAL_POSITION = %" PRId64,
		table, count),
	    1);
	return pool_printf(pool, "%.*slater", SLICE_ARGS(text)).data;
}

void
plant_event(uint64_t event_id, enum planted_state state)
{
	root_run("INSERT INTO t_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) VALUES (%" PRIu64
		 ", 1, 1, 0, 1, (%" PRIu64 " >> %d) * 86400000, '{}')",
	    event_id, event_id, DAY_BITS);
	if (state == PLANTED_ENDED) {
		root_run(
		    "INSERT INTO t_deliveries (id, event_id, webhook_id, format, state, attempts, ended_ms) VALUES (%" PRIu64
		    ", %" PRIu64 ", %d, 'json', 'delivered', 1, 0)",
		    event_id + 1, event_id, PLANTED_WEBHOOK);
		root_run("INSERT INTO t_attempts (delivery_id, attempt, started_ms, duration_ms) VALUES (%" PRIu64 ", 1, 0, 5)",
		    event_id + 1);
		return;
	}
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms, attempts) VALUES (%" PRIu64 ", %" PRIu64
		 ", %u, %d, 'json', TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 + 600000, 2)",
	    event_id + 1, event_id, webhook_shard(PLANTED_WEBHOOK), PLANTED_WEBHOOK);
}

bool
in_day(const char *table, uint64_t id, uint64_t day)
{
	return root_number("SELECT COUNT(*) FROM t_%s PARTITION (d%" PRId64 ") WHERE %s = %" PRIu64, table, date_of(day),
		   strcmp(table, "attempts") == 0 ? "delivery_id" : "id", id) == 1;
}

int64_t
alters(void)
{
	return root_number(
	    "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'COM_ALTER_TABLE'");
}
