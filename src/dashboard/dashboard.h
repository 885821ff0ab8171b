/* SPDX-License-Identifier: MIT
 * The parts of the dashboard that browsers load (docs/dashboard.md): the page, and the files of src/dashboard/web and its
 * libraries, which scripts/dashboard-files compiles in. A build with --without-dashboard has no files. */
#pragma once

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
/* Changes when any file does. It is in the path of every file, because modules import each other by relative paths. */
extern const char dashboard_version[];

/* Returns NULL if there is no file with this name. */
const struct dashboard_file *dashboard_find(struct slice name);

/* Appends the page. `root`: the path of the service as browsers see it. */
void dashboard_write_page(struct buffer *out, struct slice root);
