/* SPDX-License-Identifier: MIT
 * docs/pages.md: what the pages show. Their markup is tested in browsers. Modules: page. */
#include "unit.h"

#include <string.h>

#include "base/attributes.h"
#include "page/failures.h"
#include "page/message_page.h"
#include "page/page_assets.h"
#include "page/page_preview.h"
#include "page/status.h"
#include "with_pool.h"

enum { PAGE_MAX_BYTES = 256 * 1024, ALL_MAX_BYTES = 30000 };

static struct buffer out;
static struct page page;

static int
open_page(void **state)
{
	begin(state);
	buffer_init(&out, PAGE_MAX_BYTES);
	page = (struct page){ .pool = pool,
		.out = &out,
		.base_url = SLICE("https://go.example/lead"),
		.root = SLICE("/lead"),
		.campaign_id = 7,
		.campaign_name = SLICE("Lumen <b>") };
	return 0;
}

static int
close_page(void **state)
{
	buffer_free(&out);
	return end(state);
}

/* The page that was written. The next page replaces it. */
static const char *
written(void)
{
	assert_true(buffer_ok(&out));
	const char *text = pool_string(pool, buffer_slice(&out));
	buffer_clear(&out);
	return text;
}

static size_t
count_of(const char *text, const char *word)
{
	size_t count = 0;
	for (; (text = strstr(text, word)) != NULL; text += strlen(word))
		count++;
	return count;
}

static void
texts_are_escaped(void **state UNUSED)
{
	html_text(&out, SLICE("a<b>&\"'c"));
	assert_string_equal(written(), "a&#60;b&#62;&#38;&#34;&#39;c");
	HTML(&out, "<p class=\"{}\">{}</p>", SLICE("\""), SLICE_NONE);
	assert_string_equal(written(), "<p class=\"&#34;\"></p>");
	html_paragraphs(&out, SLICE("\n one\ntwo \n \n\n<three>\n"), " class=\"x\"");
	assert_string_equal(written(), "<p class=\"x\">one<br>two</p>\n<p class=\"x\">&#60;three&#62;</p>\n");
	html_paragraphs(&out, SLICE(" \n"), "");
	assert_string_equal(written(), "");
}

static const struct page_fields *
fields_of(const char *text)
{
	static struct page_fields fields;
	struct slice problem;
	assert_true(page_fields_parse(pool, slice_of(text), &fields, &problem));
	return &fields;
}

static void
the_form_has_its_fields(void **state UNUSED)
{
	const struct page_hidden hidden = { SLICE("kid"), SLICE("ABC\"") };
	const struct page_form form = {
		.action = SLICE("/lead/c/7"),
		.fields = fields_of("email; first_name; plan select: Plan = A|<B>; gift checkbox: Gift; about textarea: About"),
		.hidden = &hidden,
		.hidden_count = 1,
		.honeypot = SLICE("lh_x"),
	};
	page.looks.values[LOOK_CONSENT] = SLICE("I <agree>");
	page_write_signup(&page, &form);
	const char *text = written();
	static const char *const parts[] = {
		"<html lang=\"en\" dir=\"ltr\">",
		"<title>Sign up for Lumen &#60;b&#62;</title>",
		"<meta property=\"og:url\" content=\"https://go.example/lead/c/7\">",
		"href=\"/lead/c/style/page.css?v=",
		"<form class=\"card\" method=\"post\" action=\"/lead/c/7\" data-busy=\"One moment …\">",
		"<input type=\"text\" id=\"f-email\" name=\"email\" autocomplete=\"email\" inputmode=\"email\"",
		"<label for=\"f-first_name\">First name <span class=\"optional\">(optional)</span></label>",
		"<option value=\"&#60;B&#62;\">&#60;B&#62;</option>",
		"<input type=\"checkbox\" id=\"f-gift\" name=\"gift\" value=\"yes\">",
		"<textarea id=\"f-about\" name=\"about\" rows=\"4\">\n</textarea>",
		"name=\"consent\" value=\"yes\" required>",
		"I &#60;agree&#62;",
		"<input type=\"hidden\" name=\"kid\" value=\"ABC&#34;\">",
		"name=\"lh_x\" tabindex=\"-1\" autocomplete=\"off\"",
	};
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(text, parts[i]) == NULL)
			fail_msg("%s is not in %s", parts[i], text);
	assert_null(strstr(text, "noindex"));
	assert_null(strstr(text, "autofocus"));
	assert_null(strstr(text, "style.css")); /* the campaign has no style */
}

