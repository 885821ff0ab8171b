/* SPDX-License-Identifier: MIT
 * Landlock as in linux/landlock.h and the kernel's Documentation/userspace-api/landlock.rst. Headers may be older than the
 * running kernel, so everything newer than Linux 5.13 is defined here. */
#include "os/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef HAVE_LINUX_LANDLOCK_H
#include <linux/landlock.h>
#endif

#include "base/attributes.h"
#include "base/pool.h"
#include "os/descriptors.h"

struct sandbox {
	int rules; /* descriptor; -1: not supported by this kernel */
};

void
sandbox_begin(void)
{
	const struct rlimit none = { 0 };
	if (setrlimit(RLIMIT_CORE, &none) != 0)
		log_info("core_dumps_not_off", LOG_ERRNO(errno));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		log_info("no_new_privs_not_set", LOG_ERRNO(errno));
}

void
sandbox_hide(void)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		log_info("memory_not_hidden", LOG_ERRNO(errno));
}

void
sandbox_unhide(void)
{
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)
		log_info("memory_hidden", LOG_ERRNO(errno));
}

#if defined(HAVE_LINUX_LANDLOCK_H) && defined(SYS_landlock_create_ruleset)

enum { ABI_REFER = 2, ABI_TRUNCATE = 3, ABI_TCP = 4 };

#define RIGHT_REFER (UINT64_C(1) << 13)
#define RIGHT_TRUNCATE (UINT64_C(1) << 14)
#define RIGHT_BIND_TCP UINT64_C(1)

/* All rights of the first Landlock version: from "execute" to "make a symbolic link". */
static const uint64_t first_rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

static const uint64_t rights_of_files =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | RIGHT_TRUNCATE;

static const struct {
	unsigned right;
	uint64_t landlock;
} meanings[] = {
	{ SANDBOX_READ, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR },
	{ SANDBOX_WRITE, LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG },
	{ SANDBOX_REMOVE, LANDLOCK_ACCESS_FS_REMOVE_FILE },
};

/* Landlock's version in the running kernel; negative: none. */
static int
landlock_abi(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* Creates rules that allow nothing. */
static int
create_rules(int abi)
{
	/* struct landlock_ruleset_attr; unknown members must be 0 */
	const struct {
		uint64_t files, tcp;
	} handled = {
		.files = first_rights | (abi >= ABI_REFER ? RIGHT_REFER : 0) | (abi >= ABI_TRUNCATE ? RIGHT_TRUNCATE : 0),
		.tcp = abi >= ABI_TCP ? RIGHT_BIND_TCP : 0,
	};
	return (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0);
}

/* Returns -1, with errno set, when this kernel has no Landlock or it is disabled. */
static int
make_rules(enum log_level level)
{
	int abi = landlock_abi(), rules = abi < 0 ? -1 : create_rules(abi);
	if (rules >= 0)
		LOG_AT(level, "sandbox", LOG_INT("landlock", abi),
		    LOG_STR("truncate", abi >= ABI_TRUNCATE ? "refused" : "free"),
		    LOG_STR("tcp_bind", abi >= ABI_TCP ? "refused" : "free"));
	return rules;
}

static void
allow(int rules, const char *path, unsigned rights)
{
	struct landlock_path_beneath_attr rule = { .parent_fd = open(path, O_PATH | O_CLOEXEC) };
	struct stat status;
	if (rule.parent_fd < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if ((rights & meanings[i].right) != 0)
			rule.allowed_access |= meanings[i].landlock;
	if (fstat(rule.parent_fd, &status) != 0 || !S_ISDIR(status.st_mode))
		rule.allowed_access &= rights_of_files; /* other rights do not apply to files and are refused */
	if (rule.allowed_access != 0 && syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
		log_warning("sandbox_rule_failed", LOG_STR("path", path), LOG_ERRNO(errno));
	close(rule.parent_fd);
}

static int
enter_rules(int rules)
{
	return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

#else

static int
make_rules(enum log_level level UNUSED)
{
	errno = ENOSYS;
	return -1;
}

static void
allow(int rules UNUSED, const char *path UNUSED, unsigned rights UNUSED)
{
}

static int
enter_rules(int rules UNUSED)
{
	return -1;
}

#endif

struct sandbox *
sandbox_new(enum log_level level)
{
	struct sandbox *sandbox = memory_alloc(sizeof(*sandbox));
	sandbox->rules = make_rules(level);
	if (sandbox->rules < 0)
		LOG_AT(level, "no_landlock", LOG_ERRNO(errno), LOG_STR("consequence", "files and ports are not restricted"));
	return sandbox;
}

static void
allow_beside(int rules, const struct sandbox_place *place)
{
	char *copy = strdup(place->path); /* dirname(3) modifies it */
	if (copy == NULL)
		memory_exhausted();
	allow(rules, dirname(copy), place->rights);
	free(copy);
}

void
sandbox_allow(struct sandbox *sandbox, const struct sandbox_place *places, size_t count)
{
	if (sandbox->rules < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (places[i].path[0] == '\0')
			continue;
		allow(sandbox->rules, places[i].path, places[i].rights);
		if ((places[i].rights & SANDBOX_BESIDE) != 0)
			allow_beside(sandbox->rules, &places[i]);
	}
}

void
sandbox_enter(struct sandbox **sandbox)
{
	const bool has_rules = *sandbox != NULL && (*sandbox)->rules >= 0;
	if (has_rules && enter_rules((*sandbox)->rules) == 0)
		log_debug("sandbox_entered", LOG_INT("no_new_privs", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)));
	else if (has_rules)
		log_warning(
		    "sandbox_not_entered", LOG_ERRNO(errno), LOG_STR("consequence", "files and ports are not restricted"));
	sandbox_free(sandbox);
}

void
sandbox_free(struct sandbox **sandbox)
{
	if (*sandbox == NULL)
		return;
	descriptor_close((*sandbox)->rules);
	free(*sandbox);
	*sandbox = NULL;
}
