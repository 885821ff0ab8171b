/* SPDX-License-Identifier: MIT
 * The secrets in the database: whether they are sealed, and with the present key. Those that cannot be opened are a finding of
 * `leadhook check`. */
#include <inttypes.h>

#include "admin/doctor/doctor.h"
#include "store/operator/sealing.h"

void
check_secrets(struct doctor *doctor)
{
	struct secret_counts counts;
	if (store_count_secrets(doctor->call->store, doctor->pool, &counts) != RESULT_OK) {
		DOCTOR_SKIP(doctor, "the database did not answer");
		return;
	}
	if (counts.plain > 0) {
		DOCTOR_FIND(
		    doctor, "secrets_not_sealed", "%" PRIu64 " secrets in the database are not encrypted", counts.plain);
		if (!store_has_secrets_key(doctor->call->store)) {
			doctor_setting(doctor, "server", "secrets_key", SLICE("(64 hexadecimal digits: openssl rand -hex 32)"));
			web_server_start_program(doctor, true);
		}
		doctor_command(doctor, SLICE_NONE, SLICE("leadhook secrets seal"));
	}
	if (counts.old > 0) {
		DOCTOR_FIND(doctor, "secrets_old_key",
		    "%" PRIu64 " secrets in the database are sealed with a key that is not the first one", counts.old);
		doctor_command(doctor, SLICE_NONE, SLICE("leadhook secrets seal"));
	}
}