static void
errors_belong_to_fields(void **state UNUSED)
{
	struct page_form form = { .action = SLICE("/lead/c/7"),
		.fields = fields_of("email; age number: Age; plan required: Plan") };
	form.values[0] = SLICE("ada@<");
	form.values[1] = SLICE("old");
	page.looks.values[LOOK_CONSENT] = SLICE("I agree");
	assert_false(page_form_judge(&page, &form));
	page_write_signup(&page, &form);
	const char *text = written();
	static const char *const parts[] = { "<title>Error: Sign up", "role=\"alert\"", "href=\"#f-email\"", "href=\"#f-age\"",
		"href=\"#f-plan\"", "href=\"#f-consent\"", "id=\"e-age\"", "aria-describedby=\"e-age\"", "Fill in “Plan”",
		"value=\"ada@&#60;\"", "value=\"old\"", "aria-describedby=\"e-consent\"" };
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(text, parts[i]) == NULL)
			fail_msg("%s is not in %s", parts[i], text);
	assert_int_equal(count_of(text, "autofocus"), 1);
	assert_int_equal(count_of(text, "aria-invalid"), 4);
}

static void
failures_of_the_sign_up_are_shown(void **state UNUSED)
{
	struct page_form form = { .action = SLICE("/"), .fields = fields_of("email; phone_number") };
	form.failure = FAILURE_INVALID_PHONE_NUMBER;
	page_write_signup(&page, &form);
	const char *text = written();
	assert_int_equal(count_of(text, "aria-invalid"), 1);
	assert_non_null(strstr(text, "aria-describedby=\"e-phone_number\""));
	form.failure = FAILURE_RATE_LIMITED;
	page_write_failed_form(&page, &form);
	text = written();
	assert_int_equal(count_of(text, "aria-invalid"), 0);
	assert_non_null(
	    strstr(text, "<li>There were too many attempts from your network. Please wait 10 seconds, then try again.</li>"));
	/* the time to wait is shown, and the other errors are also shown */
	struct page later = page;
	const struct {
		unsigned s;
		const char *words;
	} waits[] = { { 1, "wait 10 seconds," }, { 11, "wait 20 seconds," }, { 90, "wait 90 seconds," },
		{ 91, "wait 2 minutes," }, { 540, "wait 9 minutes," }, { 86400, "wait 1,440 minutes," } };
	form.verdicts[0] = PAGE_VALUE_INVALID;
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		later.wait_s = waits[i].s;
		page_write_signup(&later, &form);
		text = written();
		assert_int_equal(count_of(text, "aria-invalid"), 1);
		assert_non_null(strstr(text, waits[i].words));
	}
}

/* Every failure has a text that fits its kind. */
static void
every_failure_has_a_page(void **state UNUSED)
{
	for (unsigned failure = FAILURE_NONE + 1; failure <= FAILURE_UNAVAILABLE; failure++) {
		assert_true(slice_present(page_text(&page, page_failure_text((enum failure)failure))));
		assert_true(slice_present(page_text(&page, page_failure_title((enum failure)failure))));
	}
	assert_int_equal(page_failure_text(FAILURE_LEAD_NOT_FOUND), TEXT_ERROR_NOT_FOUND);
	assert_int_equal(page_failure_title(FAILURE_CAMPAIGN_ENDED), TEXT_ENDED_TITLE);
}

/* ---- status ---- */

#define PAYLOAD                                                                                                                \
	"{\"id\":1,\"social_id\":\"8K3ZQ1AAAA\",\"lead_count\":1204,\"contest_score\":7,\"contest_score_rank\":12,"            \
	"\"first_name\":\"A<d>a\",\"verified\":false,\"social_url\":\"https://shop.example/?a=b&kid=8K3ZQ1AAAA\",\"email\":"   \
	"\"ada@example.org\",\"phone_number\":null,\"custom_fields\":{\"first_name\":\"inner\",\"list\":[{\"email\":\"x\"}]}," \
	"\"referrals\":3}"
