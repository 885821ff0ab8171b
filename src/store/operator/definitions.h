/* SPDX-License-Identifier: MIT
 * Tags, actions and reward levels of campaigns. */
#pragma once

#include "store/store.h"

/* A definition of a campaign. A tag's name has no white space at either end, because the tables would ignore it. */
struct definition {
	enum definition_kind { DEFINITION_TAG, DEFINITION_ACTION, DEFINITION_REWARD } kind;
	union {
		struct tag tag;
		struct action action;
		struct reward_level reward;
	} as; /* ids are ignored */
};
/* Why a definition is refused. */
enum definition_refusal {
	DEFINITION_FITS,
	DEFINITION_TOO_MANY,   /* the campaign has store_definitions_max of the kind already */
	DEFINITION_NAME_TAKEN, /* another tag of the campaign has the name */
	DEFINITION_NO_TAG,     /* the campaign has no tag with the action's tag_id */
	DEFINITION_REFUSED     /* refused by the edit */
};
/* How many definitions of this kind a campaign can have. */
size_t store_definitions_max(enum definition_kind kind);
struct new_definition {
	const struct definition *definition;
	/* set */
	uint64_t id;
	enum definition_refusal refusal; /* set if the result is RESULT_REFUSED */
};
/* RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_add_definition(
    struct store *store, const struct precondition *precondition, uint64_t campaign_id, struct new_definition *new);
struct definition_reference {
	enum definition_kind kind;
	uint64_t id;
};
struct definition_change {
	/* Sets some members and leaves the others unchanged; the values must outlive the call. Returns false to refuse. */
	bool (*edit)(void *context, struct definition *definition);
	void *context;
	enum definition_refusal refusal; /* set if the result is RESULT_REFUSED */
};
/* As in store_edit_campaign. RESULT_NOT_FOUND: no definition with that kind and id. */
MUST_CHECK enum result store_edit_definition(struct store *store, const struct precondition *precondition,
    const struct definition_reference *reference, struct definition_change *change);
/* Leads that have the tag, action or reward level keep it. Actions remain bound to a removed tag. */
MUST_CHECK enum result store_remove_definition(
    struct store *store, const struct precondition *precondition, const struct definition_reference *reference);
