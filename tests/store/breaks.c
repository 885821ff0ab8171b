/* SPDX-License-Identifier: MIT */
#include "breaks.h"

#include "db/db.h"

struct breaks breaks;

enum result __real_db_commit(struct db *db);
enum result __wrap_db_commit(struct db *db);
enum result __real_db_begin(struct db *db);
enum result __wrap_db_begin(struct db *db);

enum result
__wrap_db_commit(struct db *db)
{
	if (breaks.commits == 0)
		return __real_db_commit(db);
	breaks.commits--;
	if (breaks.conflict) {
		db_rollback(db);
		return RESULT_CONFLICT;
	}
	if (breaks.after && __real_db_commit(db) != RESULT_OK)
		return RESULT_FAILED;
	db_disconnect(db);
	if (breaks.meanwhile != NULL)
		breaks.meanwhile();
	return RESULT_UNKNOWN;
}

enum result
__wrap_db_begin(struct db *db)
{
	if (breaks.commits > 0 || breaks.begins == 0)
		return __real_db_begin(db);
	breaks.begins--;
	return breaks.why;
}