#define BOARD                                                                                                                 \
	"{\"leaders\":[{\"rank\":1,\"social_id\":\"AAAAAAAAAA\",\"display_name\":\"Gr<a>ce\",\"contest_score\":23}],\"me\":{" \
	"\"rank\":12,\"social_id\":\"8K3ZQ1AAAA\",\"display_name\":\"a***\",\"contest_score\":7}}"

static void
payloads_are_read(void **state UNUSED)
{
	struct page_lead lead;
	assert_true(page_lead_read(pool, SLICE(PAYLOAD), &lead));
	assert_slice(lead.social_id, "8K3ZQ1AAAA");
	assert_slice(lead.first_name, "A<d>a");
	assert_slice(lead.email, "ada@example.org");
	assert_false(slice_present(lead.phone_number));
	assert_true(lead.rank == 12 && lead.leads == 1204 && lead.score == 7 && lead.referrals == 3 && !lead.verified);
	assert_false(page_lead_read(pool, SLICE("[]"), &lead));
	assert_false(page_lead_read(pool, SLICE("{}"), &lead));
	assert_false(page_lead_read(pool, SLICE("{\"social_id\":"), &lead));
}

/* docs/api.md 1.3: a lead with as many custom field values as the largest `limits.custom_fields_bytes` allows. */
static void
leads_with_many_values_are_read(void **state UNUSED)
{
	enum { VALUES = 32700 };
	struct page_lead lead;
	struct buffer payload;
	buffer_init(&payload, 3 * VALUES);
	buffer_add_text(&payload, "{\"custom_fields\":{\"a\":[1");
	for (unsigned i = 1; i < VALUES; i++)
		buffer_add_text(&payload, ",1");
	buffer_add_text(&payload, "]},\"social_id\":\"8K3ZQ1AAAA\"}");
	assert_true(page_lead_read(pool, buffer_slice(&payload), &lead));
	assert_slice(lead.social_id, "8K3ZQ1AAAA");
	buffer_free(&payload);
}

static void
boards_have_the_lead_once(void **state UNUSED)
{
	struct page_board board;
	assert_true(page_board_read(pool, SLICE(BOARD), &board));
	assert_int_equal(board.count, 2);
	assert_slice(board.leaders[0].name, "Gr<a>ce");
	assert_true(board.leaders[1].rank == 12 && board.leaders[1].score == 7);
	assert_true(page_board_read(pool,
	    SLICE("{\"leaders\":[{\"rank\":1,\"social_id\":\"A\"},{\"rank\":2,\"social_id\":\"B\"}],\"me\":{\"social_id\":"
		  "\"A\"}}"),
	    &board));
	assert_int_equal(board.count, 2);
	assert_true(page_board_read(pool, SLICE("{\"leaders\":[],\"me\":null}"), &board));
	assert_int_equal(board.count, 0);
	struct slice many = SLICE("{\"leaders\":[");
	for (unsigned i = 0; i < 2 * PAGE_LEADERS_MAX; i++)
		many = pool_printf(pool, "%.*s%s{\"social_id\":\"L%u\"}", SLICE_ARGS(many), i == 0 ? "" : ",", i);
	assert_true(page_board_read(pool, POOL_JOIN(pool, many, SLICE("],\"me\":{\"social_id\":\"Z\"}}")), &board));
	assert_int_equal(board.count, PAGE_LEADERS_MAX + 1);
	assert_false(page_board_read(pool, SLICE("{"), &board));
}

