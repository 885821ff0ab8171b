// SPDX-License-Identifier: MIT
// The installation, for its operator: problems first, then accounts and their limits.
import { post, remove } from "./api.js";
import { bytes, count, plural } from "./format.js";
import { campaignName, readCampaigns } from "./frame.js";
import { Cut } from "./lists.js";
import { useList, useLive } from "./live.js";
import { link } from "./route.js";
import { mailTestProblem, waitForJob } from "./webhooks.js";
import { mailReason } from "./words.js";
import { Field, FormDialog, confirmAction, useForm } from "./forms.js";
import {
	Button, Chip, Empty, Facts, Loaded, Notice, Number_, Page, Table, Tile, Time, Updated, html, openDialog, toast,
} from "./ui.js";

const LOW_SPACE = 0.1; // of a disk
const DISKS = { __proto__: null, database: "Disk of the database", state: "Disk of the state directory", log: "Disk of the log" };
const diskName = disk => DISKS[disk.what] || disk.what;

const hintOf = hint => (hint ? html`<br /><strong>What to do:</strong> ${hint}.` : "");

/** [problem, a command that helps], the worst first. */
function problemsOf(status) {
	const found = [];
	if (status.mail_held_since)
		found.push([
			html`
				Email has been on hold since <${Time} at=${status.mail_held_since} />: ${mailReason(status.mail_held_by)}.
				${" "}${status.mail_server_answer || ""} ${hintOf(status.mail_hint)}`,
			"leadhook mail test you@example.org",
		]);
	else if (status.mail_refused_at)
		found.push([
			html`
				Emails are being rejected and retried, the last one <${Time} at=${status.mail_refused_at} />:
				${" "}${mailReason(status.mail_refused_by)}. ${status.mail_refused_answer} ${hintOf(status.mail_refused_hint)}`,
			"leadhook mail list",
		]);
	if (status.texts_held_since)
		found.push([
			html`Text messages have been on hold since <${Time} at=${status.texts_held_since} />: ${mailReason(status.texts_held_by)}.`,
			"leadhook status",
		]);
	for (const { limit, campaign } of status.limits_reached)
		found.push([
			html`
				Hourly limit reached: ${limit}. ${limit.startsWith("sms.") ? "Text messages" : "Emails"} are waiting, such as those
				${" "}of <a href=${link(`campaigns/${campaign}`)}>${campaignName(campaign)}</a>.`,
			"leadhook status",
		]);
	if (status.due_now > 0 && status.oldest_due_at && Date.now() - Date.parse(status.oldest_due_at) > 5 * 60e3)
		found.push([html`Deliveries are late. The oldest was due <${Time} at=${status.oldest_due_at} />.`, "leadhook doctor"]);
	for (const disk of status.disks || []) {
		const left = `${bytes(disk.free_bytes)} of ${bytes(disk.size_bytes)} left`;
		if (disk.free_bytes < disk.size_bytes * LOW_SPACE)
			found.push([`Low disk space. ${diskName(disk)}: ${left}.`, "df -h"]);
	}
	if (status.unfinished_removals > 0)
		found.push([`${plural(status.unfinished_removals, "unfinished removal")} of campaigns or people.`, "leadhook check"]);
	return found;
}

function AddAccount({ close }) {
	const form = useForm({ name: "" });
	async function submit() {
		await post("accounts", { name: form.values.name.trim() });
		close(true);
	}
	return html`
		<${FormDialog} title="Add an account" close=${close} form=${form} onSubmit=${submit} submit="Add account">
			<${Field} form=${form} name="name" label="Name" hint="A company or a customer." />
		<//>`;
}

function Limit({ account, close }) {
	const form = useForm({ per_minute: account.per_minute === null ? "" : String(account.per_minute) });
	async function submit() {
		await post(`accounts/${account.id}/limit`, { per_minute: form.values.per_minute.trim() || "default" });
		close(true);
	}
	return html`
		<${FormDialog} title=${`Rate limit of ${account.name}`} close=${close} form=${form} onSubmit=${submit} submit="Save">
			<${Field} form=${form} name="per_minute" label="Calls per minute" inputmode="numeric"
				hint="For all keys and users of the account together. Leave empty for the default; 0 means no limit." />
		<//>`;
}

function limitOf(account) {
	if (account.per_minute === null)
		return "default";
	return account.per_minute === 0 ? "unlimited" : count(account.per_minute);
}

