/* SPDX-License-Identifier: MIT */
#include "dashboard/dashboard.h"

#include "page/html.h"

/* Files that are loaded only when a view needs them. */
static const struct slice later[] = { SLICE("account.js"), SLICE("audit.js"), SLICE("drafts.js"), SLICE("export.js"),
	SLICE("fields.js"), SLICE("import.js"), SLICE("import_columns.js"), SLICE("import_file.js"), SLICE("mails.js"),
	SLICE("me.js"), SLICE("operator.js"), SLICE("pages.js"), SLICE("qr.js"), SLICE("uplot.js") };

const struct dashboard_file *
dashboard_find(struct slice name)
{
	for (size_t i = 0; i < dashboard_file_count; i++)
		if (slice_equal(dashboard_files[i].name, name))
			return &dashboard_files[i];
	return NULL;
}

void
dashboard_write_page(struct buffer *out, struct slice root)
{
	const struct slice version = slice_of(dashboard_version);
	HTML(out,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1, interactive-widget=resizes-content\">\n"
	    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Leadhook</title>\n"
	    "<link rel=\"icon\" href=\"{}/dashboard/{}/icon.svg\">\n"
	    "<link rel=\"stylesheet\" href=\"{}/dashboard/{}/style.css\">\n",
	    root, version, root, version);
	/* without these links, a browser would discover each module only when it reads the one that imports it */
	for (size_t i = 0; i < dashboard_file_count; i++)
		if (dashboard_files[i].content == HTTP_JAVASCRIPT &&
		    !slice_is_one_of(dashboard_files[i].name, later, ARRAY_SIZE(later)))
			HTML(out, "<link rel=\"modulepreload\" href=\"{}/dashboard/{}/{}\">\n", root, version,
			    dashboard_files[i].name);
	HTML(out,
	    "<script type=\"module\" src=\"{}/dashboard/{}/main.js\"></script>\n</head>\n"
	    "<body>\n<div id=\"app\"></div>\n"
	    "<noscript><p>The dashboard needs JavaScript. The command leadhook on the host does the same.</p></noscript>\n"
	    "</body>\n</html>\n",
	    root, version);
}