static void
the_own_page_has_everything(void **state UNUSED)
{
	struct page_lead lead;
	struct page_board board;
	static const struct page_reward rewards[] = { { SLICE("Mug"), 20, false }, { SLICE("Sticker"), 5, true },
		{ SLICE("T-shirt"), 10, false } };
	static const struct page_action actions[] = { { 4, SLICE("Follow <us>"), SLICE("https://s.example/?a&b"), 3, false,
							  true },
		{ 5, SLICE("Read it"), SLICE_NONE, 1, true, true }, { 6, SLICE("Wave"), SLICE_NONE, 0, false, false } };
	assert_true(page_lead_read(pool, SLICE(PAYLOAD), &lead) && page_board_read(pool, SLICE(BOARD), &board));
	const struct page_status status = { .lead = &lead,
		.own = true,
		.social_id = lead.social_id,
		.board = &board,
		.rewards = rewards,
		.reward_count = ARRAY_SIZE(rewards),
		.actions = actions,
		.action_count = ARRAY_SIZE(actions),
		.credit = { .points = 2, .more = 1 },
		.can_erase = true };
	page_write_status(&page, &status);
	const char *text = written();
	static const char *const parts[] = { "<h1>You’re on the list, A&#60;d&#62;a</h1>", "content=\"noindex\"",
		"<dd>12 <small>of 1,204</small></dd>",
		"<li class=\"done-mark\"><span>Sticker</span> <small>5 points · reached</small></li>\n"
		"<li><span>T-shirt</span> <small>10 points</small></li>\n<li><span>Mug</span> <small>20 points</small></li>",
		"max=\"10\" value=\"7\"", "3 points to go: T-shirt",
		"signs up with it brings you 2 points. When they confirm their address, you get 1 point more.",
		"<a href=\"https://s.example/?a&#38;b\" target=\"_blank\" rel=\"noopener noreferrer\">Follow "
		"&#60;us&#62;</a></span> "
		"<small>+3 points</small>",
		"name=\"complete\" value=\"4\" aria-label=\"Done: Follow &#60;us&#62;\">Done</button>",
		"<li class=\"done-mark\"><span>Read it</span> <small>+1 point · done</small></li>",
		"<li><span>Wave</span></li>", "<footer><a href=\"/lead/c/7/erase\">Delete my data</a></footer>",
		"value=\"https://shop.example/?a=b&#38;kid=8K3ZQ1AAAA\" readonly",
		"u=https%3A%2F%2Fshop.example%2F%3Fa%3Db%26kid%3D8K3ZQ1AAAA\"", "mailto:?subject=I%20just",
		"<tr aria-current=\"true\"><td>12</td><td>a*** <small>(you)</small>", "Gr&#60;a&#62;ce" };
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(text, parts[i]) == NULL)
			fail_msg("%s is not in %s", parts[i], text);
	assert_int_equal(count_of(text, "name=\"complete\""), 1);
	lead.score = 20;
	page_write_status(&page, &status);
	text = written();
	assert_null(strstr(text, "<progress")); /* the lead has all rewards */
	assert_int_equal(count_of(text, "reached"), 3);
}

/* docs/pages.md 3: the page shows that leads with equal scores share a rank. */
static void
a_shared_rank_says_so(void **state UNUSED)
{
	static const char *const shared[] = { "of 1,204, shared with others", "von 1.204, mit anderen geteilt",
		"de 1.204, compartido con otras personas", "à égalité avec d’autres" };
	struct page_lead lead;
	assert_true(page_lead_read(pool, SLICE(PAYLOAD), &lead));
	const struct page_status status = { .lead = &lead, .own = true, .social_id = lead.social_id };
	lead.shares_rank = true;
	for (unsigned language = 0; language < TEXT_LANGUAGES; language++) {
		page.language = (enum text_language)language;
		page_write_status(&page, &status);
		assert_non_null(strstr(written(), shared[language]));
	}
}

