/* SPDX-License-Identifier: MIT
 * The dashboard as browsers get it: the files of src/dashboard/web and its libraries, as scripts/dashboard-files compiles them
 * in, and the page that loads them (docs/dashboard.md). Without the dashboard (configure --without-dashboard) there are none.
 */
#ifndef LEADHOOK_DASHBOARD_DASHBOARD_H
#define LEADHOOK_DASHBOARD_DASHBOARD_H

#include <stddef.h>

#include "base/asset.h"
#include "base/buffer.h"
#include "base/slice.h"
#include "http/response.h"

struct dashboard_file {
	struct slice name;
	enum http_content content;
	struct asset asset;
};
extern const struct dashboard_file dashboard_files[];
extern const size_t dashboard_file_count;
/* Changes with any file: modules import each other by relative paths, so all files have one version in their path. */
extern const char dashboard_version[];

/* NULL: there is no such file. */
const struct dashboard_file *dashboard_find(struct slice name);

/* Appends the page. `root` is the path of the API as browsers see it. */
void dashboard_write_page(struct buffer *out, struct slice root);

#endif
