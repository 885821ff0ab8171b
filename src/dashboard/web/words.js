// SPDX-License-Identifier: MIT
// Texts for codes of the API. The tables have no prototype, because visitors can choose some of the codes.
import { ago, hour } from "./format.js";

/* ---- leads ---- */

export const SOURCES = {
	__proto__: null,
	direct: "Direct", link: "Other website", campaign: "Campaign link (UTM)", referral: "Referral link", inbound: "Inbound webhook",
	import: "Import", unknown: "Unknown",
};

const FRAUD_REASONS = {
	__proto__: null,
	duplicate_ip: "too many leads from its IP address", blocked_email_domain: "blocked email domain",
	disposable_email: "disposable email address", blocked_referrer: "blocked referring site", unproven: "no proof of work", own_referral: "referred itself",
	manual: "marked manually",
};
export const fraudReason = code => FRAUD_REASONS[code] || code;

/** The name of a lead, or an address if there is no name. */
export function nameOf(lead) {
	const isMade = !lead.display_name || lead.display_name === "Anonymous" || lead.display_name === lead.email?.split("@")[0];
	return isMade ? addressOf(lead) : lead.display_name;
}
export const addressOf = lead => lead.email || lead.phone_number || lead.social_id;

const SCORE_REASONS = {
	__proto__: null,
	signup: "for signing up", custom: "added manually or through the API", tag: "for a tag", action: "for an action",
	referral: "for a friend who signed up", verified: "for a friend who verified",
	fraud: "removed: a friend was marked as fraudulent or deleted their data", approve: "restored: a friend was marked as genuine",
};
export const scoreReason = code => SCORE_REASONS[code] || code;

/* ---- mails ---- */

export const MAILS = {
	__proto__: null,
	verify: ["Confirmation", "to a new lead who must confirm the email address"],
	welcome: ["Welcome", "to a new lead, once the address is confirmed if it must be"],
	reward: ["Reward reached", "to a lead who reaches a reward"],
	referral: ["A friend joined", "to a lead whose friend signs up"],
	digest: ["More friends joined", "to the same lead once a day, about the friends after the first"],
	status_link: ["Status page link", "to a lead who signs up again and does not see the status page right away"],
	erase_confirm: ["Deletion confirmation", "to a person who asks to be deleted"],
	code: ["Code by text message", "confirms a phone number"],
};
/** States of emails and text messages. */
export const MAIL_STATES = { __proto__: null, requested: "pending", sent: "sent", failed: "failed", dropped: "not sent" };
const MAIL_REASONS = {
	__proto__: null,
	too_soon: "the same message was sent shortly before", daily: "daily limit reached", enough: "limit reached",
	minute_limit: "limit of one email per minute and address",
	unconfirmed: "waits until the address is confirmed",
	address_limit: "daily limit for this address reached", opted_out: "unsubscribed", lead_deleted: "lead deleted",
	bounced: "the address bounced", number_limit: "daily limit for this number reached", late: "expired before it was sent",
	erase_limit: "daily limit of deletion requests reached", claimed: "anyone may have added the address",
	verified: "already confirmed", reward_removed: "reward removed", referral_deleted: "referred lead deleted",
	no_address: "no email address", address_replaced: "the lead has another address", no_number: "no phone number", fraudulent: "marked as fraudulent",
	suspended: "account suspended", switched_off: "phone verification is off", calling_code: "country not allowed",
	special_rate: "premium-rate number", not_mobile: "not a mobile number", prefix_limit: "hourly limit for similar numbers reached",
	campaign_limit: "hourly limit of the campaign reached", account_limit: "hourly limit of the account reached",
	installation_limit: "hourly limit of the installation reached", not_composed: "template error", bad_address: "invalid email address",
	bad_content: "invalid content", gave_up: "all attempts failed", refused: "rejected by the server",
	content_refused: "content rejected by the server", mailbox_full: "mailbox full", policy: "the receiver does not trust the mail server",
	not_authenticated: "SPF, DKIM or DMARC is missing", too_fast: "too many emails at a time",
	suppressed: "on the suppression list of the mail server's provider", helo_refused: "the mail server rejects the name of this host",
	relaying_refused: "the mail server does not take mail for others", account_refused: "the account at the mail server may not send",
	quota_reached: "sending quota at the mail server reached", no_service: "the mail server takes no mail for now",
	unknown_outcome: "no answer from the gateway", crashed: "the sender crashed", too_large: "too large for the mail server",
	no_such_person: "address does not exist", no_smtputf8: "the mail server does not support this address",
	refused_for_now: "rejected temporarily", connection_lost: "connection lost", cannot_connect: "mail server not reachable",
	greeting_refused: "the mail server rejects this host", tls_failed: "TLS connection failed",
	login_refused: "login rejected by the mail server", sender_refused: "sender rejected by the mail server",
	stopped: "interrupted", unknown_kind: "waits for a newer version", no_code: "code not stored",
	lease_lost: "interrupted", database: "database unavailable",
};

