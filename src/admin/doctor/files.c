/* SPDX-License-Identifier: MIT */
#include "admin/doctor/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "admin/doctor/account.h"
#include "conf/setting_table.h"
#include "os/folder.h"
#include "os/log.h"
#include "store/operator/installation_check.h"

/* ---- the configuration: each line that --check-config prints about an error becomes a finding ---- */

/* Lines of conf/file.c about files that others can read or change end with this command, a mode and the file. */
#define CHANGES_MODE SLICE("chmod ")

/* Splits "FILE:LINE: section.key: …" or "VARIABLE: …". Parts that are missing are absent or NULL. */
static void
read_origin(
    struct pool *pool, struct slice problem, struct slice *file, struct slice *line, const struct conf_setting **setting)
{
	struct slice first = slice_sub(problem, 0, slice_find_part(problem, SLICE(": ")));
	struct slice rest = slice_sub(problem, first.size + 2, problem.size);
	const size_t colon = slice_find_last(first, ':');
	uint64_t number;
	*file = *line = SLICE_NONE;
	*setting = NULL;
	if (colon < first.size && slice_to_u64(slice_sub(first, colon + 1, first.size), INT32_MAX, &number)) {
		*file = pool_copy(pool, slice_sub(first, 0, colon));
		*line = pool_copy(pool, slice_sub(first, colon + 1, first.size));
		first = slice_sub(rest, 0, slice_find_part(rest, SLICE(": ")));
	}
	const size_t dot = slice_find(first, '.');
	if (dot < first.size)
		*setting = conf_setting_find(
		    pool_string(pool, slice_sub(first, 0, dot)), pool_string(pool, slice_sub(first, dot + 1, first.size)));
}

static void
add_problem(struct doctor *doctor, struct slice problem)
{
	const size_t mode = slice_find_part(problem, CHANGES_MODE);
	struct slice file, line;
	const struct conf_setting *setting;
	if (mode < problem.size) {
		const struct slice command = slice_sub(problem, mode, problem.size);
		const struct slice words = slice_sub(command, CHANGES_MODE.size, command.size);
		doctor_find(doctor, "file_mode", problem);
		doctor_command(
		    doctor, pool_string(doctor->pool, slice_sub(words, slice_find(words, ' ') + 1, words.size)), command);
		return;
	}
	read_origin(doctor->pool, problem, &file, &line, &setting);
	doctor_find(doctor, "configuration", problem);
	if (slice_starts_with(problem, SLICE("LEADHOOK_")))
		doctor_line(doctor, SLICE("the environment of the programs"), SLICE_NONE,
		    pool_printf(
			doctor->pool, "(correct or remove %.*s)", SLICE_ARGS(slice_sub(problem, 0, slice_find(problem, ':')))));
	if (!slice_present(file) && setting == NULL)
		return;
	const struct slice place = setting != NULL && slice_present(line)
				       ? pool_printf(doctor->pool, "[%s], line %.*s", setting->section, SLICE_ARGS(line))
				   : setting != NULL ? pool_printf(doctor->pool, "[%s]", setting->section)
						     : pool_printf(doctor->pool, "line %.*s", SLICE_ARGS(line));
	/* no good value is known except the default, if there is one */
	doctor_line(doctor, slice_present(file) ? file : doctor->file, place,
	    setting == NULL ? SLICE("(remove or correct this line)")
			    : pool_printf(doctor->pool, "%s = %s", setting->key,
				  *setting->fallback == '\0' ? "(a value as described)" : setting->fallback));
}

void
check_configuration(struct doctor *doctor)
{
	struct slice rest = doctor->call->problems, problem;
	while (slice_next(&rest, '\n', &problem))
		if (problem.size > 0)
			add_problem(doctor, pool_copy(doctor->pool, problem));
	if (doctor->conf != NULL && doctor->conf->absent_file != NULL)
		DOCTOR_SKIP(doctor, "there is no %s: defaults and LEADHOOK_ variables hold", doctor->conf->absent_file);
}

/* ---- files and folders ---- */

/* If a folder in the path keeps the account from the file, adds the command that lets the account pass it. Returns false if
 * there is no such folder. */
