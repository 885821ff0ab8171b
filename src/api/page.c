/* SPDX-License-Identifier: MIT
 * The few pages that people see: whole without script, images and anything from elsewhere. */
#include "api/call.h"

#include "base/log.h"
#include "crypto/base64.h"
#include "crypto/digest.h"

#define STYLE                                                                                                          \
	":root{color-scheme:light dark}body{font:1.125em/1.5 sans-serif;margin:2em auto;max-width:32em;padding:0 1em}" \
	"button{font:inherit;padding:.75em 1.5em}"

static void
add_escaped(struct buffer *out, struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
			buffer_printf(out, "&#%d;", c);
		else
			buffer_add_byte(out, c);
	}
}

/* The address is a secret of one person: nobody is to tell it on or find it; and nothing but our style is to run. */
static void
add_headers(struct call *call)
{
	struct pool *pool = call->request->pool;
	struct slice style = SLICE(STYLE);
	struct digest digest = digest_sha256(&style, 1);
	const struct http_header headers[] = {
		{ "Referrer-Policy", SLICE("no-referrer") },
		{ "X-Robots-Tag", SLICE("noindex") },
		{ "Content-Security-Policy", pool_printf(pool,
						 "default-src 'none'; style-src 'sha256-%.*s'; form-action 'self'; base-uri "
						 "'none'; frame-ancestors 'none'",
						 SLICE_ARGS(base64_encode(pool, digest_slice(&digest)))) },
	};
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (!http_response_header(call->response, headers[i].name, headers[i].value))
			log_error("header_refused", LOG_STR("name", headers[i].name));
}

void
call_page(struct call *call, const char *heading, struct slice text, const char *button)
{
	struct buffer *out = &call->response->body;
	call->response->content = HTTP_HTML;
	add_headers(call);
	buffer_printf(out,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"robots\" content=\"noindex\">\n<title>%s</title>\n<style>" STYLE "</style>\n</head>\n"
	    "<body>\n<main>\n<h1>%s</h1>\n<p>",
	    heading, heading);
	add_escaped(out, text);
	buffer_add_text(out, "</p>\n");
	if (button != NULL)
		buffer_printf(out, "<form method=\"post\"><button type=\"submit\">%s</button></form>\n", button);
	buffer_add_text(out, "</main>\n</body>\n</html>\n");
}

void
call_fail_page(struct call *call, struct slice message)
{
	unsigned status = call->response->status;
	const char *heading = status == 404   ? "This link is not valid"
			      : status >= 500 ? "Please try again later"
					      : "This is not possible";
	call_page(call, heading, message, NULL);
}
