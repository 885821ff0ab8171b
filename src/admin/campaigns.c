/* SPDX-License-Identifier: MIT
 * Campaigns and their settings. */
#include <string.h>
#include <sysexits.h>

#include "admin/commands.h"
#include "base/clock.h"
#include "store/admin.h"

enum { URL_BYTES_MAX = 2048, SETTINGS_MAX_BYTES = 4096 };

/* Puts the value at `place`; false when the text means none. */
typedef bool setting_reader(struct slice text, void *place);

static bool
read_name(struct slice text, void *place)
{
	*(struct slice *)place = text;
	return admin_is_name(text);
}

/* Empty: none. */
static bool
read_url(struct slice text, void *place)
{
	*(struct slice *)place = text.size == 0 ? SLICE_NONE : text;
	return text.size == 0 || (text.size <= URL_BYTES_MAX && slice_find(text, ' ') == text.size &&
				     (slice_starts_with(text, SLICE("http://")) || slice_starts_with(text, SLICE("https://"))));
}

/* Empty: none. */
static bool
read_time(struct slice text, void *place)
{
	*(int64_t *)place = -1;
	return text.size == 0 || clock_parse_rfc3339(text, place);
}

static bool
read_count(struct slice text, void *place)
{
	uint64_t number;
	if (!slice_to_u64(text, UINT32_MAX, &number))
		return false;
	*(uint32_t *)place = (uint32_t)number;
	return true;
}

/* contract.md 1 and 4.6. */
static bool
read_switch(struct slice text, void *place)
{
	static const char *const words[] = { "off", "on", "no", "yes", "false", "true", "0", "1" };
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (slice_equal(text, slice_of(words[i]))) {
			*(bool *)place = i % 2 == 1;
			return true;
		}
	}
	return false;
}

static const struct {
	const char *name;
	setting_reader *read;
	size_t offset;
	const char *expected;
} setting_table[] = {
	{ "name", read_name, offsetof(struct campaign_settings, name), "1 to 200 characters" },
	{ "ends_at", read_time, offsetof(struct campaign_settings, ends_ms), "a date, a time as in RFC 3339, or nothing" },
	{ "jump_start", read_count, offsetof(struct campaign_settings, jump_start), "a number from 0 to 4294967295" },
	{ "privacy", read_switch, offsetof(struct campaign_settings, privacy), "on or off" },
	{ "require_key", read_switch, offsetof(struct campaign_settings, require_key), "on or off" },
	{ "landing_url", read_url, offsetof(struct campaign_settings, landing_url), "an http or https URL, or nothing" },
	{ "thankyou_url", read_url, offsetof(struct campaign_settings, thankyou_url), "an http or https URL, or nothing" },
	{ "status_url", read_url, offsetof(struct campaign_settings, status_url), "an http or https URL, or nothing" },
};

static const char no_campaign[] = "there is no such campaign";