/* docs/pages.md 3: the page depends on the state of the lead and the campaign. */
static void
the_own_page_fits_the_state(void **state UNUSED)
{
	static const struct page_reward rewards[] = { { SLICE("Mug"), 20, false }, { SLICE("Sticker"), 5, false } };
	static const struct page_action action = { 4, SLICE("Follow"), SLICE_NONE, 3, false, true };
	struct page_lead lead;
	assert_true(page_lead_read(pool, SLICE(PAYLOAD), &lead));
	struct page_status status = { .lead = &lead,
		.own = true,
		.social_id = lead.social_id,
		.rewards = rewards,
		.reward_count = ARRAY_SIZE(rewards),
		.actions = &action,
		.action_count = 1,
		.awaits_email = true };
	page_write_status(&page, &status);
	const char *text = written();
	assert_non_null(strstr(text, "<h1>Please confirm</h1>"));
	assert_non_null(strstr(text, "confirm ada@example.org"));
	assert_null(strstr(text, "Share your link"));
	status.awaits_email = false;
	lead.opted_out = true;
	page_write_status(&page, &status);
	assert_non_null(strstr(written(), "You will not receive any more messages"));
	lead.opted_out = false;
	status.has_ended = true;
	page_write_status(&page, &status);
	text = written();
	static const char *const absent[] = { "Share", "readonly", "to go", "name=\"complete\"", "on the list" };
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_null(strstr(text, absent[i]));
	assert_non_null(strstr(text, "<h1>Your final result</h1>"));
	assert_non_null(strstr(text, "Sticker</span> <small>5 points · reached"));
	page.looks.values[LOOK_ENDED_TEXT] = SLICE("See you <b>.\n\nSoon.");
	page_write_status(&page, &status);
	assert_non_null(strstr(written(), "<p class=\"lead\">See you &#60;b&#62;.</p>"));
	const struct page_message message = page_ended_message(&page);
	page_write_message(&page, &message);
	text = written();
	assert_non_null(strstr(text, "<h1>Sign-ups are closed</h1>"));
	assert_non_null(strstr(text, "<p>Soon.</p>"));
}

static void
a_button_sends_the_mail_again(void **state UNUSED)
{
	struct page_lead lead;
	assert_true(page_lead_read(pool, SLICE(PAYLOAD), &lead));
	struct page_status status = {
		.lead = &lead, .own = true, .social_id = lead.social_id, .awaits_email = true, .can_resend = true
	};
	page_write_status(&page, &status);
	assert_non_null(strstr(written(), "name=\"resend\""));
	status.has_resent = true;
	page_write_status(&page, &status);
	const char *text = written();
	assert_null(strstr(text, "name=\"resend\""));
	assert_non_null(strstr(text, "role=\"status\">The email is on its way"));
	status.awaits_email = false;
	page_write_status(&page, &status);
	assert_null(strstr(written(), "on its way"));
}

static void
strangers_see_numbers_or_nothing(void **state UNUSED)
{
	struct page_lead lead;
	assert_true(page_lead_read(pool, SLICE(PAYLOAD), &lead));
	struct page_status status = { .lead = &lead, .social_id = lead.social_id };
	page_write_status(&page, &status);
	const char *text = written();
	assert_non_null(strstr(text, "<dd>12 <small>"));
	assert_non_null(strstr(text, "href=\"/lead/c/7?kid=8K3ZQ1AAAA\""));
	assert_null(strstr(text, "A&#60;d&#62;a"));
	assert_null(strstr(text, "ada@"));
	assert_null(strstr(text, "in your email"));
	status.has_mail = true;
	page_write_status(&page, &status);
	assert_non_null(strstr(written(), "in your email"));
	status.lead = NULL;
	page_write_status(&page, &status);
	text = written();
	assert_null(strstr(text, "<dd>"));
	assert_non_null(strstr(text, "?kid=8K3ZQ1AAAA"));
	status.has_ended = true;
	page_write_status(&page, &status);
	assert_null(strstr(written(), "?kid="));
}

/* docs/pages.md 2: after a repeated sign-up, the page shows nothing of the lead that not everyone may see. */
static void
a_repeated_sign_up_gets_the_link(void **state UNUSED)
{
	struct page_lead lead;
	assert_true(page_lead_read(pool, SLICE(PAYLOAD), &lead));
	struct page_status status = { .lead = &lead, .social_id = lead.social_id, .again = true };
	page.looks.values[LOOK_STATUS_TEXT] = SLICE("Code for members: 7");
	page_write_status(&page, &status);
	const char *text = written();
	static const char *const parts[] = { "<h1>You’re already on the list</h1>", "<dd>12 <small>",
		"value=\"https://shop.example/?a=b&#38;kid=8K3ZQ1AAAA\" readonly" };
	static const char *const absent[] = { "A&#60;d&#62;a", "ada@", "members", "href=\"/lead/c/7?kid=", "mail." };
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		assert_non_null(strstr(text, parts[i]));
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_null(strstr(text, absent[i]));
	status.awaits_email = status.has_resent = status.has_mail = true;
	page_write_status(&page, &status);
	text = written();
	assert_null(strstr(text, "in your email"));
	assert_non_null(strstr(text, "confirm your email address with the link in our email"));
	assert_non_null(strstr(text, "role=\"status\">The email is on its way"));
	assert_null(strstr(text, "ada@"));
}

