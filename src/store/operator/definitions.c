/* SPDX-License-Identifier: MIT
 * Tags, actions and reward levels of a campaign, as its operator manages them.
 *
 * Each change is made under the lock that every batch takes first: a batch sees all of it or nothing. */
#include "store/operator/definitions.h"

#include "store/find.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_insert_tag, "INSERT INTO {prefix}tags (name, description, points, id, campaign_id)"
			     " VALUES (?, ?, ?, ?, ?)");
DB_STATEMENT(sql_insert_action, "INSERT INTO {prefix}actions (text, points, tag_id, public, link, id, campaign_id)"
				" VALUES (?, ?, ?, ?, ?, ?, ?)");
DB_STATEMENT(sql_insert_reward, "INSERT INTO {prefix}reward_levels (subject, required_points, emailed, id, campaign_id)"
				" VALUES (?, ?, ?, ?, ?)");
DB_STATEMENT(sql_update_tag, "UPDATE {prefix}tags SET name = ?, description = ?, points = ? WHERE id = ?");
DB_STATEMENT(
    sql_update_action, "UPDATE {prefix}actions SET text = ?, points = ?, tag_id = ?, public = ?, link = ? WHERE id = ?");
DB_STATEMENT(sql_update_reward, "UPDATE {prefix}reward_levels"
				" SET subject = ?, required_points = ?, emailed = ?"
				" WHERE id = ?");
DB_STATEMENT(sql_delete_tag, "DELETE FROM {prefix}tags WHERE id = ?");
DB_STATEMENT(sql_delete_action, "DELETE FROM {prefix}actions WHERE id = ?");
DB_STATEMENT(sql_delete_reward, "DELETE FROM {prefix}reward_levels WHERE id = ?");
DB_STATEMENT(sql_select_campaign_of_tag, "SELECT campaign_id FROM {prefix}tags WHERE id = ?");
DB_STATEMENT(sql_select_campaign_of_action, "SELECT campaign_id FROM {prefix}actions WHERE id = ?");
DB_STATEMENT(sql_select_campaign_of_reward, "SELECT campaign_id FROM {prefix}reward_levels WHERE id = ?");

enum { VALUES_MAX = 5 };

/* sql_insert_… and sql_update_… begin with the columns of put_values; then come the id and, for a new one, the campaign. */
static const struct {
	enum id_kind ids;
	size_t most; /* per campaign */
	const struct db_statement *insert, *update, *remove, *find;
} kinds[] = {
	[DEFINITION_TAG] = { ID_TAG, TAGS_MAX, &sql_insert_tag, &sql_update_tag, &sql_delete_tag, &sql_select_campaign_of_tag },
	[DEFINITION_ACTION] = { ID_ACTION, ACTIONS_MAX, &sql_insert_action, &sql_update_action, &sql_delete_action,
	    &sql_select_campaign_of_action },
	[DEFINITION_REWARD] = { ID_REWARD_LEVEL, REWARD_LEVELS_MAX, &sql_insert_reward, &sql_update_reward, &sql_delete_reward,
	    &sql_select_campaign_of_reward },
};

size_t
store_definitions_max(enum definition_kind kind)
{
	return kinds[kind].most;
}

/* Returns how many there are, at most VALUES_MAX. */
static size_t
put_values(struct db_value *values, const struct definition *definition)
{
	const struct tag *tag = &definition->as.tag;
	const struct action *action = &definition->as.action;
	const struct reward_level *reward = &definition->as.reward;
	switch (definition->kind) {
	case DEFINITION_TAG:
		values[0] = db_bytes(tag->name);
		values[1] = db_bytes(tag->description);
		values[2] = DB_I64(tag->points);
		return 3;
	case DEFINITION_ACTION:
		values[0] = db_bytes(action->text);
		values[1] = DB_I64(action->points);
		values[2] = action->tag_id == 0 ? DB_NONE : DB_U64(action->tag_id);
		values[3] = DB_BOOL(action->public);
		values[4] = db_bytes(action->link);
		return 5;
	case DEFINITION_REWARD:
		values[0] = db_bytes(reward->subject);
		values[1] = DB_U64(reward->required_points);
		values[2] = DB_BOOL(reward->emailed);
		return 3;
	}
	return 0;
}

static size_t
count_of(const struct definitions *all, enum definition_kind kind)
{
	return kind == DEFINITION_TAG ? all->tag_count : kind == DEFINITION_ACTION ? all->action_count : all->reward_count;
}

