/* SPDX-License-Identifier: MIT */
#include "admin/data/import_file.h"

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/temporary.h"

enum { PIECE_BYTES = 64 * 1024, BEGINNING_BYTES = 64 * 1024, UTF8_PER_BYTE = 4 };

struct copy {
	struct admin_call *call;
	const char *path;
	FILE *to;
	const char *encoding;
	iconv_t converter; /* (iconv_t)-1: the bytes stay */
	bool returns_only; /* lines end with CR alone, as old spreadsheets write them */
	uint64_t read;     /* bytes before the piece */
};

static int
fail_read(struct admin_call *call, const char *path, int number)
{
	admin_fail(call, PROBLEM_NO_INPUT, "%s: %s", path, strerror(number));
	return -1;
}

static bool
fail_copy(const struct copy *copy, int number)
{
	fail_read(copy->call, copy->path, number);
	return false;
}

/* Writes a piece. False: errno. */
static bool
put(const struct copy *copy, char *bytes, size_t size)
{
	for (size_t i = 0; copy->returns_only && i < size; i++)
		bytes[i] = bytes[i] == '\r' ? '\n' : bytes[i];
	return fwrite(bytes, 1, size, copy->to) == size;
}

/* Converts a piece, and moves what is incomplete at its end to its beginning: *left bytes. */
static bool
convert(const struct copy *copy, char *bytes, size_t size, size_t *left)
{
	char converted[PIECE_BYTES * UTF8_PER_BYTE];
	char *in = bytes, *out = converted;
	size_t in_left = size, out_left = sizeof(converted);
	if (iconv(copy->converter, &in, &in_left, &out, &out_left) == (size_t)-1 && errno != EINVAL) {
		admin_fail(copy->call, PROBLEM_INVALID, "%s: byte %" PRIu64 " is not valid %s", copy->path,
		    copy->read + (uint64_t)(in - bytes), copy->encoding);
		return false;
	}
	memmove(bytes, in, in_left);
	*left = in_left;
	return put(copy, converted, sizeof(converted) - out_left) || fail_copy(copy, errno);
}

/* Copies all of it. */
static bool
copy_bytes(struct copy *copy, int from)
{
	char bytes[PIECE_BYTES];
	size_t left = 0;
	for (;;) {
		const ssize_t got = read(from, bytes + left, sizeof(bytes) - left);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || (got == 0 && left > 0))
			return fail_copy(copy, got < 0 ? errno : EILSEQ);
		if (got == 0)
			return true;
		const size_t size = left + (size_t)got;
		if (copy->converter == (iconv_t)-1) {
			if (!put(copy, bytes, size))
				return fail_copy(copy, errno);
		} else if (!convert(copy, bytes, size, &left)) {
			return false;
		}
		copy->read += size - left;
	}
}

/* Closes a file that has no other name, and returns a descriptor of it; -1: errno. */
static int
descriptor_of(FILE *file)
{
	const int fd = fflush(file) == 0 ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
	const int number = errno;
	fclose(file);
	errno = number;
	return fd;
}

/* Copies it to a temporary file, which has no name. Returns its descriptor, or -1 after reporting the error. */
static int
spool(struct copy *copy, int from)
{
	copy->to = copy->call->is_remote ? temporary_in_memory() : tmpfile();
	if (copy->to == NULL)
		return fail_read(copy->call, copy->path, errno);
	if (!copy_bytes(copy, from)) {
		fclose(copy->to);
		return -1;
	}
	const int fd = descriptor_of(copy->to);
	return fd >= 0 ? fd : fail_read(copy->call, copy->path, errno);
}

/* Whether the first line of a file ends with CR alone. */
static bool
has_returns_only(int fd)
{
	char bytes[BEGINNING_BYTES];
	const ssize_t got = pread(fd, bytes, sizeof(bytes), 0);
	bool quoted = false;
	for (ssize_t i = 0; i + 1 < got; i++) {
		quoted = bytes[i] == '"' ? !quoted : quoted;
		if (!quoted && (bytes[i] == '\r' || bytes[i] == '\n'))
			return bytes[i] == '\r' && bytes[i + 1] != '\n';
	}
	return false;
}

/* UTF-16 begins with this mark. */
static bool
has_utf16_mark(int fd)
{
	unsigned char bytes[2];
	return pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes) &&
	       ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff));
}

static bool
use_encoding(struct copy *copy, const char *name)
{
	copy->encoding = name;
	copy->converter = iconv_open("UTF-8", name);
	if (copy->converter == (iconv_t)-1)
		admin_fail(copy->call, PROBLEM_USAGE, "--encoding: %s is not supported here (see iconv -l)", name);
	return copy->converter != (iconv_t)-1;
}

/* Replaces the file by its copy as `copy` says. Returns the descriptor, or -1 after reporting the error. */
static int
replace_by_copy(struct copy *copy, int fd, struct stat *about)
{
	const int spooled = spool(copy, fd);
	close(fd);
	if (copy->converter != (iconv_t)-1)
		iconv_close(copy->converter);
	copy->converter = (iconv_t)-1;
	copy->read = 0;
	if (spooled < 0 || (fstat(spooled, about) == 0 && lseek(spooled, 0, SEEK_SET) == 0))
		return spooled;
	const int status = fail_read(copy->call, copy->path, errno);
	close(spooled);
	return status;
}

/* Returns a descriptor of it; -1: errno. */
static int
write_text(const char *text)
{
	FILE *file = temporary_in_memory();
	if (file == NULL)
		return -1;
	if (fputs(text, file) >= 0)
		return descriptor_of(file);
	fclose(file);
	return -1;
}

/* The records of a remote call. */
static int
open_text(struct copy *copy, struct stat *about)
{
	const int fd = write_text(copy->path);
	copy->path = "records";
	if (fd < 0 || fstat(fd, about) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
		admin_fail(copy->call, PROBLEM_INTERNAL, "there is no memory for the records");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	copy->returns_only = has_returns_only(fd);
	return copy->returns_only ? replace_by_copy(copy, fd, about) : fd;
}

/* A regular file in UTF-8 is read in place. Any other is copied: what is no file, then what has another encoding, then other
 * line ends. */
int
import_file_open(struct admin_call *call, const char *operand, struct stat *about)
{
	struct copy copy = { .call = call, .path = operand, .converter = (iconv_t)-1 };
	const char *encoding = call->options[OPTION_ENCODING];
	const bool standard = strcmp(operand, "-") == 0;
	if (call->is_remote)
		return open_text(&copy, about);
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(operand, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, about) != 0)
		return fail_read(call, operand, errno);
	if (!S_ISREG(about->st_mode))
		fd = replace_by_copy(&copy, fd, about);
	if (fd >= 0 && encoding == NULL && has_utf16_mark(fd))
		encoding = "UTF-16";
	if (fd >= 0 && encoding != NULL && strcasecmp(encoding, "UTF-8") != 0)
		fd = use_encoding(&copy, encoding) ? replace_by_copy(&copy, fd, about) : -1;
	copy.returns_only = fd >= 0 && has_returns_only(fd);
	return copy.returns_only ? replace_by_copy(&copy, fd, about) : fd;
}

enum records_format
import_file_format(int fd)
{
	char bytes[256];
	const ssize_t got = pread(fd, bytes, sizeof(bytes), 0);
	struct slice text = { bytes, got < 0 ? 0 : (size_t)got };
	if (slice_starts_with(text, SLICE("\xef\xbb\xbf")))
		text = slice_sub(text, 3, text.size);
	return slice_starts_with(slice_trim(text), SLICE("{")) ? RECORDS_NDJSON : RECORDS_CSV;
}
