/* SPDX-License-Identifier: MIT
 * docs/architecture.md 7: frames are length-prefixed, with a cap. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/attributes.h"
#include "commit/frame.h"

enum { LARGE = 1024 * 1024 }; /* more than a socket accepts at once */

static int ends[2];
static struct frame_reader reader;
static struct buffer out;
static size_t sent;

static int
begin(void **state UNUSED)
{
	frame_reader_init(&reader);
	buffer_init(&out, FRAME_BUFFER_MAX);
	sent = 0;
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends);
}

static int
end(void **state UNUSED)
{
	frame_reader_free(&reader);
	buffer_free(&out);
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return 0;
}

static void
make_frame(struct slice content)
{
	frame_begin(&out);
	buffer_add(&out, content);
	assert_true(frame_end(&out));
	sent = 0;
}

static void
send_part(size_t from, size_t to)
{
	assert_int_equal(send(ends[0], out.data + from, to - from, MSG_NOSIGNAL), to - from);
}

static void
close_end(int end)
{
	close(ends[end]);
	ends[end] = -1;
}

static enum frame_state
receive(void)
{
	return frame_read(&reader, ends[1], FRAME_MAX_BYTES);
}

static void
test_a_frame(void **state UNUSED)
{
	make_frame(SLICE("content"));
	assert_int_equal(receive(), FRAME_PARTIAL);
	assert_int_equal(frame_send(ends[0], &out, &sent), FRAME_WHOLE);
	assert_int_equal(receive(), FRAME_WHOLE);
	assert_int_equal(frame_reader_size(&reader), 7);
	assert_slice(frame_content(&reader), "content");
	frame_reader_reset(&reader);
	assert_int_equal(frame_reader_size(&reader), 0);
	assert_int_equal(receive(), FRAME_PARTIAL);
}

static void
test_an_empty_frame(void **state UNUSED)
{
	make_frame(SLICE(""));
	send_part(0, out.size);
	assert_int_equal(receive(), FRAME_WHOLE);
	assert_slice(frame_content(&reader), "");
}

static void
test_byte_by_byte(void **state UNUSED)
{
	make_frame(SLICE("content"));
	for (size_t i = 0; i < out.size; i++) {
		assert_int_equal(receive(), FRAME_PARTIAL);
		assert_int_equal(frame_reader_size(&reader), i < 4 ? 0 : 7);
		send_part(i, i + 1);
	}
	assert_int_equal(receive(), FRAME_WHOLE);
	assert_slice(frame_content(&reader), "content");
}

static struct slice
large_content(void)
{
	static char bytes[LARGE];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i % 251);
	return (struct slice){ bytes, sizeof(bytes) };
}

/* The rest is sent when the socket accepts more; memory is freed. */
static void
test_a_large_frame(void **state UNUSED)
{
	enum frame_state state_sent, state_read;
	make_frame(large_content());
	assert_int_equal(frame_send(ends[0], &out, &sent), FRAME_PARTIAL);
	assert_true(sent > 0 && sent < out.size);
	do {
		state_read = receive();
		state_sent = frame_send(ends[0], &out, &sent);
	} while (state_read == FRAME_PARTIAL);
	assert_int_equal(state_sent, FRAME_WHOLE);
	assert_int_equal(state_read, FRAME_WHOLE);
	assert_true(slice_equal(frame_content(&reader), large_content()));
	frame_reader_reset(&reader);
	frame_clear(&out);
	assert_int_equal(reader.bytes.capacity, 0);
	assert_int_equal(out.capacity, 0);
}

/* The frame is read to its end, so that an answer can follow, and is dropped. */
static void
test_a_frame_without_room(void **state UNUSED)
{
	enum frame_state got;
	make_frame(large_content());
	do {
		(void)!frame_send(ends[0], &out, &sent);
		got = frame_read(&reader, ends[1], LARGE - 1);
		assert_true(reader.bytes.capacity < 4096);
		assert_int_equal(frame_reader_size(&reader), 0);
	} while (got == FRAME_PARTIAL);
	assert_int_equal(got, FRAME_DROPPED);
	frame_reader_reset(&reader);
	make_frame(SLICE("next"));
	send_part(0, out.size);
	assert_int_equal(frame_read(&reader, ends[1], 4), FRAME_WHOLE);
	assert_slice(frame_content(&reader), "next");
}

static void
test_invalid_frames(void **state UNUSED)
{
	uint32_t size = FRAME_MAX_BYTES + 1;
	assert_int_equal(send(ends[0], &size, sizeof(size), 0), sizeof(size));
	assert_int_equal(receive(), FRAME_BROKEN);
	frame_reader_reset(&reader);
	make_frame(SLICE("one"));
	buffer_add(&out, SLICE("!"));
	send_part(0, out.size);
	assert_int_equal(receive(), FRAME_BROKEN);
}

static void
test_ends(void **state UNUSED)
{
	make_frame(SLICE("content"));
	send_part(0, out.size - 1);
	close_end(0);
	assert_int_equal(receive(), FRAME_ENDED);
	assert_int_equal(frame_send(ends[1], &out, &sent), FRAME_BROKEN);
}

/* unix(7) on Linux: closing with unread data is reported to the peer. */
static void
test_a_peer_that_has_not_read_all(void **state UNUSED)
{
	make_frame(SLICE("content"));
	assert_int_equal(frame_send(ends[1], &out, &sent), FRAME_WHOLE);
	close_end(0);
	assert_int_equal(receive(), FRAME_LOST);
}

static void
test_a_frame_over_the_cap_is_not_made(void **state UNUSED)
{
	struct slice content = large_content();
	frame_begin(&out);
	for (size_t size = 0; size <= FRAME_MAX_BYTES; size += content.size)
		buffer_add(&out, content);
	assert_false(frame_end(&out));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_frame, begin, end),
		cmocka_unit_test_setup_teardown(test_an_empty_frame, begin, end),
		cmocka_unit_test_setup_teardown(test_byte_by_byte, begin, end),
		cmocka_unit_test_setup_teardown(test_a_large_frame, begin, end),
		cmocka_unit_test_setup_teardown(test_a_frame_without_room, begin, end),
		cmocka_unit_test_setup_teardown(test_invalid_frames, begin, end),
		cmocka_unit_test_setup_teardown(test_ends, begin, end),
		cmocka_unit_test_setup_teardown(test_a_peer_that_has_not_read_all, begin, end),
		cmocka_unit_test_setup_teardown(test_a_frame_over_the_cap_is_not_made, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