static bool
find_by_id(const struct definitions *all, enum definition_kind kind, uint64_t id, struct definition *found)
{
	*found = (struct definition){ .kind = kind };
	for (size_t i = 0; i < count_of(all, kind); i++) {
		if (kind == DEFINITION_TAG)
			found->as.tag = all->tags[i];
		else if (kind == DEFINITION_ACTION)
			found->as.action = all->actions[i];
		else
			found->as.reward = all->rewards[i];
		if (found->as.tag.id == id) /* the first member of all three */
			return true;
	}
	return false;
}

/* `id`: 0 for a new definition. */
static enum definition_refusal
judge(const struct definitions *all, uint64_t id, const struct definition *definition)
{
	if (id == 0 && count_of(all, definition->kind) >= kinds[definition->kind].most)
		return DEFINITION_TOO_MANY;
	if (definition->kind == DEFINITION_ACTION && definition->as.action.tag_id != 0 &&
	    definitions_tag(all, definition->as.action.tag_id) == NULL)
		return DEFINITION_NO_TAG;
	for (size_t i = 0; definition->kind == DEFINITION_TAG && i < all->tag_count; i++)
		if (all->tags[i].id != id && slice_equal(all->tags[i].name, definition->as.tag.name))
			return DEFINITION_NAME_TAKEN;
	return DEFINITION_FITS;
}

static enum result
insert_definition(struct store *store, struct pool *pool, const struct precondition *precondition, uint64_t campaign_id,
    struct new_definition *new)
{
	const struct definition *definition = new->definition;
	const enum definition_kind kind = definition->kind;
	struct definitions all;
	struct db_value values[VALUES_MAX + 2];
	enum result result = store_lock_settings(store, campaign_id, precondition);
	if (result == RESULT_OK)
		result = store_find_definitions(store, pool, campaign_id, &all);
	if (result != RESULT_OK)
		return result;
	new->refusal = judge(&all, 0, definition);
	if (new->refusal != DEFINITION_FITS)
		return RESULT_REFUSED;
	result = store_take_id(store, pool, precondition, kinds[kind].ids, &new->id);
	size_t count = put_values(values, definition);
	values[count++] = DB_U64(new->id);
	values[count++] = DB_U64(campaign_id);
	return result == RESULT_OK ? store_change_one_row(store, kinds[kind].insert, &DB_ARRAY(values, count)) : result;
}

enum result
store_add_definition(
    struct store *store, const struct precondition *precondition, uint64_t campaign_id, struct new_definition *new)
{
	/* not repeated if it may have been committed: there would be two of them */
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		txn.result = insert_definition(store, txn.pool, precondition, campaign_id, new);
	return txn.result;
}

/* Locks the settings of a definition's campaign, and finds the definition. */
static enum result
lock_definition(struct store *store, struct pool *pool, const struct precondition *precondition,
    const struct definition_reference *reference, struct definitions *all, struct definition *definition)
{
	struct db_rows rows;
	enum result result = store_query_one(store, pool, &rows, kinds[reference->kind].find, DB_U64(reference->id));
	if (result != RESULT_OK)
		return result;
	const uint64_t campaign_id = db_get_u64(&rows, 0, 0);
	result = store_lock_settings(store, campaign_id, precondition);
	if (result == RESULT_OK)
		result = store_find_definitions(store, pool, campaign_id, all);
	/* it may have been removed in the meantime */
	return result == RESULT_OK && !find_by_id(all, reference->kind, reference->id, definition) ? RESULT_NOT_FOUND : result;
}

static enum result
edit_definition(struct store *store, struct pool *pool, const struct precondition *precondition,
    const struct definition_reference *reference, struct definition_change *change)
{
	struct definitions all;
	struct definition definition;
	struct db_value values[VALUES_MAX + 1];
	const enum result result = lock_definition(store, pool, precondition, reference, &all, &definition);
	if (result != RESULT_OK)
		return result;
	change->refusal =
	    change->edit(change->context, &definition) ? judge(&all, reference->id, &definition) : DEFINITION_REFUSED;
	if (change->refusal != DEFINITION_FITS)
		return RESULT_REFUSED;
	size_t count = put_values(values, &definition);
	values[count++] = DB_U64(reference->id);
	return store_change_one_row(store, kinds[reference->kind].update, &DB_ARRAY(values, count));
}

enum result
store_edit_definition(struct store *store, const struct precondition *precondition,
    const struct definition_reference *reference, struct definition_change *change)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = edit_definition(store, txn.pool, precondition, reference, change);
	return txn.result;
}

enum result
store_remove_definition(
    struct store *store, const struct precondition *precondition, const struct definition_reference *reference)
{
	struct definitions all;
	struct definition removed;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = lock_definition(store, txn.pool, precondition, reference, &all, &removed);
		if (txn.result == RESULT_OK)
			txn.result = store_change_one(store, kinds[reference->kind].remove, DB_U64(reference->id));
	}
	return txn.result;
}
