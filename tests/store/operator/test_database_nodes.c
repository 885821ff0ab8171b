/* SPDX-License-Identifier: MIT
 * The findings of `leadhook check` (leadhook(1), check) with a server that claims to be a node of a cluster, without other
 * nodes. */
#include "unit.h"

#include <string.h>

#include "base/attributes.h"
#include "os/clock.h"
#include "store/operator/installation_check.h"
#include "store/operator/operator_status.h"
#include "store/world.h"

static int64_t skew_ms; /* error of this host's clock */

int64_t __real_clock_wall_ms(void);
int64_t __wrap_clock_wall_ms(void);

int64_t
__wrap_clock_wall_ms(void)
{
	return __real_clock_wall_ms() + skew_ms;
}

/* The detail of a finding, or absent. */
static struct slice
found(struct world *w, const struct store_options *options, const char *what)
{
	struct store *other = store_new(options);
	struct finding *findings;
	size_t count;
	struct slice detail = SLICE_NONE;
	store_check(other, w->pool, NULL, CHECK_QUICK, &findings, &count);
	for (size_t i = 0; i < count; i++)
		if (slice_equal(findings[i].what, slice_of(what)))
			detail = findings[i].detail;
	store_free(&other);
	return detail;
}

static void
the_check_finds_what_a_cluster_lacks(void **state)
{
	struct world *w = *state;
	assert_slice(found(w, &world_options, "cluster_size"), "the cluster has 0 connected nodes");
	assert_true(slice_present(found(w, &world_options, "node_state")));
}

static void
the_check_compares_clocks(void **state)
{
	struct world *w = *state;
	assert_false(slice_present(found(w, &world_options, "clock")));
	skew_ms = -60 * 1000;
	struct slice later = found(w, &world_options, "clock");
	skew_ms = 60 * 1000;
	struct slice earlier = found(w, &world_options, "clock");
	skew_ms = 0;
	assert_true(slice_present(later) && strstr(later.data, " later than ") != NULL);
	assert_true(slice_present(earlier) && strstr(earlier.data, " earlier than ") != NULL);
}

/* Reads and writes may go to different nodes only where several hosts are set. */
static void
the_check_tries_all_hosts(void **state)
{
	struct world *w = *state;
	struct store_options several = world_options;
	several.host = "localhost, 127.0.0.1:1";
	assert_false(slice_present(found(w, &world_options, "sync_wait")));
	assert_false(slice_present(found(w, &world_options, "database_host")));
	assert_true(slice_present(found(w, &several, "sync_wait")));
	struct slice refused = found(w, &several, "database_host");
	assert_true(slice_starts_with(refused, SLICE("127.0.0.1:1: ")));
}

static void
the_check_tries_read_hosts(void **state)
{
	struct world *w = *state;
	struct store_options options = world_options;
	options.read_host = "localhost";
	assert_false(slice_present(found(w, &options, "read_host")));
	options.read_host = "localhost, 127.0.0.1:1";
	assert_true(slice_starts_with(found(w, &options, "read_host"), SLICE("127.0.0.1:1: ")));
}

/* docs/cluster.md 4.1: the data of another installation is not read. */
static void
another_installation_is_recognized(void **state)
{
	struct world *w = *state;
	struct store *same = store_new(&world_options), *other = store_new(&world_options);
	assert_int_equal(store_same_installation(w->store, same), RESULT_OK);
	root_run("UPDATE " TABLE_PREFIX "installation SET value = REVERSE(value) WHERE name = 'installation_id'");
	assert_int_equal(store_same_installation(w->store, other), RESULT_UNAVAILABLE);
	assert_int_equal(store_same_installation(w->store, same), RESULT_OK);
	root_run("UPDATE " TABLE_PREFIX "installation SET value = REVERSE(value) WHERE name = 'installation_id'");
	store_free(&other);
	store_free(&same);
}

static void
the_status_has_the_node(void **state)
{
	struct world *w = *state;
	struct store_status status;
	assert_int_equal(store_get_status(w->store, w->pool, &status), RESULT_OK);
	assert_non_null(status.node);
	assert_true(status.node->name.size > 0);
	assert_int_equal(status.node->cluster_size, 0); /* not even this node is counted */
	assert_false(status.node->flow_control);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_check_finds_what_a_cluster_lacks),
		WORLD_TEST(the_check_compares_clocks),
		WORLD_TEST(the_check_tries_all_hosts),
		WORLD_TEST(the_check_tries_read_hosts),
		WORLD_TEST(another_installation_is_recognized),
		WORLD_TEST(the_status_has_the_node),
	};
	private_server_set_option("--wsrep-on=ON"); /* a node, but without a provider */
	return WORLD_MAIN(tests);
}
