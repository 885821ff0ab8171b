/* SPDX-License-Identifier: MIT
 * Who may send next: webhooks that have something due stand in a ring and take turns (delivery.md 4,
 * fairness). What is in flight is counted per webhook; nobody gets more than the limit. No I/O, no clock. */
#ifndef LEADHOOK_DELIVER_TURNS_H
#define LEADHOOK_DELIVER_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/dispatch.h"

struct turns;

/* Knows up to `webhooks` at a time; each may have up to `in_flight` deliveries under way, and gets up to `turn` more when it
 * is its turn. */
struct turns *turns_new(size_t webhooks, size_t in_flight, size_t turn);
/* *turns may be NULL, becomes NULL. */
void turns_free(struct turns **turns);

/* This webhook has something due: it joins the end of the ring, if it is not in it. Not while it is silenced, and not when
 * there is no room: the next look at the database will offer it again. */
void turns_offer(struct turns *turns, uint64_t webhook_id, int64_t now_ms);
/* True while somebody in the ring is below the limit. */
bool turns_waiting(const struct turns *turns);
/* Gives out up to `slots` deliveries, one request for each webhook that got any; answers how many requests, for which there
 * must be room for `slots`. The next time goes on with those who are next now. */
size_t turns_take(struct turns *turns, size_t slots, struct due_request *requests);
/* The receiver asked for silence until `until_ms` (same clock as turns_offer): leaves the ring and cannot join before. Kept
 * only while something of the webhook is under way: afterwards the database knows. False when it was silenced for as long
 * already. */
bool turns_silence(struct turns *turns, uint64_t webhook_id, int64_t until_ms);

/* A delivery got its slot; it gave it back. */
void turns_started(struct turns *turns, uint64_t webhook_id);
void turns_ended(struct turns *turns, uint64_t webhook_id);
/* All that the last turns_take asked for has been started: whoever had less than that has nothing more due, and leaves the
 * ring. */
void turns_settle(struct turns *turns);

#endif
