/* SPDX-License-Identifier: MIT */
#include "admin/doctor/account.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GROUPS_MAX = 256 };

/* Returns the owner of the files; 0 if root owns all of them, because such files do not show which account it is. */
static uid_t
owner_of_files(const struct doctor *doctor)
{
	const char *paths[] = { doctor->conf == NULL ? "" : doctor->conf->server.state_dir, doctor->file.data };
	struct stat status;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (*paths[i] != '\0' && stat(paths[i], &status) == 0 && status.st_uid != 0)
			return status.st_uid;
	return 0;
}

static uid_t
namesake_of_group(const char *path)
{
	struct stat status;
	if (*path == '\0' || stat(path, &status) != 0 || status.st_gid == 0 || (status.st_mode & S_IRGRP) == 0)
		return 0;
	const struct group *group = getgrgid(status.st_gid);
	const struct passwd *entry = group == NULL ? NULL : getpwnam(group->gr_name);
	return entry == NULL ? 0 : entry->pw_uid;
}

void
account_find(struct doctor *doctor)
{
	struct service_account *account = &doctor->account;
	*account = (struct service_account){ .uid = owner_of_files(doctor) };
	if (account->uid == 0)
		account->uid = namesake_of_group(doctor->file.data);
	if (account->uid == 0)
		account->uid = geteuid();
	const struct passwd *entry = getpwuid(account->uid);
	account->name = entry == NULL ? pool_printf(doctor->pool, "%lu", (unsigned long)account->uid).data
				      : pool_string(doctor->pool, slice_of(entry->pw_name));
	const gid_t gid = entry == NULL ? getegid() : entry->pw_gid;
	const struct group *group = getgrgid(gid);
	account->group = group == NULL ? pool_printf(doctor->pool, "%lu", (unsigned long)gid).data
				       : pool_string(doctor->pool, slice_of(group->gr_name));
	if (entry == NULL)
		return;
	account->groups = POOL_ARRAY(doctor->pool, GROUPS_MAX, gid_t);
	account->group_count = GROUPS_MAX;
	if (getgrouplist(entry->pw_name, entry->pw_gid, account->groups, &account->group_count) < 0)
		account->group_count = GROUPS_MAX;
}

static bool
is_member(const struct service_account *account, gid_t group)
{
	for (int i = 0; i < account->group_count; i++)
		if (account->groups[i] == group)
			return true;
	return false;
}

/* By mode and owner; access control lists are ignored. */
static bool
may_by_mode(const struct service_account *account, const struct stat *status, int what)
{
	const mode_t mode = status->st_mode;
	const unsigned shift = status->st_uid == account->uid ? 6 : is_member(account, status->st_gid) ? 3 : 0;
	return ((mode >> shift) & (unsigned)what) == (unsigned)what;
}

const char *
account_barrier(const struct doctor *doctor, const char *path)
{
	struct slice text = slice_of(path);
	for (size_t end = 1; end < text.size; end++) {
		struct stat status;
		if (text.data[end] != '/')
			continue;
		const char *folder = pool_string(doctor->pool, slice_sub(text, 0, end));
		if (stat(folder, &status) == 0 && !may_by_mode(&doctor->account, &status, X_OK))
			return folder;
	}
	return NULL;
}

bool
account_sees(struct doctor *doctor, const char *path)
{
	struct stat status;
	if (geteuid() == 0 || lstat(path, &status) == 0 || errno != EACCES)
		return true;
	DOCTOR_SKIP(doctor, "%s: run this as root, or as %s", path, doctor->account.name);
	return false;
}

bool
account_may(const struct doctor *doctor, const char *path, int what)
{
	struct stat status;
	if (doctor->account.uid == geteuid())
		return access(path, what) == 0;
	return stat(path, &status) == 0 && account_barrier(doctor, path) == NULL &&
	       may_by_mode(&doctor->account, &status, what);
}

const char *
account_folder_of(struct pool *pool, const char *path)
{
	const struct slice text = slice_of(path);
	const size_t slash = slice_find_last(text, '/');
	return slash == 0 || slash == text.size ? "/" : pool_string(pool, slice_sub(text, 0, slash));
}
