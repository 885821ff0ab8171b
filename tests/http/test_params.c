/* SPDX-License-Identifier: MIT
 * docs/api.md 1: parameters, body types, arrays, values, booleans, caps, and the merging of __url. */
#include "parsed.h"

#include <stdlib.h>
#include <sys/resource.h>

static bool
no_secrets(void *context, const struct http_param *param)
{
	(void)context;
	return !slice_equal(param->name, SLICE("api_key"));
}

static void
queries_and_forms_make_one_flat_table(void **state)
{
	(void)state;
	static const struct {
		struct slice query, body;
		const char *expected;
	} cases[] = {
		{ SLICE("a=1&b=x+y%2B&a=2"), SLICE(""), "a='2';b='x y+';" },
		{ SLICE("a=1&b=2"), SLICE("b=3&c=4"), "a='1';b='3';c='4';" },
		{ SLICE("&&a&b=&c==&"), SLICE(""), "a='';b='';c='=';" },
		{ SLICE("a=100%&b=%zz&c=%4"), SLICE(""), "a='100%';b='%zz';c='%4';" },
		{ SLICE("%61=%C3%A4"), SLICE(""), "a='\xc3\xa4';" },
		{ SLICE("A=1&a=2"), SLICE(""), "A='1';a='2';" },
		{ SLICE("a[]=1&a[]=2&a%5B%5D=3"), SLICE(""), "a=['1','2','3',];" },
		{ SLICE("a=0&a[]=1"), SLICE(""), "a=['1',];" },
		{ SLICE("a[]=1&a=2"), SLICE(""), "a='2';" },
		{ SLICE("a[]=1"), SLICE("a[]=2"), "a=['2',];" },
		{ SLICE("email=a&email=b&email[]=c"), SLICE(""), "email=['a','b','c',];" },
		{ SLICE("email=a"), SLICE(""), "email='a';" },
		{ SLICE("email[]=a&email=b"), SLICE(""), "email=['a','b',];" },
		{ SLICE("email[0]=a&email%5B1%5D=b&email[7]=c"), SLICE(""), "email=['a','b','c',];" },
		{ SLICE("email[x]=a&email[0][]=b&a[0]=c"), SLICE(""), "email[x]='a';email[0]=['b',];a[0]='c';" },
		{ SLICE("email=a&email=b"), SLICE("email=c"), "email='c';" },
		{ SLICE("email=a"), SLICE("email=c&email=d"), "email=['c','d',];" },
		{ SLICE("emails=a&emails=b"), SLICE(""), "emails='b';" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(parse(cases[i].query, FORM, cases[i].body));
		assert_params(cases[i].expected);
	}
	assert_true(parse(SLICE("q=1&b=1"), FORM, SLICE("b=2")));
	assert_int_equal(http_params_find(params, SLICE("q"))->origin, HTTP_ORIGIN_QUERY);
	assert_int_equal(http_params_find(params, SLICE("b"))->origin, HTTP_ORIGIN_BODY);
	assert_true(HTTP_ORIGIN_URL < HTTP_ORIGIN_QUERY && HTTP_ORIGIN_QUERY < HTTP_ORIGIN_BODY);
	assert_null(http_params_value(params, SLICE("c")));
}

/* Names that differ only in case are two parameters, whose order is kept. */
static void
the_last_value_has_the_largest_serial(void **state)
{
	(void)state;
	static const struct slice queries[] = { SLICE("A=1&a=2&A=3"), SLICE("A[]=1&a[]=2&A[]=3"), SLICE("a=1&A=2") };
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
		assert_true(parse(queries[i], NULL, SLICE_NONE));
		assert_true(http_params_find(params, SLICE("A"))->serial > http_params_find(params, SLICE("a"))->serial);
	}
	assert_true(parse(SLICE_NONE, NULL, SLICE_NONE));
	http_params_merge_url(params, SLICE("?a=1&A=2"), no_secrets, NULL);
	assert_true(http_params_find(params, SLICE("A"))->serial > http_params_find(params, SLICE("a"))->serial);
}

