/* SPDX-License-Identifier: MIT
 * leadhook(1): the operator's command. */
#include <stdio.h>

#include "admin/admin.h"
#include "base/descriptors.h"
#include "prog/wiring.h"

/* Of what the configuration comes to, only that it does: what a command needs, it parses itself. */
static bool
load(const char *path, struct conf **conf, struct buffer *problems)
{
	struct wiring wiring;
	bool good = wiring_read(path, &wiring, problems);
	*conf = wiring.conf;
	pool_free(&wiring.pool);
	return good;
}

static struct store *
open_store(const struct conf *conf)
{
	return wiring_store(conf, NULL, WIRING_ANSWER_MS);
}

int
main(int argc, char *argv[])
{
	static const struct admin_wiring wiring = { load, open_store };
	descriptors_fill();
	return admin_main(argc, argv, &wiring, stdout, stderr);
}
