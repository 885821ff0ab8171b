// SPDX-License-Identifier: MIT
// All campaigns: problems, numbers, growth.
import { useRef } from "./hooks.js";
import { get, getWhole, post } from "./api.js";
import { change, count, growth, percent, plural } from "./format.js";
import { Cut } from "./lists.js";
import { readCampaigns, useList, useLive } from "./live.js";
import { go, link } from "./route.js";
import { isOperator, may, session, setTimeZone, useSession } from "./session.js";
import { Cards, Field, FormDialog, wrongField } from "./forms.js";
import {
	Button, Chip, Empty, List, Notice, Number_, Page, Problems, Spark, Table, Tile, Waiting, html, openDialog, toast,
} from "./ui.js";
import { browserZone } from "./zone.js";

/** Purposes of campaigns: title, explanation, settings. */
const PRESETS = {
	referral: [
		"Referral campaign",
		"Leads share a link, collect points for friends who join, and reach rewards.",
		{ pages: true, points_signup: 1, points_direct: 2 },
	],
	waiting: [
		"Waiting list",
		"Leads join a queue. You let them in from the Leads view.",
		{ pages: true, waitlist: true, points_direct: 1 },
	],
	plain: [
		"Lead collection",
		"A form and webhooks, without referrals.",
		{ pages: true },
	],
	api: ["API only", "Your server sends sign-ups with an API key.", { require_key: true }],
};

const PROTECTED = { public_lookup: "social_id", public_update: "own" };

/** The hint of the checkbox for these settings. */
const protection = installation => `No one can see or change a lead by its address without an API key. Plugins and apps without a key
	can then no longer look up leads, or update a lead by a second sign-up. A person who signs up again ${installation.mail
	? "gets the link to their page by email."
	: "sees nothing of the first sign-up, because email is not set up."}`;

/** Whether leads of a new campaign confirm their address. */
const confirms = (preset, installation) => Boolean(installation.mail) && preset !== "api";

/** How addresses are confirmed, in a sentence. */
function confirmation(preset, installation) {
	if (confirms(preset, installation))
		return "Visitors confirm their email address with a link or a code that they receive.";
	return preset === "api" ? "Addresses are not confirmed." : "Visitors are signed up at once: email is not set up.";
}

/** The account of a new campaign: the chosen one or a new one, whose id is in `made` if the form is sent again. */
async function accountFor({ account, account_name: name }, isMissing, made) {
	if (!isMissing)
		return account;
	made.current ||= (await post("accounts", { name: name.trim() || "My company" })).value.id;
	await setTimeZone(made.current, browserZone());
	return made.current;
}

function AddCampaign({ close, accounts, installation }) {
	const isMissing = isOperator() && accounts.length === 0;
	const made = useRef(null);
	async function save(values) {
		const { preset, protect } = values;
		const name = values.name.trim();
		if (!name)
			throw wrongField("name", "Give the campaign a name.");
		const { value } = await post(`accounts/${await accountFor(values, isMissing, made)}/campaigns`, {
			name,
			...PRESETS[preset][2],
			...(confirms(preset, installation) ? { verify_email: true } : {}),
			...(protect && preset !== "api" ? PROTECTED : {}),
		});
		await readCampaigns();
		toast(`Campaign “${name}” was created`);
		go(`campaigns/${value.id}`);
	}
	const account = String(session.get().account_id || accounts[0]?.id || "");
	const textOf = (key, text) => html`${text}<br />${confirmation(key, installation)}`;
	const presets = Object.entries(PRESETS).map(([key, [title, text]]) => [key, title, textOf(key, text)]);
	return html`
		<${FormDialog} title="Create a campaign" submit="Create campaign" close=${close} save=${save}
			values=${{ name: "", account, preset: "referral", account_name: "", protect: false }}>
			${form => html`
				<${Field} form=${form} name="name" label="Name" autocomplete="off" hint="Shown on pages and in emails." />
				${isMissing && html`
					<${Field} form=${form} name="account_name" label="Account" placeholder="My company"
						hint="The company or customer that the campaign belongs to." />`}
				${accounts.length > 1 && html`
					<${Field} form=${form} name="account" label="Account" type="select"
						options=${accounts.map(one => [String(one.id), one.name])} />`}
				<${Cards} form=${form} name="preset" label="What is it for?" options=${presets}
					hint="You can change everything later." />
				${form.values.preset !== "api" && html`
					<${Field} form=${form} name="protect" label="Protect existing leads" type="check"
						hint=${protection(installation)} />`}`}
		<//>`;
}

async function addCampaign() {
	const [accounts, installation] = await Promise.all([
		isOperator() ? getWhole("accounts") : { value: [] },
		get("installation"),
	]);
	await openDialog(AddCampaign, { accounts: accounts.value, installation: installation.value });
}

function Growth({ row }) {
	const by = change(row.last_7_days, row.previous_7_days);
	return html`
		<${Number_} value=${row.last_7_days} />
		${by !== null && html`
			<span class=${`delta ${by < 0 ? "down" : "up"}`}>
				${growth(by)}<span class="offscreen"> ${by < 0 ? "less" : "more"} than in the previous 7 days</span>
			</span>`}`;
}

