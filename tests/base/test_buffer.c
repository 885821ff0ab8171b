/* SPDX-License-Identifier: MIT
 * Growing buffers with a maximum size. */
#include "unit.h"

#include <string.h>

#include "base/buffer.h"

static void
a_buffer_has_a_maximum(void **state UNUSED)
{
	struct buffer buffer;
	buffer_init(&buffer, 10);
	buffer_add_text(&buffer, "12345");
	buffer_add_u64(&buffer, 67890);
	assert_true(buffer_ok(&buffer));
	assert_slice(buffer_slice(&buffer), "1234567890");
	buffer_add_byte(&buffer, 'x');
	assert_false(buffer_ok(&buffer));
	buffer_clear(&buffer);
	buffer_add_i64(&buffer, INT64_MIN / 1000000000000);
	assert_true(buffer_ok(&buffer));
	assert_slice(buffer_slice(&buffer), "-9223372");
	buffer_printf(&buffer, "%s", "long enough to fail");
	assert_false(buffer_ok(&buffer));
	/* even data that would fit is no longer appended */
	buffer_add(&buffer, SLICE(""));
	buffer_add_byte(&buffer, 'x');
	assert_null(buffer_extend(&buffer, 1));
	assert_slice(buffer_slice(&buffer), "-9223372");
	char *place = buffer.data;
	buffer_clear(&buffer);
	assert_memory_equal(place, "\0\0\0\0\0\0\0\0", 8); /* no part of a secret remains */
	memcpy(buffer_extend(&buffer, 10), "0123456789", 10);
	assert_string_equal(buffer.data, "0123456789");
	assert_null(buffer_extend(&buffer, 1));
	buffer_clear(&buffer);
	buffer_add_u64(&buffer, 0);
	assert_slice(buffer_slice(&buffer), "0");
	buffer_free(&buffer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_has_a_maximum),
	};
	return cmocka_run_group_tests_name("base/buffer", tests, NULL, NULL);
}
