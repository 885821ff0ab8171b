/* SPDX-License-Identifier: MIT */
#include "mail/kinds.h"

#include "mail/layout.h"

#define BIT MAIL_NAME_BIT
#define ALWAYS                                                                                             \
	(BIT(MAIL_CAMPAIGN_NAME) | BIT(MAIL_FIRST_NAME) | BIT(MAIL_DISPLAY_NAME) | BIT(MAIL_PRIVACY_URL) | \
	    BIT(MAIL_IMPRINT_URL) | BIT(MAIL_UNSUBSCRIBE_URL) | BIT(MAIL_LOGO_URL) | BIT(MAIL_LANGUAGE))
#define LEAD                                                                                               \
	(ALWAYS | BIT(MAIL_POSITION) | BIT(MAIL_SHARED_POSITION) | BIT(MAIL_SCORE) | BIT(MAIL_REFERRALS) | \
	    BIT(MAIL_SHARE_URL) | BIT(MAIL_STATUS_URL))

#define TEXTS(id) .subject = TEXT_MAIL_##id##_SUBJECT, .text = TEXT_MAIL_##id##_TEXT
/* `more`: values besides those of the lead. */
#define LIST_MAIL(id, more)                                                                                          \
	{                                                                                                            \
		.kind = MESSAGE_##id, .list = true, .allowed = LEAD | (more), .required = BIT(MAIL_UNSUBSCRIBE_URL), \
		.main_url = MAIL_STATUS_URL, TEXTS(id)                                                               \
	}
/* `url`: the link that the mail is about. */
#define REQUESTED_MAIL(id, values, url)                                                                       \
	{                                                                                                     \
		.kind = MESSAGE_##id, .allowed = (values), .required = BIT(url), .main_url = (url), TEXTS(id) \
	}

/* The default texts of verify, status_link and erase_confirm show no name: anyone can have these sent to any address. */
static const struct mail_kind_info kinds[] = {
	REQUESTED_MAIL(VERIFY, ALWAYS | BIT(MAIL_CONFIRM_URL) | BIT(MAIL_CODE) | BIT(MAIL_CODE_URL), MAIL_CONFIRM_URL),
	LIST_MAIL(WELCOME, 0),
	LIST_MAIL(REWARD, BIT(MAIL_REWARD)),
	LIST_MAIL(REFERRAL, BIT(MAIL_REFERRED_NAME)),
	LIST_MAIL(
	    DIGEST, BIT(MAIL_NEW_REFERRALS) | BIT(MAIL_REFERRED_NAMES) | BIT(MAIL_NEXT_REWARD) | BIT(MAIL_POINTS_TO_NEXT)),
	REQUESTED_MAIL(STATUS_LINK, LEAD, MAIL_STATUS_URL),
	REQUESTED_MAIL(ERASE_CONFIRM, ALWAYS | BIT(MAIL_CONFIRM_URL), MAIL_CONFIRM_URL),
};

static const char *const place_names[TEMPLATE_PLACES] = {
	[TEMPLATE_SUBJECT] = "subject",
	[TEMPLATE_TEXT] = "text",
	[TEMPLATE_HTML] = "HTML",
};

/* ---- The table ---- */

const struct mail_kind_info *
mail_kind_find(enum message_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == kind)
			return &kinds[i];
	return NULL;
}

/* ---- Templates ---- */

static struct template_rules
rules_of(const struct mail_kind_info *kind, enum template_place place)
{
	return (struct template_rules){
		.place = place,
		.allowed = kind->allowed,
		.required = place == TEMPLATE_SUBJECT ? 0 : kind->required,
	};
}

bool
mail_template_check(struct pool *pool, const struct mail_kind_info *kind, enum template_place place, struct slice source,
    struct template_error *error)
{
	const struct template *made;
	const struct template_rules rules = rules_of(kind, place);
	return template_compile(pool, source, &rules, &made, error);
}

static struct slice
html_of(struct pool *pool, const struct mail_kind_info *kind, struct slice text, const struct mail_design *design)
{
	const struct layout_options options = {
		.language = text_language_code(design->language),
		.direction = text_find(design->language, TEXT_LANGUAGE_DIRECTION),
		.main_url = kind->main_url,
		.accent = design->accent,
		.dark_accent = design->dark_accent,
	};
	return layout_html(pool, text, &options);
}

