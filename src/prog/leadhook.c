/* SPDX-License-Identifier: MIT
 * leadhook(1): the operator's command. */
#include <stdio.h>

#include "admin/admin.h"
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

int
main(int argc, char *argv[])
{
	static const struct admin_wiring wiring = { load, wiring_store };
	return admin_main(argc, argv, &wiring, stdout, stderr);
}