static bool
add_way(struct doctor *doctor, const char *path)
{
	const char *folder = account_barrier(doctor, path);
	if (folder != NULL)
		DOCTOR_COMMAND(doctor, folder, "chmod o+x %s", doctor_shell_word(doctor, folder));
	return folder != NULL;
}

/* A file that programs read. If it contains a secret, not every account may read it. */
struct read_file {
	const char *path; /* "": none */
	bool is_secret;
};

/* Adds the command that lets the account's group read a file. The owner stays the same, because the programs never write the
 * file. The path in the command is resolved, so that the command changes the file that it shows, not the target of a link. */
static void
add_reading_command(struct doctor *doctor, const struct read_file *file)
{
	char *real = realpath(file->path, NULL);
	const char *word = doctor_shell_word(doctor, real == NULL ? file->path : pool_string(doctor->pool, slice_of(real)));
	free(real);
	DOCTOR_COMMAND(doctor, file->path, "chgrp %s %s && chmod %s %s", doctor->account.group, word,
	    file->is_secret ? "640" : "ug+r", word);
}

/* A missing file is a finding of the configuration or of the connection to the database. */
static void
check_readable(struct doctor *doctor, const struct read_file *file)
{
	const char *path = file->path;
	struct stat status;
	if (!account_sees(doctor, path) || stat(path, &status) != 0)
		return;
	if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 || (file->is_secret && (status.st_mode & S_IROTH) != 0)) {
		DOCTOR_FIND(doctor, "file_mode", "%s: its mode is %04o", path, (unsigned)status.st_mode & 07777);
		DOCTOR_COMMAND(doctor, path, "chmod %s %s", file->is_secret ? "640" : "go-w", doctor_shell_word(doctor, path));
	}
	if (!account_may(doctor, path, R_OK)) {
		DOCTOR_FIND(doctor, "file_access", "%s: the account %s may not read it", path, doctor->account.name);
		if (!add_way(doctor, path))
			add_reading_command(doctor, file);
	}
}

/* The configuration and what the programs write must belong to the same account. Files that belong to root are another finding,
 * or none. */
static void
check_owner(struct doctor *doctor)
{
	struct stat configuration, state;
	const char *folder = doctor->conf->server.state_dir;
	if (*folder == '\0' || stat(doctor->file.data, &configuration) != 0 || stat(folder, &state) != 0 ||
	    configuration.st_uid == 0 || state.st_uid == 0 || configuration.st_uid == state.st_uid)
		return;
	DOCTOR_FIND(doctor, "account_mismatch", "%s belongs to account %lu, %s to account %lu", doctor->file.data,
	    (unsigned long)configuration.st_uid, folder, (unsigned long)state.st_uid);
	DOCTOR_COMMAND(
	    doctor, folder, "chown -R %lu %s", (unsigned long)configuration.st_uid, doctor_shell_word(doctor, folder));
}

