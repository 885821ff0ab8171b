/* SPDX-License-Identifier: MIT
 * Hexadecimal digits, percent-encoding, words for a shell. */
#include "unit.h"

#include "base/buffer.h"
#include "base/encode.h"
#include "base/pool.h"

static void
bytes_become_text_and_back(void **state UNUSED)
{
	struct pool *pool = pool_new();
	struct slice bytes;
	assert_slice(encode_hex(pool, (struct slice){ "\x00\xff", 2 }), "00ff");
	assert_true(decode_hex(pool, SLICE("00Ff"), &bytes));
	assert_memory_equal(bytes.data, "\x00\xff", 2);
	assert_false(decode_hex(pool, SLICE("0"), &bytes));
	assert_false(decode_hex(pool, SLICE("0g"), &bytes));
	assert_int_equal(percent_byte(SLICE("a%fF%"), 1), 0xff);
	assert_int_equal(percent_byte(SLICE("%0"), 0), -1);
	assert_int_equal(percent_byte(SLICE("%0g"), 0), -1);
	assert_int_equal(percent_byte(SLICE("a%00"), 0), -1);
	struct buffer buffer;
	buffer_init(&buffer, 100);
	encode_percent(&buffer, SLICE("a b/\xc3\xa4~"));
	assert_slice(buffer_slice(&buffer), "a%20b%2F%C3%A4~");
	buffer_free(&buffer);
	pool_free(&pool);
}

static void
words_of_a_shell_are_quoted(void **state UNUSED)
{
	struct pool *pool = pool_new();
	assert_slice(encode_shell_word(pool, SLICE("")), "''");
	assert_slice(encode_shell_word(pool, SLICE("a b")), "'a b'");
	assert_slice(encode_shell_word(pool, SLICE("it's'")), "'it'\\''s'\\'''");
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_become_text_and_back),
		cmocka_unit_test(words_of_a_shell_are_quoted),
	};
	return cmocka_run_group_tests_name("base/encode", tests, NULL, NULL);
}
