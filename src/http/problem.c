/* SPDX-License-Identifier: MIT
 * Failures as problems (RFC 9457). */
#include "http/response.h"

#include "json/writer.h"

static void
write_errors(struct json_writer *writer, const struct http_problem_details *problem)
{
	json_name(writer, SLICE("errors"));
	json_begin_array(writer);
	json_begin_object(writer);
	json_put_text(writer, SLICE("pointer"), problem->pointer);
	json_put_text(writer, SLICE("detail"), problem->detail);
	json_end_object(writer);
	json_end_array(writer);
}

void
http_response_problem(struct http_response *response, struct slice request_id, const struct http_problem_details *problem)
{
	struct json_writer writer;
	response->status = problem->status;
	response->content = HTTP_PROBLEM;
	buffer_clear(&response->body);
	json_writer_init(&writer, &response->body);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("type"), SLICE("about:blank"));
	json_put_text(&writer, SLICE("title"), slice_of(problem->title));
	json_put_u64(&writer, SLICE("status"), problem->status);
	json_put_text(&writer, SLICE("detail"), problem->detail);
	json_put_text(&writer, SLICE("error"), slice_of(problem->error));
	json_put_text(&writer, SLICE("request_id"), request_id);
	if (slice_present(problem->pointer))
		write_errors(&writer, problem);
	if (slice_present(problem->questions))
		json_put_raw(&writer, SLICE("questions"), problem->questions);
	json_end_object(&writer);
}
