/* SPDX-License-Identifier: MIT
 * The texts and looks of a campaign's pages (docs/pages.md). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "admin/commands.h"
#include "page/looks.h"
#include "store/operator/admin.h"
#include "store/texts/campaign_texts.h"

/* Consents are stored once more under their version, and stay: `consent_version` of a lead shows later what it agreed to. */
#define CONSENT_PREFIX "page.consent."

enum { FILE_MAX_BYTES = 64 * 1024 };

/* A copy with LF for CR LF. */
static struct slice
unix_lines(struct pool *pool, struct slice text)
{
	char *copy = pool_bytes(pool, text.size);
	size_t size = 0;
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] != '\r' || i + 1 == text.size || text.data[i + 1] != '\n')
			copy[size++] = text.data[i];
	return (struct slice){ copy, size };
}

/* Reads all of a file. Returns EX_OK, or a status after reporting the error. */
static int
read_file(const struct admin_call *call, const char *path, struct slice *text)
{
	char bytes[FILE_MAX_BYTES + 1];
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return admin_fail(call, EX_NOINPUT, "%s: %s", path, strerror(errno));
	const size_t size = fread(bytes, 1, sizeof(bytes), file);
	const bool failed = ferror(file) != 0;
	fclose(file);
	if (failed)
		return admin_fail(call, EX_IOERR, "%s cannot be read", path);
	if (size > FILE_MAX_BYTES)
		return admin_fail(call, EX_DATAERR, "%s is larger than %d bytes", path, FILE_MAX_BYTES);
	*text = slice_trim(unix_lines(call->pool, (struct slice){ bytes, size }));
	return EX_OK;
}

static int
read_language(const struct admin_call *call, struct slice *code)
{
	enum text_language language;
	const char *given = call->options[OPTION_LANGUAGE];
	*code = SLICE("");
	if (given == NULL)
		return EX_OK;
	if (!text_language_parse(slice_of(given), &language)) {
		struct slice codes = SLICE("");
		for (unsigned i = 0; i < TEXT_LANGUAGES; i++)
			codes = POOL_JOIN(call->pool, codes, SLICE(" "), text_language_code((enum text_language)i));
		return admin_fail(call, EX_DATAERR, "--language must be one of%.*s", SLICE_ARGS(codes));
	}
	*code = text_language_code(language);
	return EX_OK;
}

/* One operand, NAME=VALUE. An absent value removes the text. */
static int
read_change(const struct admin_call *call, struct slice operand, struct slice language, struct campaign_text *change)
{
	enum look look;
	struct slice problem;
	const size_t equals = slice_find(operand, '=');
	const struct slice name = slice_sub(operand, 0, equals);
	struct slice value = slice_sub(operand, equals + 1, operand.size);
	if (equals == operand.size || !look_find(name, &look))
		return admin_fail(
		    call, EX_USAGE, "\"%.*s\" is no NAME=VALUE with one of the names in leadhook(1)", SLICE_ARGS(operand));
	if (language.size > 0 && !look_has_language(look))
		return admin_fail(call, EX_DATAERR, "%s is the same for every language: without --language", look_name(look));
	if (slice_starts_with(value, SLICE("@"))) {
		const int status = read_file(call, pool_string(call->pool, slice_sub(value, 1, value.size)), &value);
		if (status != EX_OK)
			return status;
	}
	if (value.size > 0 && !look_check(call->pool, look, value, &problem))
		return admin_fail(call, EX_DATAERR, "%s %.*s", look_name(look), SLICE_ARGS(problem));
	*change = (struct campaign_text){
		.name = POOL_JOIN(call->pool, SLICE(LOOK_PREFIX), name),
		.language = language,
		.value = value.size > 0 ? value : SLICE_NONE,
	};
	return EX_OK;
}

/* The row that documents a consent; a change that is none sets nothing. */
static bool
note_consent(const struct admin_call *call, const struct campaign_text *change, struct campaign_text *note)
{
	struct looks looks = { 0 };
	if (!slice_equal(change->name, SLICE("page.consent")) || !slice_present(change->value))
		return false;
	looks.values[LOOK_CONSENT] = change->value;
	*note = (struct campaign_text){
		.name = POOL_JOIN(call->pool, SLICE(CONSENT_PREFIX), looks_consent_version(call->pool, &looks)),
		.language = SLICE(""),
		.value = change->value,
	};
	return true;
}

/* The colours are those of all languages. */
static bool
is_readable(void *context, struct pool *pool, const struct campaign_text *texts, size_t count)
{
	const struct admin_call *call = context;
	struct looks looks = { 0 };
	struct slice problem;
	for (size_t i = 0; i < count; i++)
		look_add(&looks, TEXT_LANGUAGE_DEFAULT, texts[i].name, texts[i].language, texts[i].value);
	if (looks_are_readable(pool, &looks, &problem))
		return true;
	admin_fail(call, EX_DATAERR, "%.*s", SLICE_ARGS(problem));
	return false;
}

int
admin_page_set(struct admin_call *call)
{
	struct slice language;
	struct campaign_text *changes = POOL_ARRAY(call->pool, 2 * call->operand_count, struct campaign_text);
	size_t count = 0;
	int status = read_language(call, &language);
	for (size_t i = 1; i < call->operand_count && status == EX_OK; i++) {
		status = read_change(call, slice_of(call->operands[i]), language, &changes[count]);
		if (status == EX_OK && note_consent(call, &changes[count], &changes[count + 1]))
			count++;
		count++;
	}
	if (status != EX_OK)
		return status;
	const enum result result =
	    store_change_texts(call->store, call->id, SLICE(LOOK_PREFIX), changes, count, is_readable, call);
	if (result == RESULT_INVALID)
		return EX_DATAERR; /* already reported */
	return result == RESULT_OK ? admin_page_show(call) : admin_answer(call, result);
}

int
admin_page_show(struct admin_call *call)
{
	struct campaign campaign;
	struct campaign_text *texts;
	size_t count;
	int64_t now_ms;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result == RESULT_OK)
		result = store_read_texts(call->store, call->pool, call->id, SLICE(LOOK_PREFIX), &texts, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++) {
		output_record(call->output);
		output_text(call->output, "name", slice_sub(texts[i].name, sizeof(LOOK_PREFIX) - 1, texts[i].name.size));
		output_text(call->output, "language", texts[i].language.size > 0 ? texts[i].language : SLICE_NONE);
		output_text(call->output, "value", texts[i].value);
	}
	return EX_OK;
}
