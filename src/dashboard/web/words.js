// SPDX-License-Identifier: MIT
// The product's words for what the API has codes for.
import { ago, hour, plural } from "./format.js";

/* ---- leads ---- */

export const SOURCES = {
	direct: "Directly", link: "A link elsewhere", campaign: "An advert (utm)", referral: "A friend's link", inbound: "Inbound webhook",
	import: "Import", unknown: "Not known",
};

const FRAUD_REASONS = {
	duplicate_ip: "the same IP address as other leads", blocked_email_domain: "its email domain is blocked", disposable_email: "a throw-away email address",
	blocked_referrer: "it came from a blocked site", unproven: "it did not prove to be a person", manual: "blocked by hand", import: "it was imported as fraudulent",
};
export const fraudReason = code => FRAUD_REASONS[code] || code;

/** What to call a lead. */
export const nameOf = lead => lead.display_name && lead.display_name !== "Anonymous" ? lead.display_name : lead.email || lead.phone_number || lead.social_id;
export const addressOf = lead => lead.email || lead.phone_number || lead.social_id;

const SCORE_REASONS = {
	signup: "for signing up", custom: "given by hand or by a call", tag: "for a tag", action: "for an action", referral: "for a friend who signed up", verified: "for a friend who is verified",
	fraud: "taken back, a friend was marked as fraudulent", approve: "given back, a friend was approved",
};
export const scoreReason = code => SCORE_REASONS[code] || code;

/* ---- mails ---- */

export const MAILS = {
	verify: ["Confirm your address", "asks a new lead to confirm its email address"], welcome: ["Welcome", "when a lead has signed up, or has confirmed"],
	reward: ["Reward reached", "when a lead has enough points for a reward"], referral: ["A friend joined", "when a lead brought somebody"],
	status_link: ["Link to the own page", "when a known lead signs up again"], erase_confirm: ["Confirm the deletion", "when somebody asks to be deleted"],
	code: ["Code by text", "the code for a phone number"],
};
const MAIL_REASONS = {
	too_soon: "another one was sent just before", daily: "enough were sent today", enough: "enough were sent", address_limit: "this address got enough mails today", opted_out: "the lead is unsubscribed",
	lead_deleted: "the lead does not exist any more", bounced: "the address does not accept mail", number_limit: "this number got enough codes today", late: "it would have come too late",
};
export const mailReason = code => MAIL_REASONS[code] || code.replaceAll("_", " ");

/* ---- events and webhooks ---- */

export const EVENTS = {
	new_signup: ["New sign-up", "somebody signed up for the first time"],
	repeat_signup: ["Repeated sign-up", "a known lead signed up again"],
	marked_as_fraudulent: ["Marked as fraudulent", "a lead was blocked, by a rule or by hand"],
	new_signup_not_excluded: ["Sign-up that counts", "a new lead that is not fraudulent"],
	opted_out: ["Unsubscribed from email", "a lead wants no more emails"],
	phone_number_opt_out: ["Unsubscribed from texts", "a lead wants no more texts"],
	verified: ["Verified", "a lead confirmed its address"],
	tagged: ["Tagged", "a lead got a tag"],
	score_change: ["Score changed", "a lead got or lost points"],
	reward_level: ["Reward reached", "a lead has enough points for a reward"],
	referral: ["Referral", "a lead brought somebody"],
	deleted: ["Deleted", "a lead was deleted"],
};
export const eventName = code => EVENTS[code]?.[0] || code;

const ERRORS = {
	forbidden_address: "its address is not allowed by this installation", invalid_url: "the URL is not valid", invalid_header: "a header is not valid", not_resolved: "its host name is not known",
	refused: "connection refused", unreachable: "host not reachable", connect_timeout: "no connection in time", timeout: "no answer in time", certificate: "its certificate is not valid",
	ca_file: "the file of certificates cannot be read", client_certificate: "the client certificate cannot be used", tls: "no encrypted connection was possible", connection_lost: "the connection was lost",
	bad_answer: "its answer is no HTTP", unreadable: "the stored event cannot be read", secret_sealed: "the secret cannot be decrypted", interrupted: "interrupted", internal: "an internal error", crashed: "the dispatcher crashed with it",
};
/** What came of an attempt: "502", "no answer in time". */
export function outcome(status, error) {
	if (error && error !== "status")
		return ERRORS[error] || error.replaceAll("_", " ");
	return status ? `answered ${status}` : "no attempt yet";
}

/** Why a delivery waits, in a sentence, by `waiting_for` of the API. */
export function waitReason(delivery) {
	const at = delivery.due_at ? ` at ${hour(delivery.due_at)} (${ago(delivery.due_at)})` : "";
	return {
		schedule: `Next attempt${at}`,
		breaker: "Its webhook keeps failing: deliveries are paused, one probe is sent at a time",
		disabled: "Its webhook is disabled",
		receiver: "The receiver asked to wait",
		rate: "The webhook's rate is limited",
		dispatcher: "In the queue",
		other_dispatcher: "Another host sends it",
		attempt: "It is being sent now",
		removal: "Its webhook was removed",
		no_dispatcher: "No dispatcher is running: nothing is sent",
	}[delivery.waiting_for] || (delivery.waiting_for ? delivery.waiting_for.replaceAll("_", " ") : null);
}

export const DELIVERY_STATES = { pending: ["waits", "wait"], delivered: ["delivered", "good"], failed: ["failed", "bad"] };

/** The host and the rest of an URL, for lists. */
export function urlParts(text) {
	try {
		const url = new URL(text);
		return [url.host, url.pathname + url.search];
	} catch (error) {
		return [text, ""];
	}
}

/* ---- people ---- */

export const ROLES = {
	operator: ["Operator", "everything, on all accounts of this installation"],
	owner: ["Owner", "everything on the account, also its team and its keys"],
	editor: ["Editor", "everything but team, keys and the log of changes"],
	viewer: ["Viewer", "sees numbers and leads, changes nothing"],
};

export const RIGHTS = {
	ingest: ["Sign-ups", "may sign leads up and look them up, without seeing private data"],
	stats: ["Numbers", "settings and statistics, nothing about single people"],
	leads: ["Leads", "sees leads, their emails and events"],
	change: ["Change leads", "changes, adds and deletes leads"],
	hooks: ["Webhooks", "webhooks and deliveries"],
	manage: ["Campaigns", "campaigns, their settings, pages and mails"],
	account: ["Keys and team", "keys and users of the account"],
};

export const leads = value => plural(value, "lead");
