/* SPDX-License-Identifier: MIT
 * The markup that puts a campaign on pages of other sites (docs/embedding.md). */
#include <inttypes.h>

#include "bots/form_traps.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "engine/visitors.h"
#include "identity/link.h"
#include "operation/operation.h"
#include "operation/value_types.h"
#include "page/html.h"
#include "page/page_assets.h"
#include "page/page_form.h"
#include "store/store.h"
#include "store/texts/campaign_texts.h"
#include "text/text.h"

enum { MARKUP_MAX_BYTES = 1024 * 1024 };

struct campaign_embed {
	bool integrity, markup;
};
static const struct parameter parameters[] = {
	OPTION("integrity", value_on, offsetof(struct campaign_embed, integrity)),
	OPTION("markup", value_on, offsetof(struct campaign_embed, markup)),
};

struct markup {
	struct buffer out;
	struct slice base, id;
	struct page page; /* the fields and texts of the campaign */
	struct page_fields fields;
	struct slice trap; /* name of the honeypot field; absent: there is none */
	bool proves;       /* the script starts its proof of work before the form is sent */
	bool leads_on;     /* leads are sent to a page after their sign-up */
	bool redirects;    /* forms are answered with JSON, so a plain form must request a redirect */
	bool verifies;     /* browsers accept only this version of the script */
};

static struct slice
made(struct operation_call *call, struct markup *markup)
{
	const struct slice text = pool_copy(call->pool, buffer_slice(&markup->out));
	buffer_clear(&markup->out);
	return text;
}

static struct slice
script_of(struct operation_call *call, struct markup *markup)
{
	HTML(&markup->out, "<script src=\"{}/embed/v1/embed.js", markup->base);
	if (markup->verifies)
		HTML(&markup->out, "?v={}\" integrity=\"sha384-{}\" crossorigin=\"anonymous", embed_script.version,
		    base64_encode(call->pool, digest_sha384(call->pool, embed_script.plain)));
	buffer_add(&markup->out, SLICE("\" defer></script>"));
	return made(call, markup);
}

enum form_kind { SCRIPTED_FORM, PLAIN_FORM };

/* The honeypot is hidden by an attribute, because the page's Content-Security-Policy may forbid inline styles. */
static struct slice
form_of(struct operation_call *call, struct markup *markup, enum form_kind kind)
{
	const bool scripted = kind == SCRIPTED_FORM;
	struct buffer *out = &markup->out;
	const struct page *page = &markup->page;
	const struct slice button = page->looks.values[LOOK_BUTTON];
	buffer_add(out, SLICE("<form"));
	if (scripted)
		HTML(out, " data-leadhook=\"{}\"", markup->id);
	if (scripted && markup->proves)
		buffer_add(out, SLICE(" data-proof"));
	if (scripted && markup->leads_on)
		buffer_add(out, SLICE(" data-redirect"));
	HTML(out, " method=\"post\" accept-charset=\"utf-8\" action=\"{}/v1/{}/subscribe\">", markup->base, markup->id);
	if (!scripted && markup->redirects)
		buffer_add(out, SLICE("<input type=\"hidden\" name=\"__answer\" value=\"redirect\">"));
	page_write_embedded_fields(page, &markup->fields);
	if (slice_present(markup->trap))
		HTML(out,
		    " <label hidden aria-hidden=\"true\">{} <input name=\"{}\" tabindex=\"-1\" autocomplete=\"off\"></label>",
		    text_find(page->language, TEXT_LEAVE_EMPTY), markup->trap);
	HTML(
	    out, " <button>{}</button></form>", slice_present(button) ? button : text_find(page->language, TEXT_SIGNUP_BUTTON));
	return made(call, markup);
}

static struct slice
element_of(struct operation_call *call, struct markup *markup, const char *element)
{
	HTML(&markup->out, element, markup->id);
	return made(call, markup);
}

/* The element in which the script builds the form. It contains a link to the hosted page, if there is one, for browsers that do
 * not run the script. */
static struct slice
form_element_of(struct operation_call *call, struct markup *markup, struct slice page)
{
	struct buffer *out = &markup->out;
	const struct slice button = markup->page.looks.values[LOOK_BUTTON];
	HTML(out, "<div data-leadhook-form=\"{}\"", markup->id);
	if (markup->leads_on)
		buffer_add(out, SLICE(" data-redirect"));
	buffer_add_byte(out, '>');
	if (slice_present(page))
		HTML(out, "<a href=\"{}\">{}</a>", page,
		    slice_present(button) ? button : text_find(markup->page.language, TEXT_SIGNUP_BUTTON));
	buffer_add(out, SLICE("</div>"));
	return made(call, markup);
}

