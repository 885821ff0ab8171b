// SPDX-License-Identifier: MIT
// The audit log: who changed what, in words.
import { labelOf, plural } from "./format.js";
import { useCampaigns, useLive } from "./live.js";
import { link } from "./route.js";
import { Dates, Filter, Filters, Pager } from "./lists.js";
import { PAGE_LABELS } from "./pages.js";
import { SETTING_LABELS } from "./settings.js";
import { AccountChoice, useAccount } from "./team.js";
import { EVENTS, LANGUAGES, LEAD_CHANGES, MAILS, RIGHTS, operationName } from "./words.js";
import { Chip, Empty, Facts, List, Page, Table, Time, html } from "./ui.js";

const ACTORS = { user: "Former user", key: "Former API key" };

/** Who made a change: a user, an API key, or the command line with the name or number of its user. */
const actorOf = row =>
	row.actor === "shell"
		? `Command line (${row.actor_name.replace(/^uid (\d+)$/, "user $1")})`
		: row.actor_name || ACTORS[row.actor] || row.actor;

/* ---- what was changed ---- */

const MAIL_LABELS = { __proto__: null, own_subject: "Subject", own_text: "Text", own_html: "HTML" };
const OTHER_LABELS = { __proto__: null, per_minute: "Calls per minute", public: "Leads can complete it" };

/* Members that are not shown: ids, times, and what follows from other members. */
const HIDDEN = new Set([
	"id", "referenceId", "campaign_id", "account_id", "account", "list_id", "created_at", "updated_at", "lead_count",
	"addresses_counted", "last_delivery_at", "last_24_hours", "oldest_due", "last_login_at", "last_used_at", "has_password",
	"pending", "due", "failing_since", "last_error", "repeated_signup",
]);

/** The labels of the members that an operation changes, such as settings for "campaign set". */
function labelsOf(operation) {
	const [noun] = operation.split(" ");
	return { page: PAGE_LABELS, mail: MAIL_LABELS, campaign: SETTING_LABELS }[noun] || OTHER_LABELS;
}

const textLabel = (label, language) => (language ? `${label} (${LANGUAGES[language] || language})` : label);

/** The members of a state: [label, value] by name. In a list of texts, the name includes the language. */
function valuesOf(operation, value) {
	const labels = labelsOf(operation);
	const found = new Map();
	if (Array.isArray(value)) {
		for (const { name, language, value: text } of value)
			if (!name.startsWith("consent.")) // an earlier text of the consent
				found.set(`${name} ${language || ""}`, [textLabel(labels[name] || labelOf(name), language), text]);
		return found;
	}
	const isShown = name => !HIDDEN.has(name) && (labels !== MAIL_LABELS || labels[name]);
	for (const [name, one] of Object.entries(value || {}).filter(([key]) => isShown(key)))
		found.set(name, [labels[name] || labelOf(name), one]);
	return found;
}

/** A member of a list in words: an event, a right, a kind of mail, or itself. */
const wordOf = one => (EVENTS[one] || RIGHTS[one] || MAILS[one])?.[0] || String(one);

function plain(value) {
	if (value === null || value === undefined || value === "")
		return "(empty)";
	if (typeof value === "boolean")
		return value ? "on" : "off";
	if (Array.isArray(value))
		return value.map(wordOf).join(", ") || "(none)";
	if (typeof value === "object")
		return Object.entries(value).map(([name, one]) => `${labelOf(name)}: ${plain(one)}`).join(", ");
	return String(value);
}

/** The differences, as [label, before, after]. */
function differencesOf({ operation, before, after }) {
	const [old, now] = [valuesOf(operation, before), valuesOf(operation, after)];
	const names = [...new Set([...old.keys(), ...now.keys()])];
	return names
		.map(name => [(old.get(name) || now.get(name))[0], old.get(name)?.[1], now.get(name)?.[1]])
		.filter(([, was, is]) => JSON.stringify(was ?? null) !== JSON.stringify(is ?? null));
}

/** The name of what was added or removed. */
const nameOf = ({ before, after }) => {
	const one = after || before;
	return one.name || one.email || one.text || one.subject || "";
};

/** Why the log lacks a state. */
const OMITTED = { __proto__: null, "too large": "Too large to be shown", "daily limit": "Not stored: the account's log of this day is full" };

function Differences({ row }) {
	const { operation, before, after, state } = row;
	const none = html`<span class="muted">–</span>`;
	if (state !== "done")
		return none; // whether anything has changed is not known
	if (operation === "lead change" && after)
		return `${plural(after.leads, "lead")} ${LEAD_CHANGES[after.change] || after.change}`;
	if (operation === "lead import" && after?.imported !== undefined)
		return `${plural(after.imported, "lead")}${after.rejected ? `, ${plural(after.rejected, "row")} rejected` : ""}`;
	if (before?.omitted || after?.omitted)
		return OMITTED[before?.omitted || after?.omitted] || "Not stored";
	if (!Array.isArray(before || after || []) && !(before && after))
		return nameOf(row) || none;
	const found = differencesOf(row);
	if (found.length === 0)
		return none;
	const names = found.map(([label]) => label);
	return html`
		<details>
			<summary>${names.slice(0, 3).join(", ")}${names.length > 3 ? " …" : ""}</summary>
			<${Facts} rows=${found.map(([label, was, is]) => [label, `${plain(was)} → ${plain(is)}`])} />
		</details>`;
}

/* ---- the view ---- */

/** The outcome of a change that failed or may have failed. */
function changeState(row) {
	if (row.state === "done")
		return "";
	return row.state === "failed"
		? html` <${Chip} tone="bad">failed<//>`
		: html` <${Chip} tone="wait">outcome unknown<//>`;
}

export function Changes({ query }) {
	const { accounts } = useAccount(query);
	const campaigns = useCampaigns();
	const { account, campaign, since, until, after } = query;
	const live = useLive("audit", { account, campaign, since, until, after, limit: 50 }, { every: 30 });
	const campaignOf = row => {
		const name = campaigns.find(one => one.id === row.campaign)?.name || `campaign ${row.campaign}`;
		return row.campaign ? html`<a href=${link(`campaigns/${row.campaign}`)}>${name}</a>` : "";
	};
	const columns = [
		["When", row => html`<${Time} at=${row.created_at} />`],
		["Who", row => html`${actorOf(row)}${row.ip ? html`<br /><span class="muted">${row.ip}</span>` : ""}`, "plain"],
		["What", row => html`<span title=${row.operation}>${operationName(row.operation)}</span>${changeState(row)}`, "plain"],
		["Campaign", campaignOf],
		["Changed", row => html`<${Differences} row=${row} />`],
	];
	const none = html`
		<${Empty} title="No changes" text="Every change by a user, an API key or a command is logged for 400 days." />`;
	return html`
		<${Page} title="Audit log" live=${live}>
			<${AccountChoice} account=${Number(account) || null} accounts=${accounts} all />
			<${Filters}>
				<${Filter} name="campaign" label="Campaign" all="All campaigns" query=${query}
					options=${campaigns.map(one => [one.id, one.name])} />
				<${Dates} query=${query} />
			<//>
			<${List} live=${live} none=${none}>${rows => html`
				<${Table} name="Changes" rows=${rows} columns=${columns} />
				<${Pager} after=${after} next=${live.next} />`}
			<//>
		<//>`;
}