/* ---- events and webhooks ---- */

export const EVENTS = {
	__proto__: null,
	new_signup: ["New sign-up", "every new lead, including suspected fraud"],
	repeat_signup: ["Repeated sign-up", "an existing lead signed up again"],
	marked_as_fraudulent: ["Marked as fraudulent", "a lead was blocked by a rule or manually"],
	new_signup_not_excluded: ["Sign-up without suspected fraud", "every new lead, suspected fraud excluded"],
	opted_out: ["Unsubscribed from email", "a lead opted out of emails"],
	phone_number_opt_out: ["Unsubscribed from texts", "a lead opted out of text messages"],
	verified: ["Verified", "a lead confirmed the email address or phone number"],
	tagged: ["Tagged", "a lead got a tag"],
	score_change: ["Points changed", "a lead got or lost points"],
	reward_level: ["Reward reached", "a lead reached a reward"],
	referral: ["Referral", "a lead referred a friend"],
	deleted: ["Deleted", "a lead was deleted"],
};
export const eventName = code => EVENTS[code]?.[0] || code;

const ERRORS = {
	__proto__: null,
	forbidden_address: "address not allowed by this installation", invalid_url: "invalid URL", invalid_header: "invalid header",
	not_resolved: "host name not found", refused: "connection refused", unreachable: "host unreachable",
	connect_timeout: "connection timed out", timeout: "response timed out", certificate: "invalid certificate",
	ca_file: "CA file cannot be read", client_certificate: "client certificate cannot be used", tls: "TLS connection failed",
	connection_lost: "connection lost", bad_answer: "invalid HTTP response", unreadable: "stored event cannot be read",
	secret_sealed: "secret cannot be decrypted", interrupted: "interrupted", internal: "internal error",
	crashed: "the dispatcher crashed", webhook_gone: "webhook removed",
	expired: "not delivered within the retention period",
};
/** Why an email or text message failed, was dropped or waits. Gateways fail as receivers do. */
export const mailReason = code => MAIL_REASONS[code] || ERRORS[code] || code.replaceAll("_", " ");
/** The outcome of an attempt: "HTTP 502", "response timed out". */
export function outcome(status, error) {
	if (error)
		return ERRORS[error] || error.replaceAll("_", " ");
	return status ? `HTTP ${status}` : "no attempt yet";
}

const CLASSES = ["redirects are not followed", "the receiver refused the request", "server error of the receiver"];
const STATUSES = {
	__proto__: null,
	401: "the receiver requires a key or a login", 403: "the receiver refuses this sender", 404: "the receiver has nothing at this URL",
	410: "the receiver has nothing at this URL any more", 429: "the receiver gets too many requests",
};
/** The meaning of a status other than 2xx; undefined: nothing to explain. */
export const statusHint = status => STATUSES[status] || CLASSES[Math.floor(status / 100) - 3];
/** The outcome with its meaning: "HTTP 502 (server error of the receiver)". */
export function explained(status, error) {
	const meaning = !error && statusHint(status);
	return meaning ? `${outcome(status, error)} (${meaning})` : outcome(status, error);
}

const MOVED = [301, 307, 308];
/** Redirects with which receivers show a page after they have done their work. */
export const PAGE_SHOWN = [302, 303];
export const isRedirect = status => status >= 300 && status < 400;
/** The meaning of a redirect, in sentences. `moved`: from the result of a test. */
export function redirectMeaning(status, moved = MOVED.includes(status)) {
	if (moved)
		return "The receiver says that its URL has moved: use the new one.";
	if (PAGE_SHOWN.includes(status))
		return "The receiver has probably done its work and shows a page. Each retry would do the work again: count redirects as " +
			"delivered, unless the page is a login page.";
	return "Redirects are not followed: the receiver must answer 2xx.";
}