function Accounts() {
	const live = useLive("accounts", {}, { every: 30, whole: true });
	const overview = useList("overview", {}, { every: 30, whole: true });
	// undefined: they are not there yet
	const campaignsOf = account => overview?.filter(row => row.account_id === account.id);
	const sumOf = (account, member) => campaignsOf(account)?.reduce((sum, one) => sum + one[member], 0);
	const dialog = content => openDialog(content).then(done => done && live.reload());
	const add = () => dialog(close => html`<${AddAccount} close=${close} />`);
	const limit = account => dialog(close => html`<${Limit} account=${account} close=${close} />`);
	const suspend = account =>
		confirmAction({
			title: `Suspend ${account.name}?`,
			verb: "Suspend",
			text: html`<p>Its forms and API keys stop working at once, and visitors cannot sign up. Nothing is deleted.</p>`,
			work: async () => {
				await post(`accounts/${account.id}/suspend`);
				live.reload();
			},
		});
	const resume = account => async () => {
		await post(`accounts/${account.id}/resume`);
		live.reload();
		toast(`${account.name} was resumed`);
	};
	const drop = account =>
		confirmAction({
			title: `Remove ${account.name}?`,
			verb: "Remove account",
			type: account.name,
			text: html`
				<p>
					All its campaigns with their leads, its API keys and its users are deleted.
					${" "}This cannot be undone.
				</p>`,
			work: async () => {
				await remove(`accounts/${account.id}`, { yes: true });
				await readCampaigns();
				live.reload();
			},
		});
	const number = (title, value) => ({
		title,
		kind: "number",
		cell: row => (overview ? html`<${Number_} value=${value(row)} />` : "–"),
		sort: value,
	});
	const columns = [
		{
			title: "Account",
			cell: row => html`<a href=${link("team", { account: row.id })}>${row.name}</a>`,
			sort: row => row.name.toLowerCase(),
		},
		{
			title: "Status",
			cell: row => (row.suspended_at ? html`<${Chip} tone="bad">suspended<//>` : html`<${Chip} tone="good">active<//>`),
		},
		number("Campaigns", row => campaignsOf(row)?.length),
		number("Leads", row => sumOf(row, "leads")),
		number("Today", row => sumOf(row, "today")),
		{ title: "Calls per minute", kind: "number", cell: limitOf },
		{
			title: "Actions",
			hidden: true,
			cell: row => html`
				<span class="buttons">
					<${Button} kind="small" onClick=${() => limit(row)}>Limit<//>
					${row.suspended_at
						? html`<${Button} kind="small" onClick=${resume(row)}>Resume<//>`
						: html`<${Button} kind="small" onClick=${() => suspend(row)}>Suspend<//>`}
					<${Button} kind="small quiet" onClick=${() => drop(row)}>Remove<//>
				</span>`,
		},
	];
	const none = html`
		<${Empty} title="No accounts yet">
			<p>An account has its own campaigns, API keys and users. Create one for each company or customer.</p>
		<//>`;
	return html`
		<section class="card">
			<header>
				<h2>Accounts</h2>
				<${Button} onClick=${add}>Add account<//>
			</header>
			<${Loaded} live=${live}>
				${rows => rows.length === 0 ? none : html`
					<${Cut} live=${live} what="accounts" />
					<${Table} name="Accounts" rows=${rows} columns=${columns} />`}
			<//>
		</section>`;
}

function MailTest({ close }) {
	const form = useForm({ address: "" });
	async function submit() {
		const job = await waitForJob((await post("mails/test", { address: form.values.address.trim() })).value);
		const problem = mailTestProblem(job);
		if (problem)
			throw new Error(problem);
		toast("Test email sent");
		close(true);
	}
	return html`
		<${FormDialog} title="Send a test email" close=${close} form=${form} onSubmit=${submit} submit="Send">
			<${Field} form=${form} name="address" label="To" type="email" />
		<//>`;
}

/** What a tile says about emails: [tone, value, note]. */
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
	const toneOf = disk => (disk.free_bytes < disk.size_bytes * LOW_SPACE ? "bad" : "");
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
			${PROCESSES.map(([name, label]) => html`<${ProcessTile} key=${name} label=${label} state=${status[name]} at=${status[`${name}_at`]} />`)}
			${(status.disks || []).map(disk => html`
				<${Tile} key=${disk.what} label=${diskName(disk)} tone=${toneOf(disk)} value=${bytes(disk.free_bytes)}
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
	const testMail = () => openDialog(close => html`<${MailTest} close=${close} />`);
	const actions = html`
		<${Updated} live=${live} />
		<${Button} onClick=${testMail}>Send test email<//>`;
	return html`
		<${Page} title="Operator" actions=${actions}>
			<${Loaded} live=${live} lines=${8}>${status => html`
				${problemsOf(status).map(([text, command], at) => html`
					<${Notice} tone="bad" key=${at}><p><strong>${text}</strong> Check: <code>${command}</code></p><//>`)}
				<${Tiles} status=${status} />
				<${Accounts} />
				<section class="card">
					<h2>Versions</h2>
					<${Facts} rows=${versionsOf(status)} />
				</section>`}
			<//>
		<//>`;
}