struct slice
mail_default_template(
    struct pool *pool, const struct mail_kind_info *kind, enum template_place place, const struct mail_design *design)
{
	const struct slice text = text_find(design->language, place == TEMPLATE_SUBJECT ? kind->subject : kind->text);
	return place == TEMPLATE_HTML ? html_of(pool, kind, text, design) : text;
}

struct slice
mail_template_for(struct pool *pool, const struct mail_kind_info *kind, const struct slice own[TEMPLATE_PLACES],
    enum template_place place, const struct mail_design *design)
{
	if (own[place].size > 0)
		return own[place];
	if (place == TEMPLATE_HTML && own[TEMPLATE_TEXT].size > 0)
		return html_of(pool, kind, own[TEMPLATE_TEXT], design);
	return mail_default_template(pool, kind, place, design);
}

/* ---- Mails ---- */

struct composer {
	struct pool *pool;
	const struct mail_kind_info *kind;
	const struct mail_content *content;
	struct mail_values values; /* the values, cleaned */
	struct slice *problem;
};

static bool
is_own(const struct composer *c, enum template_place place)
{
	return c->content->templates[place].size > 0;
}

static struct slice
template_for(const struct composer *c, enum template_place place)
{
	return mail_template_for(c->pool, c->kind, c->content->templates, place, &c->content->design);
}

static bool
render(const struct composer *c, enum template_place place, struct slice source, struct slice *out)
{
	const struct template *made;
	struct template_error error;
	struct template_rules rules = rules_of(c->kind, place);
	if (place == TEMPLATE_HTML && !is_own(c, place))
		rules.source_max = LAYOUT_MAX_BYTES;
	if (!template_compile(c->pool, source, &rules, &made, &error)) {
		*c->problem = pool_printf(c->pool, "%s template, line %zu, column %zu: %.*s", place_names[place], error.line,
		    error.column, SLICE_ARGS(error.message));
		return false;
	}
	if (!template_render(c->pool, made, &c->values, out)) {
		*c->problem = pool_printf(c->pool, "the %s is too large", place_names[place]);
		return false;
	}
	return true;
}

/* A subject that consists of missing values would be empty: the default is used instead. */
static bool
render_subject(const struct composer *c, struct slice *subject)
{
	if (!render(c, TEMPLATE_SUBJECT, template_for(c, TEMPLATE_SUBJECT), subject))
		return false;
	return slice_trim(*subject).size > 0 ||
	       render(c, TEMPLATE_SUBJECT, mail_default_template(c->pool, c->kind, TEMPLATE_SUBJECT, &c->content->design),
		   subject);
}

static bool
check_values(const struct composer *c)
{
	for (size_t i = 0; i < MAIL_NAMES; i++) {
		if ((c->kind->required & BIT(i)) != 0 && c->values.of[i].size == 0) {
			*c->problem = pool_printf(c->pool, "there is no %.*s", SLICE_ARGS(mail_name_text((enum mail_name)i)));
			return false;
		}
	}
	return true;
}

bool
mail_render(struct pool *pool, const struct mail_content *content, struct message_parts *parts, struct slice *problem)
{
	struct composer c = { .pool = pool, .kind = mail_kind_find(content->kind), .content = content, .problem = problem };
	*parts = (struct message_parts){
		.from = content->from,
		.reply_to = content->reply_to,
		.to = content->to,
		.id = content->id,
		.time_ms = content->time_ms,
	};
	if (c.kind == NULL) {
		*problem = SLICE("this kind of message is no mail");
		return false;
	}
	struct mail_values values = content->values;
	values.of[MAIL_LANGUAGE] = text_language_code(content->design.language);
	mail_values_clean(pool, &values, &c.values);
	if (!check_values(&c) || !render_subject(&c, &parts->subject) ||
	    !render(&c, TEMPLATE_TEXT, template_for(&c, TEMPLATE_TEXT), &parts->text) ||
	    !render(&c, TEMPLATE_HTML, template_for(&c, TEMPLATE_HTML), &parts->html))
		return false;
	if (c.kind->list)
		parts->unsubscribe_url = c.values.of[MAIL_UNSUBSCRIBE_URL];
	return true;
}

bool
mail_compose(struct pool *pool, const struct mail_content *content, struct mail_message *message, struct slice *problem)
{
	struct message_parts parts;
	return mail_render(pool, content, &parts, problem) && message_build(pool, &parts, message, problem);
}