/** What needs attention, as rows of Problems. */
function problemsOf(rows) {
	const kinds = [
		["webhooks_failing", "", "failing. Deliveries stay queued and are retried."],
		["webhooks_disabled", "wait", "disabled. Deliveries stay queued."],
	];
	return kinds.flatMap(([member, tone, what]) => rows.filter(row => row[member]).map(row => {
		const text = `${plural(row[member], "webhook")} of ${row.name} ${row[member] === 1 ? "is" : "are"} ${what}`;
		return [tone, link(`campaigns/${row.id}/webhooks`), text];
	}));
}

function health(row) {
	if (row.webhooks_failing)
		return html`<${Chip} tone="bad">${row.webhooks_failing} failing<//>`;
	if (row.webhooks_disabled)
		return html`<${Chip} tone="wait">${row.webhooks_disabled} disabled<//>`;
	return row.webhooks ? html`<${Chip} tone="good">${row.webhooks} active<//>` : html`<span class="muted">none</span>`;
}

const NoCampaigns = () => html`
	<${Empty} title="No campaigns yet">
		<p>A campaign collects leads with a form and sends them to your other systems with webhooks.</p>
		${may("manage")
			? html`<${Button} kind="primary" onClick=${addCampaign}>Create the first campaign<//>`
			: html`<p>Ask an owner of your account to create one or to give you access.</p>`}
	<//>`;

function Tiles({ rows }) {
	const sumOf = member => rows.reduce((sum, row) => sum + row[member], 0);
	return html`
		<div class="tiles">
			<${Tile} label="Leads" value=${count(sumOf("leads"))} note=${`in ${plural(rows.length, "campaign")}`} />
			<${Tile} label="Today" value=${count(sumOf("today"))} note="since midnight UTC" />
			<${Tile} label="Last 7 days" value=${count(sumOf("last_7_days"))}
				note=${`${count(sumOf("previous_7_days"))} in the previous 7 days`} />
			<${Tile} label="Verified" value=${percent(sumOf("verified"), sumOf("leads"))} note="of all leads" />
		</div>`;
}

/** `accountOf`: the name of the account of a row; undefined if there is only one account. */
const columnsOf = accountOf => [
	["Campaign", row => html`
		<a href=${link(`campaigns/${row.id}`)}>${row.name}</a>${row.state === "ended" ? html` <${Chip}>ended<//>` : ""}
		${accountOf ? html`<br /><span class="muted">${accountOf(row)}</span>` : ""}`, "long", { sort: row => row.name.toLowerCase() }],
	["Leads", row => html`<${Number_} value=${row.leads} />`, "number", { sort: row => row.leads }],
	["Today", row => html`<${Number_} value=${row.today} />`, "number", { sort: row => row.today }],
	["14 days", row => html`<${Spark} values=${row.days} label=${`Sign-ups of the last 14 days: ${row.days.join(", ")}`} />`, "off"],
	["7 days", row => html`<${Growth} row=${row} />`, "number", { sort: row => row.last_7_days }],
	["Verified", row => percent(row.verified, row.leads), "number off", { sort: row => (row.leads ? row.verified / row.leads : 0) }],
	["Webhooks", health, "", { sort: row => -(row.webhooks_failing * 1000 + row.webhooks_disabled) }],
	["Pending since", row => html`<${Waiting} at=${row.oldest_due_at} />`, "off"],
];

/** Until an owner has chosen a time zone, times are shown in UTC, which few users expect. */
function ZoneQuestion() {
	const user = useSession();
	const name = browserZone();
	if (!user.account_id || user.time_zone || !may("account") || ["UTC", "Etc/UTC"].includes(name))
		return null;
	const choose = one => setTimeZone(user.account_id, one);
	return html`
		<${Notice} beside=${html`
			<span class="buttons">
				<${Button} kind="primary" onClick=${() => choose(name)}>Use ${name.replaceAll("_", " ")}<//>
				<${Button} onClick=${() => choose("UTC")}>Keep UTC<//>
				<a href=${link("account")}>Other</a>
			</span>`}>
			Times are shown in UTC. Use the time zone of your browser for everyone on this account?
		<//>`;
}

export function Overview() {
	const live = useLive("overview", {}, { every: 15, whole: true });
	const accounts = useList(isOperator() ? "accounts" : null, {}, { every: 60, whole: true });
	const accountOf = row => accounts.find(one => one.id === row.account_id)?.name || "";
	const columns = columnsOf(isOperator() && accounts?.length > 1 ? accountOf : undefined);
	const actions = may("manage") && !session.get().campaigns && html`
		<${Button} kind="primary" onClick=${addCampaign}>Create campaign<//>`;
	return html`
		<${Page} title="Overview" live=${live} actions=${actions}>
			<${ZoneQuestion} />
			<${List} live=${live} none=${html`<${NoCampaigns} />`}>${rows => html`
				<${Cut} live=${live} what="campaigns" />
				<${Problems} rows=${problemsOf(rows)} />
				<${Tiles} rows=${rows} />
				<${Table} name="Campaigns" rows=${rows} sorted=${{ title: "Today", down: true }} columns=${columns} />`}
			<//>
		<//>`;
}
