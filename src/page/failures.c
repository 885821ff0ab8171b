/* SPDX-License-Identifier: MIT */
#include "page/failures.h"

#include "base/attributes.h"

static const struct {
	enum failure failure;
	enum text_key text;
} texts[] = {
	{ FAILURE_MISSING_EMAIL_AND_PHONE, TEXT_ERROR_MISSING_IDENTIFIER },
	{ FAILURE_INVALID_EMAIL, TEXT_ERROR_INVALID_EMAIL },
	{ FAILURE_INVALID_PHONE_NUMBER, TEXT_ERROR_INVALID_PHONE_NUMBER },
	{ FAILURE_CONFLICTING_IDENTIFIERS, TEXT_ERROR_CONFLICTING_IDENTIFIERS },
	{ FAILURE_INVALID_PARAMETER, TEXT_ERROR_INVALID_PARAMETER },
	{ FAILURE_PROOF_REQUIRED, TEXT_ERROR_PROOF },
	{ FAILURE_PROOF_INVALID, TEXT_ERROR_PROOF },
	{ FAILURE_BODY_TOO_LARGE, TEXT_ERROR_BODY_TOO_LARGE },
	{ FAILURE_CAMPAIGN_ENDED, TEXT_ERROR_CAMPAIGN_ENDED },
	{ FAILURE_RATE_LIMITED, TEXT_ERROR_RATE_LIMITED },
	{ FAILURE_INTERNAL, TEXT_ERROR_UNAVAILABLE },
	{ FAILURE_UNAVAILABLE, TEXT_ERROR_UNAVAILABLE },
};

enum text_key
page_failure_text(enum failure failure)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].failure == failure)
			return texts[i].text;
	return failure_info(failure)->status == 404 ? TEXT_ERROR_NOT_FOUND : TEXT_ERROR_IMPOSSIBLE;
}

void
page_write_failures(struct json_writer *writer, enum text_language language)
{
	json_begin_object(writer);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		json_put_text(writer, slice_of(failure_info(texts[i].failure)->code), text_find(language, texts[i].text));
	json_end_object(writer);
}

bool
page_failure_is_about_values(enum failure failure)
{
	const int status = failure_info(failure)->status;
	return status == 406 || status == 422;
}

enum text_key
page_failure_title(enum failure failure)
{
	const int status = failure_info(failure)->status;
	if (failure == FAILURE_CAMPAIGN_ENDED)
		return TEXT_ENDED_TITLE;
	return status == 404                    ? TEXT_ERROR_TITLE_LINK
	       : status >= 500 || status == 429 ? TEXT_ERROR_TITLE_LATER
						: TEXT_ERROR_TITLE_OTHER;
}