static void
json_bodies_keep_their_types(void **state)
{
	(void)state;
	static const struct {
		struct slice body;
		const char *expected;
	} cases[] = {
		{ SLICE("{}"), "" },
		{ SLICE("{\"a\":\"x\",\"b\":1.50,\"c\":true,\"d\":false,\"e\":null}"), "a='x';b=1.50;c=true;d=false;e=null;" },
		{ SLICE("{\"a\":[],\"b\":[1,\"x\",null,true]}"), "a=[];b=[1,'x',null,true,];" },
		{ SLICE("{\"a\":1,\"a\":[2],\"a\":[3]}"), "a=[3,];" },
		{ SLICE("{\"email\":\"a\",\"email\":\"b\"}"), "email='b';" },
		{ SLICE("{\"a[]\":\"\\ud83d\\ude00\"}"), "a[]='\xf0\x9f\x98\x80';" },
		{ SLICE("\xef\xbb\xbf {\"a\":1}\r\n"), "a=1;" },
		{ SLICE("\xef\xbb\xbf\xef\xbb\xbf{\"a\":1}"), "a=1;" },
		{ SLICE("{\"a\":1}\0"), "a=1;" },
		{ SLICE("{\"a\":1}\n\0\0\0"), "a=1;" },
		{ SLICE("{\" a \":1,\"b \":2}"), "a=1;b=2;" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(parse(SLICE_NONE, JSON, cases[i].body));
		assert_params(cases[i].expected);
	}
	assert_true(parse(SLICE("a=1&b=2"), JSON, SLICE("{\"a\":null}")));
	assert_params("a=null;b='2';");
}

static void
broken_json_is_invalid_json(void **state)
{
	(void)state;
	static const struct slice cases[] = {
		SLICE("{\"a\":1"),
		SLICE("{\"a\":1}}"),
		SLICE("[]"),
		SLICE("\"a\""),
		SLICE("null"),
		SLICE("[{\"a\":1}]"),
		SLICE("{\"_a\":\"\\ud800\",\"a\":\v1}"),
		SLICE("{\"_a\":\xff}"),
		SLICE("{\"a\":{},}"),
		SLICE("{\"a\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}"),
		SLICE("a"),
		SLICE("'{\"a\":1}'"),
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_false(parse(SLICE_NONE, JSON, cases[i]));
		assert_problem(HTTP_INVALID_JSON, "Please verify your JSON payload: ");
	}
}

static void
errors_name_their_parameter(void **state)
{
	(void)state;
	static const struct {
		struct slice body;
		const char *message;
	} cases[] = {
		{ SLICE("{\"x\":1,\"PLAIN\":{\"b\":1},\"c\":2}"), "Parameter PLAIN must be a plain value" },
		{ SLICE("{\"PLAIN\":[1,{}]}"), "Parameter PLAIN must be a plain value" },
		{ SLICE("{\"email\":[1,[2]],\"email\":\"a\"}"), "Parameter email must be a plain value" },
		{ SLICE("{\"\":1}"), "no name" },
		{ SLICE("{\"\\u0007\":{}}"), "no name" },
		{ SLICE("{\"0123456789012345678901234567890123456789012345678901234567890123x\":{}}"),
		    "name is longer than 64 bytes" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_false(parse(SLICE_NONE, JSON, cases[i].body));
		assert_problem(HTTP_INVALID_PARAMETER, cases[i].message);
	}
}

static void
texts_are_made_clean(void **state)
{
	(void)state;
	assert_true(parse(SLICE("a=%09+x%0D%0Ay%0Dz%0D%0A&b=+%0A&c=x%09%0A%0Dy"), NULL, SLICE_NONE));
	assert_params("a='x\ny\nz';b='';c='x\t\n\ny';");
	static const struct {
		struct slice query;
		const char *expected;
	} cases[] = {
		/* control characters: line breaks of any kind, and others */
		{ SLICE("a=x%0By%0Cz"), "a='x\ny\nz';" },
		{ SLICE("a=x%C2%85y%E2%80%A8z%E2%80%A9"), "a='x\ny\nz';" },
		{ SLICE("a=%00x%01%1B%7Fy%C2%80%C2%9F%00"), "a='xy';" },
		{ SLICE("a=%00%01"), "a='';" },
		{ SLICE("a[]=x%1F"), "a=['x',];" },
		{ SLICE("a=x%0D%00%0Ay"), "a='x\n\ny';" },
		{ SLICE("a%00%0Ab=1&%C2%80c=2"), "a b='1';c='2';" },
		/* Windows-1252, as a page in an older encoding sends it; each value is judged separately */
		{ SLICE("a=Jos%E9&b=Jos%C3%A9&c=%80+5"), "a='Jos\xc3\xa9';b='Jos\xc3\xa9';c='\xe2\x82\xac 5';" },
		{ SLICE("a=%93CAF%C9+%94&b=%FFa%81%ED%A0b"), "a='\xe2\x80\x9c"
							     "CAF\xc3\x89 \xe2\x80\x9d';b='\xc3\xbf"
							     "a\xc3\xad\xc2\xa0"
							     "b';" },
		/* cut within a character */
		{ SLICE("a=%C3%A9x%C3&b=%E3%81%82%E3%81&c=%A9%C3%A9&d=x%E9"),
		    "a='\xc3\xa9x';b='\xe3\x81\x82';c='\xc3\xa9';d='x\xc3\xa9';" },
		{ SLICE("Stra%DFe=1"), "Stra\xc3\x9f"
				       "e='1';" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(parse(cases[i].query, NULL, SLICE_NONE));
		assert_params(cases[i].expected);
	}
	assert_true(parse(
	    SLICE_NONE, JSON, SLICE("{\"a\":\"Ren\xe9\",\"b\":[\"\xc3\xa9\",\"x\\u000b\\ud83d\"],\"\xfc\":{\"\xe4\":1}}")));
	assert_params("a='Ren\xc3\xa9';b=['\xc3\xa9','x',];\xc3\xbc[\xc3\xa4]=1;");
	static const struct slice bad_names[] = { SLICE("%00=1"), SLICE("%C2%80%01=1"), SLICE("=1"), SLICE("[]=1") };
	for (size_t i = 0; i < ARRAY_SIZE(bad_names); i++) {
		assert_false(parse(bad_names[i], NULL, SLICE_NONE));
		assert_problem(HTTP_INVALID_PARAMETER, "A parameter ");
	}
}

static void
media_types_choose_the_reader(void **state)
{
	(void)state;
	static const struct {
		const char *type;
		struct slice body;
		const char *expected; /* NULL: 415 */
	} cases[] = {
		{ "Application/JSON; Charset=\"UTF-8\"", SLICE("{\"a\":1}"), "a=1;" },
		{ "application/json;charset=utf8", SLICE("{\"a\":1}"), "a=1;" },
		{ "text/plain;charset=UTF-8", SLICE("{\"a\":1}"), "a=1;" },
		{ FORM "; charset=utf-8", SLICE("a=1"), "a='1';" },
		{ NULL, SLICE("{\"a\":1}"), "a=1;" },
		{ NULL, SLICE("a={"), "a='{';" },
		{ NULL, SLICE("\xef\xbb\xbf{\"a\":1}"), "a=1;" },
		{ NULL,
		    SLICE("\xef\xbb\xbf"
			  "a=1"),
		    "a='1';" },
		{ JSON, SLICE(""), "" },
		{ "image/png", SLICE(""), "" },
		{ JSON, SLICE("\xef\xbb\xbf"), "" },
		{ JSON, SLICE("\0"), "" },
		{ FORM, SLICE("a=1&+b+=2\0"), "a='1';b='2';" },
		/* the beginning of the body decides, whatever the type says */
		{ "text/plain;charset=UTF-8", SLICE("a=1&b=2"), "a='1';b='2';" },
		{ "text/plain", SLICE(" \n{\"a\":1}\n"), "a=1;" },
		{ "text/plain", SLICE("a=R&B+%41\r\nb=x=y\r\n\r\nc\r\n"), "a='R&B+%41';b='x=y';" }, /* enctype of a form */
		{ FORM, SLICE("{\"a\":1}"), "a=1;" },
		{ FORM, SLICE("\r\n {\"a\":\"b&c=d\"}"), "a='b&c=d';" },
		{ FORM, SLICE("a={\"b\":1}"), "a='{\"b\":1}';" },
		{ FORM, SLICE("%7Ba=1"), "{a='1';" },
		{ FORM, SLICE("[a]=1"), "[a]='1';" },
		{ FORM, SLICE("&a=1"), "a='1';" },
		{ JSON, SLICE("a=1&b=2"), "a='1';b='2';" },
		{ "text/json", SLICE("{\"a\":1}"), "a=1;" },
		{ "application/vnd.api+json", SLICE("{\"a\":1}"), "a=1;" },
		{ "application/octet-stream", SLICE("{\"a\":1}"), "a=1;" },
		{ "application/octet-stream", SLICE("a=1"), "a='1';" },
		{ "text/html", SLICE("{}"), "" },
		{ ";", SLICE("{}"), "" },
		{ ",", SLICE("a=1"), "a='1';" },
		{ "multipart/form-data", SLICE("{\"a\":1}"), "a=1;" },
		{ MULTIPART, SLICE("a=1"), "a='1';" },
		{ "multipart/form-data", SLICE(PART("a", "1") END), "a='1';" }, /* a script that sets the type itself */
		{ JSON, SLICE(PART("a", "1") END), "a='1';" },
		{ FORM, SLICE(PART("a", "1") END), "a='1';" },
		{ NULL, SLICE(PART("a", "1") END), "a='1';" },
		{ "application/json; charset=iso-8859-1", SLICE("{\"a\":\"\xe9\"}"), "a='\xc3\xa9';" },
		{ FORM "; charset=windows-1252", SLICE("a=%E9"), "a='\xc3\xa9';" },
		{ FORM "; charset=iso-8859-1", SLICE("a=%C3%A9"), "a='\xc3\xa9';" }, /* a wrong header */
		{ FORM "; charset=utf-8; charset=utf-16", SLICE("a=1"), "a='1';" },
		{ "application/json, " FORM, SLICE("{}"), "" },
		/* an unclear beginning, and a type that names no format */
		{ "image/png", SLICE("\x89PNG\r\n"), NULL },
		{ "application/xml", SLICE("<a>1</a>"), NULL },
		{ "text/plain", SLICE("hello, world"), NULL },
		{ "text/plain", SLICE("hello"), NULL },
		{ ",", SLICE("<"), NULL },
		{ "application/json, application/json; charset=UTF-8", SLICE("{\"a\":1}"), "a=1;" },
		{ "application/json; charset=utf-8 ,Application/JSON", SLICE("{\"a\":1}"), "a=1;" },
		{ FORM "," FORM "," FORM, SLICE("a=1"), "a='1';" },
		{ "application/json,", SLICE("{}"), "" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(SLICE_NONE, cases[i].type, cases[i].body), cases[i].expected != NULL);
		if (cases[i].expected != NULL)
			assert_params(cases[i].expected);
		else
			assert_problem(HTTP_UNSUPPORTED_MEDIA_TYPE, NULL);
	}
	/* Order of checks (docs/api.md 1.5): the media type before the contents. */
	assert_false(parse(SLICE("=1"), "image/png", SLICE("x")));
	assert_problem(HTTP_UNSUPPORTED_MEDIA_TYPE, NULL);
}

static void
multipart_forms_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *type;
		struct slice body;
		const char *expected;
	} cases[] = {
		{ MULTIPART, SLICE(PART("a", "1") PART("b", "") END), "a='1';b='';" },
		{ MULTIPART, SLICE("--XX--"), "" },
		{ "multipart/form-data; boundary=\"X X\"",
		    SLICE("--X X\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--X X--"), "a='1';" },
		{ MULTIPART, SLICE("preamble\r\n" PART("a", "1") END "epilogue"), "a='1';" },
		{ MULTIPART, SLICE("--XX \t\r\ncontent-disposition: FORM-DATA; name=\"a\"\r\nX: y\r\n\r\n1\r\n--XX--"),
		    "a='1';" },
		{ MULTIPART, SLICE(PART("a", "1--XX") END), "a='1--XX';" },
		{ MULTIPART, SLICE(PART("a", "1\r\n--XXY\r\n2") END), "a='1\n--XXY\n2';" },
		{ MULTIPART, SLICE(PART("a", "1\r\n\r\n2") END), "a='1\n\n2';" },
		{ MULTIPART, SLICE(PART("a[]", "1") PART("a[]", "2") PART("email", "x") PART("email", "y") END),
		    "a=['1','2',];email=['x','y',];" },
		{ MULTIPART, SLICE(PART("a\\\"b;c", "1") END), "a\"b;c='1';" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(parse(SLICE_NONE, cases[i].type, cases[i].body));
		assert_params(cases[i].expected);
	}
}

static void
bad_multipart_forms_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *type;
		struct slice body;
		const char *message;
	} cases[] = {
		{ "multipart/form-data", SLICE("--\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n----"), "malformed" },
		{ MULTIPART, SLICE(PART("a", "1")), "malformed" },
		{ MULTIPART, SLICE("--XX\r\n--XX--"), "malformed" },
		{ MULTIPART, SLICE("--XX\r\n\r\n1\r\n--XX--"), "malformed" },
		{ MULTIPART, SLICE("--XX\r\nContent-Disposition: form-data; name=a\r\n--XX--"), "malformed" },
		{ MULTIPART, SLICE("--XX\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n--XX--"), "malformed" },
		{ MULTIPART, SLICE("--XXContent-Disposition: form-data; name=a\r\n\r\n1\r\n--XX--"), "malformed" },
		{ MULTIPART, SLICE("nothing"), "malformed" },
		{ MULTIPART, SLICE(PART("a", "--XX") END), "malformed" },
		{ MULTIPART, SLICE("--XX\r\nContent-Disposition: form-data\r\n\r\n1\r\n--XX--"), "no name" },
		{ MULTIPART, SLICE(PART("a\"; filename=\"C:\\x", "1") END), "Parameter a must not be a file" },
		{ MULTIPART, SLICE(PART("a\"; filename=\"x", "") END), "Parameter a must not be a file" },
		{ MULTIPART, SLICE(PART("a\"; filename=\"", "1") END), "Parameter a must not be a file" },
		{ MULTIPART, SLICE(PART("a\"; filename*=\"utf-8''", "") END), "Parameter a must not be a file" },
		{ MULTIPART, SLICE(PART("a\"; FileName*=\"utf-8''x", "1") END), "Parameter a must not be a file" },
		{ MULTIPART, SLICE("--XX\r\nContent-Disposition: form-data; filename=x\r\n\r\n1\r\n--XX--"), "no name" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_false(parse(SLICE_NONE, cases[i].type, cases[i].body));
		assert_int_equal(problem.kind, HTTP_INVALID_PARAMETER);
		assert_non_null(strstr(pool_string(pool, problem.message), cases[i].message));
	}
}

static void
caps_are_named(void **state)
{
	(void)state;
	const struct http_caps caps = {
		.depth = 2, .parameters = 2, .name_bytes = 3, .value_bytes = 4, .items = 2, .values = 6
	};
	static const struct {
		struct slice query;
		const char *type;
		struct slice body;
		enum http_problem_kind kind;
		const char *message; /* NULL: within the cap */
	} cases[] = {
		{ SLICE("abc=1234"), FORM, SLICE("abc=5&d=1"), HTTP_INVALID_PARAMETER, NULL },
		{ SLICE("a=++1234++"), NULL, SLICE_NONE, HTTP_INVALID_PARAMETER, NULL },
		{ SLICE("a=1&b=2&c=3"), NULL, SLICE_NONE, HTTP_INVALID_PARAMETER, "more than 2 parameters" },
		{ SLICE("a=1"), JSON, SLICE("{\"b\":1,\"c\":1}"), HTTP_INVALID_PARAMETER, "more than 2 parameters" },
		{ SLICE("abcd=1"), NULL, SLICE_NONE, HTTP_INVALID_PARAMETER, "name is longer than 3 bytes" },
		{ SLICE("a=12345"), NULL, SLICE_NONE, HTTP_INVALID_PARAMETER, "Parameter a is longer than 4 bytes" },
		{ SLICE("a=%C3%A4%C3%A4x"), NULL, SLICE_NONE, HTTP_INVALID_PARAMETER, "Parameter a is longer than 4 bytes" },
		{ SLICE_NONE, JSON, SLICE("{\"a\":12345}"), HTTP_INVALID_PARAMETER, "Parameter a is longer than 4 bytes" },
		{ SLICE_NONE, JSON, SLICE("{\"a\":[1,\"12345\"]}"), HTTP_INVALID_PARAMETER,
		    "Parameter a is longer than 4 bytes" },
		{ SLICE_NONE, JSON, SLICE("{\"a\":[1,2]}"), HTTP_INVALID_PARAMETER, NULL },
		{ SLICE_NONE, JSON, SLICE("{\"a\":[1,2,3]}"), HTTP_TOO_MANY_ITEMS, "Parameter a has more than 2 items" },
		{ SLICE("a[]=&a[]=&a[]="), NULL, SLICE_NONE, HTTP_TOO_MANY_ITEMS, "Parameter a has more than 2 items" },
		{ SLICE_NONE, JSON, SLICE("{\"a\":[[1]]}"), HTTP_INVALID_JSON, "nested too deeply" },
		{ SLICE_NONE, JSON, SLICE("{\"_a\":[[1]]}"), HTTP_INVALID_JSON, "nested too deeply" },
		{ SLICE_NONE, JSON, SLICE("{\"a\":{\"b\":1}}"), HTTP_INVALID_PARAMETER, "name is longer than 3 bytes" },
		/* replaced values have used memory too */
		{ SLICE("a=1&a=2&a=3"), FORM, SLICE("a=4&a=5&a=6"), HTTP_INVALID_PARAMETER, NULL },
		{ SLICE("a=1&a=2&a=3"), FORM, SLICE("a=4&a=5&a=6&a=7"), HTTP_INVALID_PARAMETER, "more than 6 values" },
		{ SLICE_NONE, JSON, SLICE("{\"a\":[1],\"a\":[1],\"a\":[1]}"), HTTP_INVALID_PARAMETER, NULL },
		{ SLICE_NONE, JSON, SLICE("{\"a\":[1],\"a\":[1],\"a\":[1],\"a\":1}"), HTTP_INVALID_PARAMETER,
		    "more than 6 values" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse_within(caps, cases[i].query, cases[i].type, cases[i].body), cases[i].message == NULL);
		if (cases[i].message != NULL)
			assert_problem(cases[i].kind, cases[i].message);
	}
	const struct http_caps narrow = {
		.depth = 2, .parameters = 2, .name_bytes = 9, .value_bytes = 4, .items = 2, .values = 20
	};
	assert_false(parse_within(narrow, SLICE("email=&email=&email="), NULL, SLICE_NONE));
	assert_problem(HTTP_TOO_MANY_ITEMS, "Parameter email has more than 2 items");
}

/* Duplicate and colliding names do not cost more than others: a whole body of the maximum size is parsed quickly. */
static void
a_full_table_is_fast(void **state)
{
	(void)state;
	struct buffer body;
	buffer_init(&body, 256 * 1024);
	for (unsigned i = 0; i < 20000; i++)
		buffer_printf(&body, "n%u=%u&", i % 200, i);
	assert_true(parse(SLICE_NONE, FORM, buffer_slice(&body)));
	assert_int_equal(http_params_count(params), 200);
	assert_slice(http_params_value(params, SLICE("n199"))->text, "19999");
	buffer_add_text(&body, "n200=");
	assert_false(parse(SLICE_NONE, FORM, buffer_slice(&body)));
	buffer_free(&body);
}

static void
the_url_adds_missing_parameters(void **state)
{
	(void)state;
	static const struct {
		struct slice url;
		const char *expected;
	} cases[] = {
		{ SLICE("http://x/?utm_source=a&email=u&b=1#c=2?d=3"), "email='e';utm_source='a';b='1';" },
		{ SLICE("http://x/?api_key=k&c[]=1&c[]=2"), "email='e';c=['1','2',];" },
		{ SLICE("?b=%00&c=%FF&=1&%00=2&d=1&f[]=%01"), "email='e';b='';c='\xc3\xbf';d='1';f=['',];" },
		{ SLICE("http://x/#a?b=1"), "email='e';" },
		{ SLICE("http://x/"), "email='e';" },
		{ SLICE_NONE, "email='e';" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(parse(SLICE("email=e"), NULL, SLICE_NONE));
		http_params_merge_url(params, cases[i].url, no_secrets, NULL);
		assert_params(cases[i].expected);
	}
	assert_true(parse(SLICE("a=1"), NULL, SLICE_NONE));
	http_params_merge_url(params, SLICE("?b=1"), no_secrets, NULL);
	assert_int_equal(http_params_find(params, SLICE("b"))->origin, HTTP_ORIGIN_URL);
	assert_true(parse_within((struct http_caps){ 2, 2, 9, 9, 9, 9 }, SLICE("a=1"), NULL, SLICE_NONE));
	http_params_merge_url(params, SLICE("?b=1&c=1"), no_secrets, NULL);
	assert_params("a='1';b='1';");
}

/* Queries of requests that must be answered whatever else they contain: opt-out links, and the callback of JSONP. */
static void
the_query_alone_is_read_leniently(void **state)
{
	(void)state;
	struct http_request request = {
		.pool = pool,
		.query = SLICE("safe=1&%00=y&=z&jsonp=a&jsonp=b&email=c&email=d"),
		.content_type = SLICE("image/png"),
		.body = SLICE("<safe/>"),
	};
	params = http_params_parse_query(&request, &HTTP_CAPS_DEFAULT, &names);
	assert_params("safe='1';jsonp='b';email=['c','d',];");
	assert_false(http_params_parse_body(params, &request, &params, &problem));
	assert_problem(HTTP_UNSUPPORTED_MEDIA_TYPE, NULL);
	request.content_type = SLICE(FORM);
	assert_false(http_params_parse_body(params, &request, &params, &problem));
	assert_problem(HTTP_INVALID_PARAMETER, "A parameter has no name"); /* the first problem of the query */
	static const struct slice bad_bodies[] = { SLICE("safe=2&email=d&b=1&=c"), SLICE("{\"safe\":2,\"b\":1") };
	for (size_t i = 0; i < ARRAY_SIZE(bad_bodies); i++) {
		request = (struct http_request){ .pool = pool, .query = SLICE("safe=1&email=c"), .body = bad_bodies[i] };
		params = http_params_parse_query(&request, &HTTP_CAPS_DEFAULT, &names);
		assert_false(http_params_parse_body(params, &request, &params, &problem));
		assert_params("safe='1';email='c';");
	}
	/* after a value that does not fit, no later value is accepted */
	const struct http_request many = { .pool = pool, .query = SLICE("a=1&a=2&a=3&a=4&a=5&a=6") };
	struct http_caps caps = HTTP_CAPS_DEFAULT;
	caps.values = 3;
	params = http_params_parse_query(&many, &caps, &names);
	assert_params("a='3';");
	params = http_params_parse_query(&(struct http_request){ .pool = pool }, &HTTP_CAPS_DEFAULT, &names);
	assert_params("");
}

static void
booleans_and_strings_are_read_from_values(void **state)
{
	(void)state;
	static const struct {
		struct slice json;
		int boolean; /* -1: 406 */
	} cases[] = {
		{ SLICE("{\"a\":true}"), 1 },
		{ SLICE("{\"a\":1}"), 1 },
		{ SLICE("{\"a\":\"1\"}"), 1 },
		{ SLICE("{\"a\":\"true\"}"), 1 },
		{ SLICE("{\"a\":\"yes\"}"), 1 },
		{ SLICE("{\"a\":\"on\"}"), 1 },
		{ SLICE("{\"a\":\"True\"}"), 1 },
		{ SLICE("{\"a\":\"TRUE\"}"), 1 },
		{ SLICE("{\"a\":\"Y\"}"), 1 },
		{ SLICE("{\"a\":\"t\"}"), 1 },
		{ SLICE("{\"a\":\"False\"}"), 0 },
		{ SLICE("{\"a\":\"N\"}"), 0 },
		{ SLICE("{\"a\":\"f\"}"), 0 },
		{ SLICE("{\"a\":\"None\"}"), 0 },
		{ SLICE("{\"a\":\"null\"}"), 0 },
		{ SLICE("{\"a\":\"undefined\"}"), 0 },
		{ SLICE("{\"a\":false}"), 0 },
		{ SLICE("{\"a\":0}"), 0 },
		{ SLICE("{\"a\":\"\"}"), 0 },
		{ SLICE("{\"a\":\"0\"}"), 0 },
		{ SLICE("{\"a\":\"false\"}"), 0 },
		{ SLICE("{\"a\":\"no\"}"), 0 },
		{ SLICE("{\"a\":\"off\"}"), 0 },
		{ SLICE("{\"a\":null}"), 0 },
		{ SLICE("{}"), 0 },
		{ SLICE("{\"a\":2}"), -1 },
		{ SLICE("{\"a\":\"maybe\"}"), -1 },
		{ SLICE("{\"a\":[true]}"), -1 },
		{ SLICE("{\"a\":[]}"), -1 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool boolean = cases[i].boolean == 0;
		assert_true(parse(SLICE_NONE, JSON, cases[i].json));
		assert_int_equal(http_value_boolean(http_params_value(params, SLICE("a")), &boolean), cases[i].boolean >= 0);
		if (cases[i].boolean >= 0)
			assert_int_equal(boolean, cases[i].boolean);
	}
	struct slice text;
	assert_true(parse(SLICE_NONE, JSON, SLICE("{\"n\":1.0,\"b\":true,\"z\":null,\"a\":[\"x\"]}")));
	assert_true(http_value_string(http_params_value(params, SLICE("n")), &text) && slice_equal(text, SLICE("1.0")));
	assert_true(http_value_string(http_params_value(params, SLICE("b")), &text) && slice_equal(text, SLICE("true")));
	assert_true(http_value_string(http_params_value(params, SLICE("z")), &text) && !slice_present(text));
	assert_true(http_value_string(NULL, &text) && !slice_present(text));
	assert_false(http_value_string(http_params_value(params, SLICE("a")), &text));
}

/* The memory for a request is a small multiple of its size, whatever its header lines are. */
static void
many_header_parameters_cost_little_memory(void **state)
{
	(void)state;
	enum { PARAMETERS = 8000, MEMORY_MAX_KIB = 32 * 1024 };
	static const char before[] = "--XX\r\nContent-Disposition: form-data", each[] = ";a=\"b\"",
			  after[] = "; name=\"email\"\r\n\r\nx\r\n--XX--\r\n";
	char *body = memory_alloc(sizeof(before) + PARAMETERS * sizeof(each) + sizeof(after));
	char *end = stpcpy(body, before);
	for (int i = 0; i < PARAMETERS; i++)
		end = stpcpy(end, each);
	end = stpcpy(end, after);
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	long kib = usage.ru_maxrss;
	assert_true(parse(SLICE_NONE, MULTIPART, (struct slice){ body, (size_t)(end - body) }));
	getrusage(RUSAGE_SELF, &usage);
	assert_in_range(usage.ru_maxrss - kib, 0, MEMORY_MAX_KIB);
	free(body);
}

/* Any input is accepted, or refused with a message. With the sanitizers, this is a small fuzz test. */
static void
random_bodies_do_no_harm(void **state)
{
	(void)state;
	static const char *const types[] = { JSON, FORM, MULTIPART, NULL };
	static const struct slice pieces[] = { SLICE("--XX"), SLICE("\r\n"), SLICE("--"),
		SLICE("Content-Disposition: form-data;"), SLICE(" name="), SLICE("\""), SLICE("\\"), SLICE("a"), SLICE("%"),
		SLICE("4"), SLICE("&"), SLICE("="), SLICE("[]"), SLICE("{"), SLICE("}"), SLICE(":"), SLICE(","), SLICE("["),
		SLICE("]"), SLICE("\0"), SLICE("\xff"), SLICE("\xc3\xa4"), SLICE("email"), SLICE(";"), SLICE("\\u0000"),
		SLICE("\n"), SLICE("null"), SLICE("\"a\":1") };
	uint64_t seed = 1;
	for (int round = 0; round < 30000; round++) {
		char body[400];
		size_t size = 0;
		for (int i = 0; i < 20; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			struct slice piece = pieces[(seed >> 33) % ARRAY_SIZE(pieces)];
			memcpy(body + size, piece.data, piece.size);
			size += piece.size;
		}
		const char *type = types[(seed >> 40) % ARRAY_SIZE(types)];
		struct slice bytes = { body, size };
		if (!parse(bytes, type, bytes))
			assert_true(problem.message.size > 0);
		else
			http_params_merge_url(params, bytes, no_secrets, NULL);
		pool_reset(pool);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(queries_and_forms_make_one_flat_table, begin, end),
		cmocka_unit_test_setup_teardown(the_last_value_has_the_largest_serial, begin, end),
		cmocka_unit_test_setup_teardown(json_bodies_keep_their_types, begin, end),
		cmocka_unit_test_setup_teardown(broken_json_is_invalid_json, begin, end),
		cmocka_unit_test_setup_teardown(errors_name_their_parameter, begin, end),
		cmocka_unit_test_setup_teardown(texts_are_made_clean, begin, end),
		cmocka_unit_test_setup_teardown(media_types_choose_the_reader, begin, end),
		cmocka_unit_test_setup_teardown(multipart_forms_are_read, begin, end),
		cmocka_unit_test_setup_teardown(bad_multipart_forms_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(caps_are_named, begin, end),
		cmocka_unit_test_setup_teardown(a_full_table_is_fast, begin, end),
		cmocka_unit_test_setup_teardown(the_url_adds_missing_parameters, begin, end),
		cmocka_unit_test_setup_teardown(the_query_alone_is_read_leniently, begin, end),
		cmocka_unit_test_setup_teardown(booleans_and_strings_are_read_from_values, begin, end),
		cmocka_unit_test_setup_teardown(many_header_parameters_cost_little_memory, begin, end),
		cmocka_unit_test_setup_teardown(random_bodies_do_no_harm, begin, end),
	};
	return cmocka_run_group_tests_name("http/params", tests, NULL, NULL);
}
