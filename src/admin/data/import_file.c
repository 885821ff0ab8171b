/* SPDX-License-Identifier: MIT */
#include "admin/data/import_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "crypto/base64.h"
#include "os/descriptors.h"
#include "os/replacement.h"
#include "transfer/file_kind.h"

enum { PIECE_BYTES = 64 * 1024, BEGINNING_BYTES = 4096 };

static int
fail_read(struct operation_call *call, const char *path, int number)
{
	operation_fail(call, PROBLEM_NO_INPUT, "%s: %s", path, strerror(number));
	return -1;
}

/* Closes a new temporary file, and returns a descriptor of it; -1 with errno after a failure. */
static int
descriptor_of(FILE *file)
{
	const int fd = file == NULL ? -1 : fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
	const int number = errno;
	if (file != NULL)
		fclose(file);
	errno = number;
	return fd;
}

/* Copies what can be read only once to a temporary file; -1 with errno after a failure. */
static int
spool(int from)
{
	char bytes[PIECE_BYTES];
	const int to = descriptor_of(tmpfile());
	while (to >= 0) {
		const ssize_t got = read(from, bytes, sizeof(bytes));
		if (got == 0)
			return to;
		if (got < 0 && errno == EINTR)
			continue;
		const int number = got < 0 ? errno : write_fully(to, (struct slice){ bytes, (size_t)got });
		if (number != 0) {
			close(to);
			errno = number;
			return -1;
		}
	}
	return -1;
}

/* Opens the records in the arguments of a call over HTTP. */
static int
open_text(struct operation_call *call, const struct import_arguments *arguments)
{
	struct slice text = arguments->records.text;
	if (arguments->base64 && !base64_decode(call->pool, text, &text)) {
		operation_fail_value(call, PROBLEM_INVALID, "records", "expected Base64, on one line and with padding");
		return -1;
	}
	const int fd = descriptor_of(descriptor_in_memory());
	if (fd >= 0 && write_fully(fd, text) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	operation_fail(call, PROBLEM_INTERNAL, "there is no memory for the records");
	return -1;
}

/* Opens the file that a command names. Anything but a regular file is copied, because it is read twice. */
static int
open_path(struct operation_call *call, const char *path, struct stat *about)
{
	const bool standard = strcmp(path, "-") == 0;
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail_read(call, path, errno);
	if (fstat(fd, about) != 0 || !S_ISREG(about->st_mode)) {
		const int spooled = spool(fd);
		close(fd);
		fd = spooled;
	}
	return fd >= 0 ? fd : fail_read(call, path, errno);
}

int
import_file_open(struct operation_call *call, const struct import_arguments *arguments, struct stat *about)
{
	const char *path = arguments->records.path;
	const int fd = path != NULL ? open_path(call, path, about) : open_text(call, arguments);
	if (fd < 0 || fstat(fd, about) == 0)
		return fd;
	return fail_read(call, path != NULL ? path : "records", errno);
}

/* Examines whole lines, except lines that are longer than PIECE_BYTES. If this is a part of a file, its last line may be cut
 * off, and is left out. */
static bool
survey(const struct import_run *run, struct encoding_survey *found)
{
	char piece[PIECE_BYTES];
	size_t got;
	for (uint64_t offset = 0;; offset += got) {
		if (!records_read_at(run->fd, piece, sizeof(piece), offset, &got))
			return false;
		if (got == 0 || found->is_wide)
			return true;
		size_t whole = got;
		while ((run->arguments->more || got == sizeof(piece)) && whole > 0 && piece[whole - 1] != '\n' &&
		       piece[whole - 1] != '\r')
			whole--;
		if (whole == 0 && got < sizeof(piece) && offset > 0)
			return true;
		got = whole > 0 ? whole : got;
		encoding_survey_add(found, (struct slice){ piece, got });
	}
}

/* Detects the encoding if --encoding is not given. */
static int
find_encoding(struct import_run *run)
{
	struct operation_call *call = run->call;
	struct encoding_survey found = { 0 };
	bool certain;
	if (!survey(run, &found))
		return operation_fail(call, PROBLEM_IO, "the file could not be read: %s", strerror(errno));
	if (!encoding_surveyed(&found, &run->encoding, &certain))
		return operation_fail(call, PROBLEM_INVALID,
		    "the encoding of the file cannot be told: save it as \"CSV UTF-8\" in the spreadsheet, convert it to "
		    "UTF-8, "
		    "for example by iconv -f GBK -t UTF-8, or name it with %s",
		    parameter_shown(call, "encoding"));
	if (!certain)
		run->unsure = encoding_sample(call->pool, &found, &run->encoding);
	if (slice_present(run->unsure) && run->encoding.form == ENCODING_BYTES && !run->arguments->look)
		operation_warn(call,
		    "the encoding is a guess: as %.*s the file has \"%.*s\"; if that is wrong, name it with %s",
		    SLICE_ARGS(encoding_name(call->pool, &run->encoding)), SLICE_ARGS(run->unsure),
		    parameter_shown(call, "encoding"));
	return EX_OK;
}

/* A file that begins with { is NDJSON. */
static enum records_format
format_of(const struct charset *encoding, struct slice beginning)
{
	char text[3 * BEGINNING_BYTES];
	size_t used;
	beginning = slice_sub(beginning, encoding_mark_size(beginning, encoding), beginning.size);
	if (encoding->form == ENCODING_UTF16LE || encoding->form == ENCODING_UTF16BE)
		beginning = (struct slice){ text, encoding_convert(encoding, beginning, text, &used) };
	return slice_starts_with(slice_trim(beginning), SLICE("{")) ? RECORDS_NDJSON : RECORDS_CSV;
}

int
import_file_examine(struct import_run *run)
{
	char bytes[BEGINNING_BYTES];
	size_t got;
	int status = EX_OK;
	if (!records_read_at(run->fd, bytes, sizeof(bytes), 0, &got))
		return operation_fail(run->call, PROBLEM_IO, "the file could not be read: %s", strerror(errno));
	const char *kind = file_kind((struct slice){ bytes, got });
	if (kind != NULL)
		return operation_fail(run->call, PROBLEM_INVALID, "the file is %s", kind);
	if (run->arguments->has_encoding)
		run->encoding = run->arguments->encoding;
	else
		status = find_encoding(run);
	run->format = format_of(&run->encoding, (struct slice){ bytes, got });
	return status;
}