void
admin_campaign_settings(FILE *out)
{
	fputs("Settings:\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(setting_table); i++)
		fprintf(out, "  %-22s%s\n", setting_table[i].name, setting_table[i].expected);
	fputc('\n', out);
}

static void
fail_unknown_setting(const struct admin_call *call, struct slice name)
{
	struct buffer all;
	buffer_init(&all, SETTINGS_MAX_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(setting_table); i++)
		buffer_printf(&all, "%s%s (%s)", i == 0 ? "" : ", ", setting_table[i].name, setting_table[i].expected);
	admin_fail(call, EX_DATAERR, "%.*s is no setting of a campaign; there are: %.*s", SLICE_ARGS(name),
	    SLICE_ARGS(buffer_slice(&all)));
	buffer_free(&all);
}

/* "setting=value"; false when it is wrong: told already. */
static bool
apply_setting(const struct admin_call *call, struct slice text, struct campaign_settings *settings)
{
	size_t equals = slice_find(text, '=');
	struct slice name = slice_sub(text, 0, equals), value = slice_sub(text, equals + 1, text.size);
	for (size_t i = 0; i < ARRAY_SIZE(setting_table); i++) {
		if (!slice_equal(name, slice_of(setting_table[i].name)))
			continue;
		if (equals < text.size && setting_table[i].read(value, (char *)settings + setting_table[i].offset))
			return true;
		admin_fail(call, EX_DATAERR, "%s=: expected %s", setting_table[i].name, setting_table[i].expected);
		return false;
	}
	fail_unknown_setting(call, name);
	return false;
}

/* The operands from `first` on. */
static bool
apply_settings(const struct admin_call *call, size_t first, struct campaign_settings *settings)
{
	for (size_t i = first; i < call->operand_count; i++)
		if (!apply_setting(call, slice_of(call->operands[i]), settings))
			return false;
	return true;
}

static bool
edit_settings(void *context, struct campaign_settings *settings)
{
	return apply_settings(context, 1, settings);
}

int
admin_campaign_add(struct admin_call *call)
{
	struct campaign_settings settings = { .name = slice_of(call->operands[1]), .ends_ms = -1, .privacy = true };
	uint64_t account_id, id;
	if (!admin_id(call, call->operands[0], "account", &account_id) || !admin_name(call, settings.name) ||
	    !apply_settings(call, 2, &settings))
		return EX_DATAERR;
	enum result result = store_add_campaign(call->store, account_id, &settings, &id);
	if (result != RESULT_OK)
		return admin_finish(call, result, "there is no such account");
	output_record(call->output);
	output_u64(call->output, "id", id);
	output_text(call->output, "name", settings.name);
	return EX_OK;
}

/* What GET /v2/campaigns says of each (contract.md 4.1), and whose it is. */
static void
add_summary(struct output *output, const struct campaign *campaign, int64_t now_ms)
{
	output_record(output);
	output_u64(output, "id", campaign->id);
	output_text(output, "name", campaign->name);
	output_u64(output, "lead_count", (uint64_t)campaign->lead_count + campaign->jump_start);
	output_text(output, "state", campaign_has_ended(campaign, now_ms) ? SLICE("ended") : SLICE("active"));
	output_time(output, "created_at", campaign->created_ms);
	output_u64(output, "account_id", campaign->account_id);
}

int
admin_campaign_list(struct admin_call *call)
{
	struct campaign *campaigns;
	size_t count;
	uint64_t account_id = 0;
	int64_t now_ms;
	if (call->operand_count > 0 && !admin_id(call, call->operands[0], "account", &account_id))
		return EX_DATAERR;
	enum result result = account_id == 0 ? RESULT_OK : store_find_account(call->store, account_id);
	if (result == RESULT_OK)
		result = store_list_campaigns(call->store, call->pool, account_id, &campaigns, &count, &now_ms);
	if (result != RESULT_OK)
		return admin_finish(call, result, "there is no such account");
	for (size_t i = 0; i < count; i++)
		add_summary(call->output, &campaigns[i], now_ms);
	return EX_OK;
}

/* The campaign that the first operand names: 0, or a status, told already. */
static int
find_campaign(struct admin_call *call, struct campaign *campaign, int64_t *now_ms)
{
	uint64_t id;
	if (!admin_id(call, call->operands[0], "campaign", &id))
		return EX_DATAERR;
	return admin_finish(call, store_find_campaign(call->store, call->pool, id, campaign, now_ms), no_campaign);
}

int
admin_campaign_show(struct admin_call *call)
{
	struct campaign campaign;
	int64_t now_ms;
	int status = find_campaign(call, &campaign, &now_ms);
	if (status != EX_OK)
		return status;
	add_summary(call->output, &campaign, now_ms);
	output_time(call->output, "ended_at", campaign.ended_ms);
	output_time(call->output, "ends_at", campaign.ends_ms);
	output_u64(call->output, "jump_start", campaign.jump_start);
	output_boolean(call->output, "privacy", campaign.privacy);
	output_boolean(call->output, "require_key", campaign.require_key);
	output_text(call->output, "landing_url", campaign.landing_url);
	output_text(call->output, "thankyou_url", campaign.thankyou_url);
	output_text(call->output, "status_url", campaign.status_url);
	return EX_OK;
}

int
admin_campaign_set(struct admin_call *call)
{
	uint64_t id;
	if (!admin_id(call, call->operands[0], "campaign", &id))
		return EX_DATAERR;
	enum result result = store_edit_campaign(call->store, id, edit_settings, call);
	if (result == RESULT_INVALID)
		return EX_DATAERR; /* told already */
	int status = admin_finish(call, result, no_campaign);
	return status == EX_OK ? admin_campaign_show(call) : status;
}

static int
end_or_reopen(struct admin_call *call, bool end)
{
	uint64_t id;
	if (!admin_id(call, call->operands[0], "campaign", &id))
		return EX_DATAERR;
	int status = admin_finish(call, store_end_campaign(call->store, id, end), no_campaign);
	return status == EX_OK ? admin_campaign_show(call) : status;
}

int
admin_campaign_end(struct admin_call *call)
{
	return end_or_reopen(call, true);
}

int
admin_campaign_reopen(struct admin_call *call)
{
	return end_or_reopen(call, false);
}