/** Why a delivery is pending, by `waiting_for` of the API. */
export function waitReason(delivery) {
	const { due_at: due } = delivery; // not in all answers
	return {
		schedule: due ? `Next attempt at ${hour(due)} (${ago(due)})` : "Waiting for the next attempt",
		breaker: "The webhook keeps failing: one delivery at a time is tried until one succeeds",
		disabled: "The webhook is disabled",
		receiver: "The receiver requested a delay (Retry-After)",
		rate: "Rate limit of the webhook reached",
		dispatcher: "Queued",
		other_dispatcher: "Another host is sending it",
		attempt: "Being sent now",
		removal: "The webhook was removed",
	}[delivery.waiting_for] || (delivery.waiting_for ? delivery.waiting_for.replaceAll("_", " ") : null);
}

export const DELIVERY_STATES = { pending: ["pending", "wait"], delivered: ["delivered", "good"], failed: ["failed", "bad"] };

/** A URL in two parts, for lists: the host, and path and query. */
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
	__proto__: null,
	operator: ["Operator", "full access to all accounts of this installation"],
	owner: ["Owner", "full access to the account, including team and API keys"],
	editor: ["Editor", "full access except team, API keys and audit log"],
	viewer: ["Viewer", "sees statistics and leads, and can export leads; changes nothing"],
};

export const RIGHTS = {
	__proto__: null,
	ingest: ["Sign-ups", "sign up leads, as a form does"],
	stats: ["Statistics", "read settings and statistics, no personal data"],
	leads: ["Leads", "read leads, their emails and events"],
	change: ["Change leads", "add, change and delete leads"],
	hooks: ["Webhooks", "manage webhooks and deliveries"],
	manage: ["Campaigns", "manage campaigns, pages and emails"],
	account: ["Account", "manage API keys and users"],
};

export const LANGUAGES = { __proto__: null, en: "English", de: "German", es: "Spanish", fr: "French" };

/** The effects of bulk changes. */
export const LEAD_CHANGES = {
	__proto__: null,
	optout: "unsubscribed from email", sms_optout: "unsubscribed from texts", sms_optin: "subscribed to texts",
	verify: "verified", unverify: "marked as not verified", approve: "marked as genuine",
	block: "marked as fraudulent",
	waitlist: "added to the waitlist", unwaitlist: "let in from the waitlist", tag: "tagged", delete: "deleted",
};

const OPERATIONS = {
	__proto__: null,
	"campaign redeliver": "Deliveries resent", "lead change": "Leads changed", "lead points": "Points changed",
	"lead code": "Code sent", "lead import": "Leads imported", "lead erase": "Personal data erased",
	"lead report": "Personal data downloaded", "webhook rotate": "Webhook secret rotated",
	"inbound rotate": "Inbound webhook URL rotated", "account limit": "Rate limit of the account changed",
	"user reset": "Password link created", "user logout": "Sessions of a user ended", "mail set": "Email text changed",
	"mail resend": "Email resent", "mail test": "Test email sent", "delivery redeliver": "Deliveries resent",
	"session link use": "Password set with a link", "session password": "Password changed",
	"session factor enable": "Two-factor authentication enabled", "session factor remove": "Two-factor authentication disabled",
	"session factor codes": "Recovery codes replaced", "mail sample": "Test email sent", "stats rebuild": "Statistics recounted",
	"secrets seal": "Secrets encrypted", "audit prune": "Audit log pruned",
};
const VERBS = {
	add: "added", set: "changed", remove: "removed", enable: "enabled", disable: "disabled", suspend: "suspended",
	resume: "resumed", revoke: "revoked", end: "ended", reopen: "reopened", test: "tested", replay: "replayed", cancel: "canceled",
};
const NOUNS = { key: "API key", inbound: "Inbound webhook", page: "Page" };

/** An operation in the audit log in words: "campaign set" becomes "Campaign changed". */
export function operationName(operation) {
	const [noun, verb] = operation.split(" ");
	if (OPERATIONS[operation] || !VERBS[verb])
		return OPERATIONS[operation] || operation;
	return `${NOUNS[noun] || `${noun[0].toUpperCase()}${noun.slice(1)}`} ${VERBS[verb]}`;
}

