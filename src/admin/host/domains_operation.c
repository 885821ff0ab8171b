/* SPDX-License-Identifier: MIT
 * The list of disposable domains: a new one is checked, then replaces the file of lead.disposable_domains_file at once, so that
 * no program ever reads a part of it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "identity/domain.h"
#include "operation/operation.h"
#include "operation/value_types.h"
#include "os/replacement.h"

enum { LIST_MAX_BYTES = 16 * 1024 * 1024, PIECE_BYTES = 64 * 1024 };

static int
fail_file(struct operation_call *call, enum operation_problem problem, const char *path, int number)
{
	return operation_fail(call, problem, "%s: %s", path, strerror(number));
}

/* Returns 0 or an errno value. */
static int
read_all(int fd, struct buffer *text)
{
	for (;;) {
		if (!buffer_reserve(text, PIECE_BYTES))
			return EFBIG;
		const ssize_t got = read(fd, text->data + text->size, PIECE_BYTES);
		if (got < 0 && errno != EINTR)
			return errno;
		if (got == 0)
			return 0;
		text->size += got > 0 ? (size_t)got : 0;
	}
}

/* Reads and checks the list; *hosts: the number of its hosts. */
static int
read_list(struct operation_call *call, const char *path, struct buffer *text, size_t *hosts)
{
	struct host_list list;
	struct slice bad;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail_file(call, PROBLEM_NO_INPUT, path, errno);
	const int number = read_all(fd, text);
	close(fd);
	if (number != 0)
		return fail_file(call, number == EFBIG ? PROBLEM_INVALID : PROBLEM_NO_INPUT, path, number);
	if (!host_list_parse(call->pool, buffer_slice(text), &list, &bad)) {
		const bool shown = bad.size <= DOMAIN_MAX && utf8_valid(bad) && !slice_has_control(bad);
		return operation_fail(call, PROBLEM_INVALID, "%s:%zu: expected host names%s%.*s", path,
		    slice_line_of(buffer_slice(text), bad.data), shown ? ", not " : "", SLICE_ARGS(shown ? bad : SLICE("")));
	}
	*hosts = list.count;
	return list.count > 0 ? EX_OK : operation_fail(call, PROBLEM_INVALID, "%s: there are no host names in it", path);
}

struct domains_update {
	const char *file;
	bool dry_run;
};
static const struct parameter parameters[] = {
	OPTION_WITH("file", value_path, offsetof(struct domains_update, file), PARAMETER_REQUIRED),
	OPTION("dry_run", value_on, offsetof(struct domains_update, dry_run)),
};

static int
run_domains_update(struct operation_call *call)
{
	const char *path = call->conf->lead.disposable_domains_file;
	const char *source = ARGUMENTS(call, struct domains_update)->file;
	const bool apply = !ARGUMENTS(call, struct domains_update)->dry_run;
	size_t hosts = 0;
	struct buffer text;
	if (*path == '\0')
		return operation_fail(
		    call, PROBLEM_CONFIG, "lead.disposable_domains_file is not set: it names the file that is replaced");
	buffer_init(&text, LIST_MAX_BYTES + PIECE_BYTES);
	int status = read_list(call, source, &text, &hosts);
	if (status == EX_OK && text.size > LIST_MAX_BYTES)
		status = fail_file(call, PROBLEM_INVALID, source, EFBIG);
	const int number =
	    status == EX_OK && apply ? replace_file(path, buffer_slice(&text), S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) : 0;
	if (number != 0)
		status = fail_file(call, PROBLEM_CANNOT_CREATE, path, number);
	buffer_free(&text);
	if (status != EX_OK)
		return status;
	output_record(call->output);
	output_text(call->output, "file", slice_of(path));
	output_u64(call->output, "hosts", hosts);
	output_boolean(call->output, "replaced", apply);
	return EX_OK;
}

OPERATION(domains_update, "domains update", "--file FILE [--dry-run]", "replace the list of disposable domains",
    run_domains_update, PARAMETERS(parameters, struct domains_update), .needs = NEEDS_DATABASE_ALONE, .effect = PREPARES);