/* The hosted page in a frame. The referrer policy lets the hosted page know the address of the page around it. */
static struct slice
frame_of(struct operation_call *call, struct markup *markup, const struct campaign *campaign, struct slice page)
{
	if (!slice_present(page))
		return SLICE_NONE;
	HTML(&markup->out,
	    "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"640\" "
	    "referrerpolicy=\"no-referrer-when-downgrade\"></iframe>",
	    page, campaign->name);
	return made(call, markup);
}

static void
show_markup(struct operation_call *call, const struct campaign *campaign, struct markup *markup)
{
	struct output *output = call->output;
	const struct slice page =
	    campaign->pages ? link_to_page(call->pool, markup->base, campaign->id, SLICE("")) : SLICE_NONE;
	output_record(output);
	output_text(output, "page", page);
	output_text(output, "script", script_of(call, markup));
	output_text(output, "form", form_element_of(call, markup, page));
	output_text(output, "frame", frame_of(call, markup, campaign, page));
	if (ARGUMENTS(call, struct campaign_embed)->markup) {
		output_text(output, "form_markup", form_of(call, markup, SCRIPTED_FORM));
		output_text(output, "plain_form", form_of(call, markup, PLAIN_FORM));
	}
	output_text(output, "status", element_of(call, markup, "<div data-leadhook-status=\"{}\"></div>"));
	output_text(output, "leaderboard", element_of(call, markup, "<div data-leadhook-leaderboard=\"{}\"></div>"));
}

static enum text_language
language_of(const struct campaign *campaign)
{
	enum text_language language;
	return text_language_parse(campaign->language, &language) ? language : TEXT_LANGUAGE_DEFAULT;
}

/* Reads the looks of the campaign's page. */
static enum result
read_looks(struct operation_call *call, struct page *page)
{
	struct campaign_texts texts;
	const enum result result = store_read_texts(call->store, call->pool, call->id, SLICE(LOOK_PREFIX), &texts);
	for (size_t i = 0; i < texts.count; i++)
		look_add(&page->looks, page->language, texts.list[i].name, texts.list[i].language, texts.list[i].value);
	return result;
}

static int
run_campaign_embed(struct operation_call *call)
{
	struct campaign campaign;
	const struct payload_settings *settings;
	struct page_form form;
	struct slice problem;
	char trap[HONEYPOT_NAME_SIZE];
	enum result result = operation_find_campaign(call, &campaign);
	if (result == RESULT_OK)
		result = store_payload_settings(call->store, &settings);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (settings->base_url.size == 0)
		return operation_fail(
		    call, PROBLEM_CONFIG, "server.base_url is not set: pages need the address of the service");
	struct markup markup = {
		.base = settings->base_url,
		.id = pool_printf(call->pool, "%" PRIu64, campaign.id),
		.page = { .pool = call->pool, .language = language_of(&campaign) },
		.proves = campaign.bots == BOTS_PROOF || campaign.bots == BOTS_PROOF_OR_CONFIRM,
		.leads_on = slice_present(campaign.thankyou_url),
		.redirects = campaign.form_answer == FORM_ANSWER_JSON,
		.verifies = ARGUMENTS(call, struct campaign_embed)->integrity,
	};
	if (campaign.bots != BOTS_OFF)
		markup.trap = honeypot_name(trap, settings->server_secret, campaign.id);
	result = read_looks(call, &markup.page);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (!page_form_begin(&markup.page, &markup.fields, &form, &problem))
		return operation_fail(call, PROBLEM_INVALID, "%s %.*s", look_name(LOOK_FIELDS), SLICE_ARGS(problem));
	markup.page.out = &markup.out;
	buffer_init(&markup.out, MARKUP_MAX_BYTES);
	show_markup(call, &campaign, &markup);
	buffer_free(&markup.out);
	return EX_OK;
}

OPERATION(campaign_embed, "campaign embed", "CAMPAIGN [--integrity] [--markup]", "show what a page needs for a campaign",
    run_campaign_embed, .subject = &subject_campaign, PARAMETERS(parameters, struct campaign_embed),
    HTTP(GET, "campaigns/{campaign}/embed", RIGHT_STATS | RIGHT_MANAGE));
