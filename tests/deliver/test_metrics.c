/* SPDX-License-Identifier: MIT
 * docs/operating.md 12.1: the metric of attempts names errors as the log of attempts does.
 * Modules: deliver/send/sender, os/metrics. */
#include "unit.h"

#include "base/attributes.h"
#include "deliver/send/sender.h"
#include "os/metrics_table.h"

static void
errors_have_the_names_of_the_sender(void **state UNUSED)
{
	const struct metric_labels *labels = metrics_definition(METRIC_ATTEMPTS)->labels[0];
	const size_t first = METRIC_ANSWER_FORBIDDEN_ADDRESS;
	assert_int_equal(labels->count, first + SENDER_INTERNAL);
	for (enum sender_error error = SENDER_FORBIDDEN_ADDRESS; error <= SENDER_INTERNAL; error++)
		assert_slice(sender_error_name(error), labels->values[first + error - SENDER_FORBIDDEN_ADDRESS]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(errors_have_the_names_of_the_sender) };
	return cmocka_run_group_tests_name("deliver/metrics", tests, NULL, NULL);
}