/* docs/pages.md 5: the size of a whole page, with stylesheet and script. */
static void
pages_are_small(void **state UNUSED)
{
	struct page_lead lead;
	struct page_board board = { .count = 0 };
	assert_true(page_lead_read(pool, SLICE(PAYLOAD), &lead));
	while (board.count < PAGE_LEADERS_MAX + 1)
		board.leaders[board.count++] =
		    (struct page_leader){ 1000000, 1000000, SLICE("8K3ZQ1AAAA"), SLICE("Somewhat Long Name") };
	const struct page_status status = { .lead = &lead, .own = true, .social_id = lead.social_id, .board = &board };
	for (unsigned language = 0; language < TEXT_LANGUAGES; language++) {
		page.language = (enum text_language)language;
		page_write_status(&page, &status);
		assert_in_range(strlen(written()) + page_style.plain.size + page_script.plain.size, 1000, ALL_MAX_BYTES);
	}
}

/* docs/manage.md 1.7: previews of pages. */
static void
previews_are_pages_without_what_is_live(void **state UNUSED)
{
	const struct page_status given = { .can_erase = true };
	struct slice problem;
	page.looks.values[LOOK_TITLE] = SLICE("Draft <1>");
	page.looks.values[LOOK_ACCENT] = SLICE("#0f766e");
	page.looks.values[LOOK_CSS] = SLICE("h1 { color: red }");
	for (unsigned view = 0; view < PAGE_VIEWS; view++) {
		assert_true(page_write_preview(&page, (enum page_view)view, &given, &problem));
		const char *text = written();
		assert_int_equal(count_of(text, "<link"), 0);
		assert_int_equal(count_of(text, "<script"), 0);
		assert_int_equal(count_of(text, "type=\"hidden\""), 0);
		assert_int_equal(count_of(text, "data-challenge"), 0);
		assert_int_equal(count_of(text, "Draft &#60;1&#62;</h1>"), view == PAGE_VIEW_SIGNUP ? 1 : 0);
		assert_int_equal(
		    count_of(text, "https://go.example/lead/c/7?kid=SAMPLE0000\" readonly"), view == PAGE_VIEW_STATUS);
	}
	page.looks.values[LOOK_LEADERBOARD] = SLICE("off");
	assert_true(page_write_preview(&page, PAGE_VIEW_STATUS, &given, &problem));
	assert_int_equal(count_of(written(), "<table"), 0);
	page_write_preview_style(&page, &out);
	const char *style = written();
	assert_int_equal(strncmp(style, page_style.plain.data, page_style.plain.size), 0);
	assert_int_equal(count_of(style, "--accent:#0f766e"), 2);
	assert_string_equal(style + strlen(style) - strlen("h1 { color: red }"), "h1 { color: red }");
	page.looks.values[LOOK_FIELDS] = SLICE("email; email");
	assert_false(page_write_preview(&page, PAGE_VIEW_SIGNUP, &given, &problem));
}

#define PAGE_TEST(name) cmocka_unit_test_setup_teardown(name, open_page, close_page)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		PAGE_TEST(texts_are_escaped),
		PAGE_TEST(the_form_has_its_fields),
		PAGE_TEST(errors_belong_to_fields),
		PAGE_TEST(failures_of_the_sign_up_are_shown),
		PAGE_TEST(every_failure_has_a_page),
		PAGE_TEST(payloads_are_read),
		PAGE_TEST(leads_with_many_values_are_read),
		PAGE_TEST(boards_have_the_lead_once),
		PAGE_TEST(the_own_page_has_everything),
		PAGE_TEST(a_shared_rank_says_so),
		PAGE_TEST(the_own_page_fits_the_state),
		PAGE_TEST(a_button_sends_the_mail_again),
		PAGE_TEST(strangers_see_numbers_or_nothing),
		PAGE_TEST(a_repeated_sign_up_gets_the_link),
		PAGE_TEST(pages_are_small),
		PAGE_TEST(previews_are_pages_without_what_is_live),
	};
	return cmocka_run_group_tests_name("page/pages", tests, NULL, NULL);
}