void
check_files(struct doctor *doctor)
{
	const struct conf *conf = doctor->conf;
	const char *password_file = getenv("LEADHOOK_DATABASE_PASSWORD_FILE");
	const struct read_file files[] = {
		{ conf->absent_file == NULL ? conf->file : "", false }, /* conf/file.c refuses one that others may read */
		{ conf->database.option_file, true },
		{ password_file == NULL ? "" : password_file, true },
		{ conf->lead.disposable_domains_file, false },
		{ conf->database.tls_ca, false },
		{ conf->mail.tls_ca, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (*files[i].path != '\0')
			check_readable(doctor, &files[i]);
	check_owner(doctor);
}

/* Whether the programs trust that the account wrote the existing file (folder_open_file). */
static bool
is_trusted_file(const struct doctor *doctor, const char *folder, const struct stat *file)
{
	struct stat status;
	return stat(folder, &status) != 0 || folder_admits(&status, file, doctor->account.uid);
}

/* A folder that others may use, such as /run, contains folders. The programs' own folder contains only files. */
static bool
has_folders(const char *path)
{
	bool found = false;
	struct stat status;
	DIR *folder = opendir(path);
	for (struct dirent *entry; !found && folder != NULL && (entry = readdir(folder)) != NULL;)
		found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
	if (folder != NULL)
		closedir(folder);
	return found;
}

/* Adds the command that makes a folder for the account alone: a new one, or the existing one if nothing else can need it.
 * Returns false if another folder must be used. */
static bool
add_folder_command(struct doctor *doctor, const char *path)
{
	struct stat status;
	const bool exists = lstat(path, &status) == 0;
	if (add_way(doctor, path))
		return true;
	if (exists && (!S_ISDIR(status.st_mode) || (status.st_uid != doctor->account.uid && has_folders(path))))
		return false;
	DOCTOR_COMMAND(doctor, path, "install -d -o %s -m 700 %s", doctor->account.name, doctor_shell_word(doctor, path));
	return true;
}

static void
add_state_folder(struct doctor *doctor, const char *path)
{
	if (!add_folder_command(doctor, path))
		DOCTOR_SETTING(doctor, "server", "state_dir", "(a folder of %s alone)", doctor->account.name);
}

void
check_state(struct doctor *doctor)
{
	const char *path = doctor->conf->server.state_dir;
	struct stat status;
	if (*path == '\0' || !account_sees(doctor, path))
		return;
	if (stat(path, &status) != 0) {
		DOCTOR_FIND(doctor, "state_dir_missing", "%s: %s", path, strerror(errno));
		add_state_folder(doctor, path);
		return;
	}
	if (!S_ISDIR(status.st_mode) || !account_may(doctor, path, R_OK | W_OK | X_OK)) {
		DOCTOR_FIND(doctor, "state_dir_access", "%s: the account %s may not write there", path, doctor->account.name);
		add_state_folder(doctor, path);
	}
	if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
		DOCTOR_FIND(doctor, "state_dir_mode", "%s: its mode is %04o", path, (unsigned)status.st_mode & 07777);
		DOCTOR_COMMAND(doctor, path, "chmod 700 %s", doctor_shell_word(doctor, path));
	}
}

/* The dispatcher uses a regular file of its own, or creates one. Anything else at the path is removed. The option -h of chown
 * keeps it from following a link and changing the owner of another file. */
static void
add_lock_command(struct doctor *doctor, const char *path, mode_t mode)
{
	const char *word = doctor_shell_word(doctor, path);
	if (S_ISREG(mode))
		DOCTOR_COMMAND(doctor, path, "chown -h %s %s", doctor->account.name, word);
	else
		DOCTOR_COMMAND(doctor, path, "%s %s", S_ISDIR(mode) ? "rmdir" : "rm", word);
}

void
check_lock_file(struct doctor *doctor)
{
	const char *path = doctor->conf->dispatch.lock_file;
	const char *folder = account_folder_of(doctor->pool, path);
	struct stat status;
	if (!account_sees(doctor, path))
		return;
	if (lstat(path, &status) == 0) {
		const bool admitted = is_trusted_file(doctor, folder, &status);
		if (S_ISREG(status.st_mode) && admitted && account_may(doctor, path, R_OK | W_OK))
			return;
		DOCTOR_FIND(doctor, "lock_file_owner", "%s: %s; it belongs to account %lu", path,
		    !S_ISREG(status.st_mode) ? "it is no regular file"
		    : !admitted              ? "others can put files into its folder"
				: pool_printf(doctor->pool, "the account %s may not write to it", doctor->account.name).data,
		    (unsigned long)status.st_uid);
		add_lock_command(doctor, path, status.st_mode);
	} else if (stat(folder, &status) != 0 || !account_may(doctor, folder, W_OK | X_OK)) {
		const char *state = doctor->conf->server.state_dir;
		DOCTOR_FIND(doctor, "lock_file_directory", "%s: the account %s cannot create a file there", folder,
		    doctor->account.name);
		if (!add_folder_command(doctor, folder) || *state != '\0')
			DOCTOR_SETTING(doctor, "dispatch", "lock_file", "%s/dispatch.lock",
			    *state == '\0' ? "(a folder of the account)" : state);
	}
}

void
check_log(struct doctor *doctor)
{
	const char *path = doctor->conf->log.file;
	const char *folder = account_folder_of(doctor->pool, path);
	struct stat file;
	if (*path == '\0' || !account_sees(doctor, path))
		return;
	const bool exists = lstat(path, &file) == 0, has_folder = access(folder, F_OK) == 0;
	const bool admitted = !exists || is_trusted_file(doctor, folder, &file);
	if (admitted && (exists ? account_may(doctor, path, W_OK) : account_may(doctor, folder, W_OK | X_OK)))
		return;
	DOCTOR_FIND(doctor, "log_file", "%s: the account %s %s", path, doctor->account.name,
	    admitted ? "cannot write to it" : "does not own it, and others can put files there");
	if (add_way(doctor, path))
		return;
	/* an existing log is kept: only its owner changes */
	const char *word = doctor_shell_word(doctor, has_folder ? path : folder), *name = doctor->account.name;
	if (exists)
		DOCTOR_COMMAND(doctor, path, "chown -h %s %s", name, word);
	else if (has_folder)
		DOCTOR_COMMAND(doctor, path, "install -o %s -m 640 /dev/null %s", name, word);
	else
		DOCTOR_COMMAND(doctor, path, "install -d -o %s %s", name, word);
}

void
check_syslog(struct doctor *doctor)
{
	static const char usual[] = "/dev/log";
	const struct conf_log *log = &doctor->conf->log;
	if (*log->syslog == '\0' || !account_sees(doctor, log->syslog_socket))
		return;
	const bool answers = log_could_use_syslog(log->syslog_socket);
	if (answers && account_may(doctor, log->syslog_socket, W_OK))
		return;
	DOCTOR_FIND(doctor, "syslog", "%s: %s", log->syslog_socket,
	    answers ? pool_printf(doctor->pool, "the account %s may not write to it", doctor->account.name).data
		    : strerror(errno));
	if (strcmp(log->syslog_socket, usual) != 0)
		doctor_setting(doctor, "log", "syslog_socket", slice_of(usual));
	else
		DOCTOR_COMMAND(doctor, usual, "systemctl start systemd-journald-dev-log.socket");
}

/* ---- space ---- */

int
disk_fullness(uint64_t total, uint64_t available, uint64_t total_inodes, uint64_t available_inodes)
{
	enum { NEARLY_PERCENT = 5, FULL_PERCENT = 1, HUNDRED = 100 };
	static const uint64_t enough = UINT64_C(4) << 30; /* 5 % of a large file system is plenty */
	const bool few_inodes = total_inodes > 0 && available_inodes <= total_inodes / HUNDRED;
	if (total == 0)
		return 0;
	if (few_inodes || available <= total / HUNDRED * FULL_PERCENT)
		return available < enough || few_inodes ? 2 : 0;
	return available <= total / HUNDRED * NEARLY_PERCENT && available < enough ? 1 : 0;
}

static void
check_space(struct doctor *doctor, const char *path, const char *of)
{
	enum { MEBIBYTE = 1024 * 1024 };
	struct statvfs space;
	if (statvfs(path, &space) != 0)
		return;
	const uint64_t unit = space.f_frsize, total = unit * space.f_blocks, available = unit * space.f_bavail;
	const int full = disk_fullness(total, available, space.f_files, space.f_favail);
	if (full == 0)
		return;
	DOCTOR_FIND(doctor, "disk_space",
	    "%s (%s): %" PRIu64 " of %" PRIu64 " MiB and %" PRIu64 " of %" PRIu64 " inodes are free", path, of,
	    available / MEBIBYTE, total / MEBIBYTE, (uint64_t)space.f_favail, (uint64_t)space.f_files);
	if (full > 1)
		doctor->findings[doctor->count - 1].severity = DOCTOR_ERROR;
	DOCTOR_COMMAND(doctor, path, "du -xh %s | sort -h | tail", doctor_shell_word(doctor, path));
}

void
check_disk(struct doctor *doctor)
{
	const struct conf *conf = doctor->conf;
	struct server_facts server = { .data_folder = SLICE_NONE };
	if (doctor->has_database && !doctor_has_read(doctor, store_read_server(doctor->call->store, doctor->pool, &server)))
		server.data_folder = SLICE_NONE;
	if (*conf->server.state_dir != '\0')
		check_space(doctor, conf->server.state_dir, "server.state_dir");
	if (*conf->log.file != '\0')
		check_space(doctor, account_folder_of(doctor->pool, conf->log.file), "log.file");
	if (slice_present(server.data_folder))
		check_space(doctor, pool_string(doctor->pool, server.data_folder), "data of the database");
}
