/* SPDX-License-Identifier: MIT */
#include "api/handlers/metrics_call.h"

#include "os/metrics_page.h"
#include "watch/watch.h"

/* A scraper waits for ten seconds. */
enum { DATABASE_MS = 3000 };

void
handle_metrics(struct call *call)
{
	const struct api_options *options = call->api->options;
	struct pool *pool = call->request->pool;
	size_t count;
	const struct metric_route *routes = route_names(pool, &count);
	struct metrics_page *page = metrics_page_new(pool, routes, count);
	store_set_deadline(call->api->store, call->begun_ms + DATABASE_MS);
	watch_add_shared_database(page, pool, call->api->store);
	watch_add_limiter(page, options->limiter);
	watch_add_filesystems(page, options->metrics.state_dir, options->metrics.log_file);
	metrics_page_add_counts(page); /* with the errors of the above */
	buffer_clear(&call->response->body);
	call->response->content = HTTP_METRICS;
	metrics_page_write(page, &call->response->body);
}
