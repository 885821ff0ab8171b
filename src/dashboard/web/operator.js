// SPDX-License-Identifier: MIT
// The installation, for its operator: problems, numbers, accounts.
import { mailTestProblem, post, remove, runJob } from "./api.js";
import { bytes, count, plural } from "./format.js";
import { Cut } from "./lists.js";
import { campaignName, readCampaigns, useList, useLive } from "./live.js";
import { link } from "./route.js";
import { mailReason } from "./words.js";
import { ConfirmButton, Field, FormDialog } from "./forms.js";
import {
	Button, Card, Chip, Empty, Facts, List, Loaded, Notice, Number_, Page, Table, Tile, Time, html, openDialog, toast,
} from "./ui.js";

const LOW_SPACE = 0.1; // of the size of a disk
const DISKS = { __proto__: null, database: "Disk of the database", state: "Disk of the state directory", log: "Disk of the log" };
const diskName = disk => DISKS[disk.what] || disk.what;

const hintOf = hint => (hint ? html`<br /><strong>What to do:</strong> ${hint}.` : "");

const LATE_MS = 5 * 60e3;
const isLow = disk => disk.free_bytes < disk.size_bytes * LOW_SPACE;

/** [problem, a command that helps to find its cause], the worst first. */
const problemsOf = status => [
	status.mail_held_since && [
		html`
			Email has been on hold since <${Time} at=${status.mail_held_since} />: ${mailReason(status.mail_held_by)}.
			${" "}${status.mail_server_answer || ""} ${hintOf(status.mail_hint)}`,
		"leadhook mail test you@example.org",
	],
	!status.mail_held_since && status.mail_refused_at && [
		html`
			Emails are being rejected and retried, the last one <${Time} at=${status.mail_refused_at} />:
			${" "}${mailReason(status.mail_refused_by)}. ${status.mail_refused_answer} ${hintOf(status.mail_refused_hint)}`,
		"leadhook mail list",
	],
	status.texts_held_since && [
		html`Text messages have been on hold since <${Time} at=${status.texts_held_since} />: ${mailReason(status.texts_held_by)}.`,
		"leadhook status",
	],
	...status.limits_reached.map(({ limit, campaign }) => [
		html`
			Hourly limit reached: ${limit}. ${limit.startsWith("sms.") ? "Text messages" : "Emails"} are waiting, such as those
			${" "}of <a href=${link(`campaigns/${campaign}`)}>${campaignName(campaign)}</a>.`,
		"leadhook status",
	]),
	status.due_now > 0 && status.oldest_due_at && Date.now() - Date.parse(status.oldest_due_at) > LATE_MS && [
		html`Deliveries are late. The oldest was due <${Time} at=${status.oldest_due_at} />.`,
		"leadhook doctor",
	],
	...(status.disks || []).filter(isLow).map(disk => [
		`Low disk space. ${diskName(disk)}: ${bytes(disk.free_bytes)} of ${bytes(disk.size_bytes)} left.`,
		"df -h",
	]),
	status.unfinished_removals > 0 && [
		`${plural(status.unfinished_removals, "unfinished removal")} of campaigns or people.`,
		"leadhook check",
	],
].filter(Boolean);

const AddAccount = ({ close }) => html`
	<${FormDialog} title="Add an account" submit="Add account" close=${close} values=${{ name: "" }}
		save=${({ name }) => post("accounts", { name: name.trim() })}>
		${form => html`<${Field} form=${form} name="name" label="Name" hint="A company or a customer." />`}
	<//>`;

const Limit = ({ account, close }) => html`
	<${FormDialog} title=${`Rate limit of ${account.name}`} submit="Save" close=${close}
		values=${{ per_minute: account.per_minute === null ? "" : String(account.per_minute) }}
		save=${values => post(`accounts/${account.id}/limit`, { per_minute: values.per_minute.trim() || "default" })}>
		${form => html`
			<${Field} form=${form} name="per_minute" label="Calls per minute" type="number"
				hint="For all keys and users of the account together. Leave empty for the default; 0 means no limit." />`}
	<//>`;

const limitOf = ({ per_minute: limit }) => ({ null: "default", 0: "unlimited" })[limit] || count(limit);

function AccountActions({ account, reload }) {
	const path = `accounts/${account.id}`;
	const limit = () => openDialog(Limit, { account }).then(done => done && reload());
	const resume = async () => {
		await post(`${path}/resume`);
		reload();
		toast(`${account.name} was resumed`);
	};
	return html`
		<span class="buttons">
			<${Button} kind="small" onClick=${limit}>Limit<//>
			${account.suspended_at
				? html`<${Button} kind="small" onClick=${resume}>Resume<//>`
				: html`
					<${ConfirmButton} kind="small" title=${`Suspend ${account.name}?`} verb="Suspend"
						text=${html`<p>Its forms and API keys stop working at once, and visitors cannot sign up. Nothing is deleted.</p>`}
						work=${() => post(`${path}/suspend`).then(reload)}>Suspend<//>`}
			<${ConfirmButton} kind="small quiet" title=${`Remove ${account.name}?`} verb="Remove account" type=${account.name}
				text=${html`<p>All its campaigns with their leads, its API keys and its users are deleted. This cannot be undone.</p>`}
				work=${() => remove(path, { yes: true }).then(readCampaigns).then(reload)}>Remove<//>
		</span>`;
}

/** `overview`: the rows of all campaigns, undefined until they are loaded. */
function accountColumns(overview, reload) {
	const campaignsOf = account => overview?.filter(row => row.account_id === account.id);
	const sumOf = (account, member) => campaignsOf(account)?.reduce((sum, one) => sum + one[member], 0);
	const number = (title, sort) => [title, row => (overview ? html`<${Number_} value=${sort(row)} />` : "–"), "number", { sort }];
	return [
		["Account", row => html`<a href=${link("team", { account: row.id })}>${row.name}</a>`, "", { sort: row => row.name.toLowerCase() }],
		["Status", row => (row.suspended_at ? html`<${Chip} tone="bad">suspended<//>` : html`<${Chip} tone="good">active<//>`)],
		number("Campaigns", row => campaignsOf(row)?.length),
		number("Leads", row => sumOf(row, "leads")),
		number("Today", row => sumOf(row, "today")),
		["Calls per minute", limitOf, "number"],
		["Actions", row => html`<${AccountActions} account=${row} reload=${reload} />`, "hidden"],
	];
}

