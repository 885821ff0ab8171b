/* SPDX-License-Identifier: MIT */
#include "deliver/texts/gateway.h"

#include <string.h>

#include "base/buffer.h"
#include "base/duration.h"
#include "base/encode.h"
#include "identity/phone.h"
#include "json/writer.h"

enum { BODY_MAX_BYTES = 16 * 1024 };

static bool
lists_calling_code(const struct text_gateway *gateway, struct slice number)
{
	struct slice rest = gateway->calling_codes, code;
	const struct slice digits = slice_sub(number, 1, number.size);
	while (slice_next_item(&rest, &code))
		if (slice_starts_with(digits, code))
			return true;
	return false;
}

struct slice
gateway_refusal(const struct text_gateway *gateway, struct slice number)
{
	if (!lists_calling_code(gateway, number))
		return SLICE("calling_code");
	const enum phone_kind kind = phone_kind_of(number);
	if (kind == PHONE_SPECIAL_RATE)
		return SLICE("special_rate");
	return gateway->any_number || kind == PHONE_MAY_BE_MOBILE ? SLICE_NONE : SLICE("not_mobile");
}

/* ---- requests ---- */

static void
add_escaped(struct buffer *out, enum gateway_format format, struct slice value)
{
	struct json_writer writer;
	struct buffer quoted;
	if (format != GATEWAY_JSON) {
		encode_percent(out, value);
		return;
	}
	buffer_init(&quoted, BODY_MAX_BYTES);
	json_writer_init(&writer, &quoted);
	json_string(&writer, value);
	buffer_add(out, slice_sub(buffer_slice(&quoted), 1, quoted.size - 1)); /* the template already has the quotes */
	buffer_free(&quoted);
}

static struct slice
fill_body(struct pool *pool, const struct text_gateway *gateway, struct slice number, struct slice text)
{
	const struct {
		struct slice name, value;
	} values[] = { { SLICE("{to}"), number }, { SLICE("{text}"), text } };
	struct slice rest = gateway->body;
	struct buffer out;
	buffer_init(&out, BODY_MAX_BYTES);
	while (rest.size > 0) {
		size_t taken = 1;
		for (size_t i = 0; i < ARRAY_SIZE(values) && taken == 1; i++)
			if (slice_starts_with(rest, values[i].name)) {
				taken = values[i].name.size;
				add_escaped(&out, gateway->format, values[i].value);
			}
		if (taken == 1)
			buffer_add_byte(&out, rest.data[0]);
		rest = slice_sub(rest, taken, rest.size);
	}
	const struct slice body = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return body;
}

void
gateway_request(
    struct pool *pool, const struct text_gateway *gateway, struct slice number, struct slice text, struct attempt *attempt)
{
	static const struct slice types[] = {
		[GATEWAY_FORM] = SLICE("Content-Type: application/x-www-form-urlencoded"),
		[GATEWAY_JSON] = SLICE("Content-Type: application/json"),
	};
	struct slice *headers = POOL_ARRAY(pool, GATEWAY_HEADERS + 1, struct slice);
	const struct slice body = fill_body(pool, gateway, number, text);
	*attempt = (struct attempt){ .url = gateway->url, .headers = headers };
	if (gateway->format == GATEWAY_QUERY) {
		attempt->by_get = true;
		attempt->url =
		    pool_printf(pool, "%s%c%.*s", gateway->url, strchr(gateway->url, '?') == NULL ? '?' : '&', SLICE_ARGS(body))
			.data;
	} else {
		headers[attempt->header_count++] = types[gateway->format];
		attempt->body = body;
	}
	for (size_t i = 0; i < GATEWAY_HEADERS; i++)
		if (*gateway->headers[i] != '\0')
			headers[attempt->header_count++] = slice_of(gateway->headers[i]);
}

/* ---- answers ---- */

static bool
lists_status(struct slice list, int status)
{
	struct slice item;
	uint64_t listed;
	while (slice_next_item(&list, &item))
		if (slice_to_u64(item, 999, &listed) && listed == (uint64_t)status)
			return true;
	return false;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Whether the text begins with `wanted`, ignoring blanks. */
static bool
begins_with(struct slice text, struct slice wanted)
{
	size_t at = 0;
	for (size_t i = 0; i < wanted.size; i++) {
		if (is_blank(wanted.data[i]))
			continue;
		while (at < text.size && is_blank(text.data[at]))
			at++;
		if (at == text.size || text.data[at++] != wanted.data[i])
			return false;
	}
	return true;
}

static bool
has_text(struct slice answer, struct slice wanted)
{
	for (size_t i = 0; i <= answer.size; i++)
		if (begins_with(slice_sub(answer, i, answer.size), wanted))
			return true;
	return false;
}

/* True for errors after which the gateway may have the request: a TLS alert, for example, can come before or after it. */
static bool
may_have_arrived(const struct attempt_result *result)
{
	const enum sender_error error = result->error;
	return error == SENDER_TIMEOUT || error == SENDER_CONNECTION_LOST || error == SENDER_BAD_ANSWER ||
	       (result->connected && (error == SENDER_TLS || error == SENDER_INTERNAL));
}

enum gateway_verdict
gateway_judge(const struct text_gateway *gateway, const struct attempt_result *result)
{
	if (result->error != SENDER_OK)
		return may_have_arrived(result) ? GATEWAY_UNKNOWN : GATEWAY_HOLD;
	if (lists_status(gateway->retry_status, result->status))
		return GATEWAY_RETRY;
	return lists_status(gateway->sent_status, result->status) && has_text(result->answer, gateway->sent_text)
		   ? GATEWAY_SENT
		   : GATEWAY_REFUSED;
}

struct slice
gateway_answer(struct pool *pool, struct slice answer, struct slice code)
{
	char *bytes = pool_string(pool, answer);
	/* the stored part of a long answer may end inside the code */
	const size_t ends = answer.size < SENDER_ANSWER_STORED ? answer.size + 1 - code.size : answer.size;
	for (size_t i = 0; code.size > 0 && answer.size >= code.size && i < ends; i++) {
		const size_t size = answer.size - i < code.size ? answer.size - i : code.size;
		if (memcmp(bytes + i, code.data, size) == 0)
			memset(bytes + i, '*', size);
	}
	return (struct slice){ bytes, answer.size };
}

int64_t
gateway_retry_ms(unsigned attempts)
{
	static const int64_t waits[] = { 0, 5 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS };
	return waits[attempts < ARRAY_SIZE(waits) ? attempts : ARRAY_SIZE(waits) - 1];
}
