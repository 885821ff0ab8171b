/* SPDX-License-Identifier: MIT
 * leadhook(1): the operator's command. */
#include <stdio.h>

#include "admin/admin.h"
#include "prog/wiring.h"

int
main(int argc, char *argv[])
{
	return admin_main(argc, argv, wiring_store, stdout, stderr);
}