function Accounts() {
	const live = useLive("accounts", {}, { every: 30, whole: true });
	const overview = useList("overview", {}, { every: 30, whole: true });
	const add = () => openDialog(AddAccount).then(done => done && live.reload());
	const none = html`
		<${Empty} title="No accounts yet"
			text="An account has its own campaigns, API keys and users. Create one for each company or customer." />`;
	return html`
		<${Card} title="Accounts" beside=${html`<${Button} onClick=${add}>Add account<//>`}>
			<${List} live=${live} none=${none}>${rows => html`
				<${Cut} live=${live} what="accounts" />
				<${Table} name="Accounts" rows=${rows} columns=${accountColumns(overview, live.reload)} />`}
			<//>
		<//>`;
}

function MailTest({ close }) {
	async function save({ address }) {
		const problem = mailTestProblem(await runJob("mails/test", { address: address.trim() }));
		if (problem)
			throw new Error(problem);
		toast("Test email sent");
	}
	return html`
		<${FormDialog} title="Send a test email" submit="Send" close=${close} values=${{ address: "" }} save=${save}>
			${form => html`<${Field} form=${form} name="address" label="To" type="email" />`}
		<//>`;
}

/** The tile about emails: [tone, value, note]. */
function mailOf(status) {
	const tone = status.mail_held_since ? "bad" : "";
	if (!status.mail)
		return [tone, "off", "not configured"];
	const oldest = status.oldest_mail_at && html`oldest <${Time} at=${status.oldest_mail_at} />`;
	return [tone, count(status.mails_pending), oldest];
}

const PROCESSES = [["dispatcher", "Dispatcher"], ["mailer", "Sending emails"], ["texter", "Sending text messages"]];
const STATES = {
	working: ["good", "working"],
	between_runs: ["good", "between runs"],
	never_ran: ["bad", "has never run"],
	stopped: ["bad", "stopped"],
	silent: ["bad", "hangs"],
};

function ProcessTile({ label, state, at }) {
	if (state === "off")
		return null;
	const [tone, value] = STATES[state];
	const note = at && html`last heartbeat: <${Time} at=${at} />`;
	return html`<${Tile} label=${label} tone=${tone} value=${value} note=${tone === "bad" ? html`${note} Run leadhook doctor.` : note} />`;
}

function Tiles({ status }) {
	const [mailTone, mail, mailNote] = mailOf(status);
	return html`
		<div class="tiles">
			<${Tile} label="Leads" value=${count(status.leads)}
				note=${`${plural(status.campaigns, "campaign")}, ${plural(status.accounts, "account")}`} />
			<${Tile} label="Deliveries due now" tone=${status.due_now > 0 ? "wait" : "good"} value=${count(status.due_now)}
				note=${`${count(status.due_later)} scheduled`} />
			<${Tile} label="Webhooks failing" tone=${status.webhooks_failing > 0 ? "bad" : "good"}
				value=${count(status.webhooks_failing)}
				note=${`of ${count(status.webhooks)}, ${count(status.webhooks_disabled)} disabled`} />
			<${Tile} label="Emails pending" tone=${mailTone} value=${mail} note=${mailNote} />
			${PROCESSES.map(([name, label]) => html`
				<${ProcessTile} key=${name} label=${label} state=${status[name]} at=${status[`${name}_at`]} />`)}
			${(status.disks || []).map(disk => html`
				<${Tile} key=${disk.what} label=${diskName(disk)} tone=${isLow(disk) ? "bad" : ""} value=${bytes(disk.free_bytes)}
					note=${`free of ${bytes(disk.size_bytes)}`} />`)}
		</div>`;
}

const versionsOf = status => [
	["Leadhook", status.version],
	["Schema", status.schema_version],
	["Database", status.server_version],
	status.node && ["Node", `${status.node} (${status.node_state}), ${plural(status.cluster_size, "node")}`],
	status.bulk_jobs > 0 && [
		"Bulk changes",
		html`${plural(status.bulk_jobs, "job")}, the oldest from <${Time} at=${status.oldest_bulk_at} />`,
	],
];

export function Operator() {
	const live = useLive("status", {}, { every: 10 });
	return html`
		<${Page} title="Operator" live=${live} actions=${html`<${Button} onClick=${() => openDialog(MailTest)}>Send test email<//>`}>
			<${Loaded} live=${live} lines=${8}>${status => html`
				${problemsOf(status).map(([text, command], at) => html`
					<${Notice} tone="bad" key=${at} title=${text}>Check: <code>${command}</code><//>`)}
				<${Tiles} status=${status} />
				<${Accounts} />
				<${Card} title="Versions"><${Facts} rows=${versionsOf(status)} /><//>`}
			<//>
		<//>`;
}
