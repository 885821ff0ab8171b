// SPDX-License-Identifier: MIT
// All campaigns: problems first, then growth.
import { useState } from "./hooks.js";
import { get, post } from "./api.js";
import { change, count, percent, plural } from "./format.js";
import { campaigns, readCampaigns } from "./frame.js";
import { useList, useLive } from "./live.js";
import { go, link } from "./route.js";
import { isOperator, may, session } from "./session.js";
import {
	Button,
	Chip,
	Dialog,
	Empty,
	Field,
	Form,
	Loaded,
	Notice,
	Number_,
	Page,
	Spark,
	Table,
	Tile,
	Time,
	Updated,
	Waiting,
	html,
	openDialog,
	toast,
	useForm,
} from "./ui.js";

/** Purposes of campaigns, with the settings of each. */
const PRESETS = {
	referral: [
		"Referral campaign",
		"Leads share a link, collect points for friends who join, and reach rewards.",
		{ pages: true, points_signup: 1, points_direct: 2, public_lookup: "social_id", public_update: "own" },
	],
	waiting: [
		"Waiting list",
		"Leads save their place in a queue; you let them in.",
		{ pages: true, waitlist: true, points_direct: 1, public_lookup: "social_id", public_update: "own" },
	],
	plain: [
		"Lead collection",
		"A form and webhooks, without referrals.",
		{ pages: true, public_lookup: "social_id", public_update: "own" },
	],
	api: ["API only", "Your server sends sign-ups with an API key.", { require_key: true }],
};

function AddCampaign({ close, accounts }) {
	const form = useForm({
		name: "",
		account: String(session.get().account_id || accounts[0]?.id || ""),
		preset: "referral",
		account_name: "",
	});
	const installation = useList("installation", {}, { every: 0 });
	const needsAccount = isOperator() && accounts.length === 0;
	async function submit() {
		const { name, preset, account_name } = form.values;
		let { account } = form.values;
		if (!name.trim())
			throw Object.assign(new Error("A name is missing."), { fields: { name: "Give the campaign a name." } });
		if (needsAccount) account = (await post("accounts", { name: account_name.trim() || "My company" })).value.id;
		const verifies = installation?.mail && preset !== "api" ? { verify_email: true } : {};
		const { value } = await post(`accounts/${account}/campaigns`, { name: name.trim(), ...PRESETS[preset][2], ...verifies });
		await readCampaigns();
		close();
		toast(`Campaign “${name.trim()}” was created`);
		go(`campaigns/${value.id}`);
	}
	return html`<${Dialog} title="Create a campaign" close=${close}><${Form} form=${form} onSubmit=${submit} submit="Create campaign" cancel=${() => close()}>
		<${Field} form=${form} name="name" label="Name" autocomplete="off" hint="Shown on pages and in emails." />
		${needsAccount && html`<${Field} form=${form} name="account_name" label="Account" hint="The company or customer that the campaign belongs to." placeholder="My company" />`}
		${accounts.length > 1 && html`<${Field} form=${form} name="account" label="Account" type="select" options=${accounts.map(one => [String(one.id), one.name])} />`}
		<fieldset class="cards"><legend>What is it for?</legend>
			${Object.entries(PRESETS).map(
				([key, [title, text]]) => html`<label key=${key} class="card-choice">
				<input type="radio" name="preset" value=${key} checked=${form.values.preset === key} onChange=${() => form.set("preset", key)} />
				<span><strong>${title}</strong><br />${text}</span></label>`,
			)}
			<p class="hint">You can change everything later.</p></fieldset>
	<//><//>`;
}

async function addCampaign() {
	const accounts = isOperator() ? (await get("accounts")).value : [];
	await openDialog(close => html`<${AddCampaign} close=${close} accounts=${accounts} />`);
}

function Growth({ row }) {
	const by = change(row.last_7_days, row.previous_7_days);
	return html`<${Number_} value=${row.last_7_days} />${
		by === null
			? ""
			: html`<span class=${`delta ${by < 0 ? "down" : "up"}`}>
		${by < 0 ? "↓" : "↑"} ${count(Math.abs(by))} %<span class="offscreen"> ${by < 0 ? "less" : "more"} than in the previous 7 days</span></span>`
	}`;
}

/** Problems, for the list above the table. */
function problemsOf(rows) {
	const found = [];
	for (const row of rows) {
		if (row.webhooks_failing)
			found.push(["",
				link(`campaigns/${row.id}/webhooks`),
				`${plural(row.webhooks_failing, "webhook")} of ${row.name} ${row.webhooks_failing === 1 ? "is" : "are"} failing. Deliveries stay queued and are retried.`,
			]);
		if (row.webhooks_disabled)
			found.push(["wait",
				link(`campaigns/${row.id}/webhooks`),
				`${plural(row.webhooks_disabled, "webhook")} of ${row.name} ${row.webhooks_disabled === 1 ? "is" : "are"} disabled.`,
			]);
	}
	return found;
}

const health = row =>
	row.webhooks_failing
		? html`<${Chip} tone="bad">${row.webhooks_failing} failing<//>`
		: row.webhooks_disabled
			? html`<${Chip} tone="wait">${row.webhooks_disabled} disabled<//>`
			: row.webhooks
				? html`<${Chip} tone="good">${row.webhooks} working<//>`
				: html`<span class="muted">none</span>`;

export function Overview() {
	const live = useLive("overview", {}, { every: 15 });
	const accounts = useList(isOperator() ? "accounts" : null, {}, { every: 60 });
	const [state, setState] = useState("all");
	const accountName = id => accounts?.find(one => one.id === id)?.name || "";
	return html`<${Page} title="Overview" actions=${html`<${Updated} live=${live} />
			${may("manage") && !session.get().campaigns && html`<${Button} kind="primary" onClick=${addCampaign}>Create campaign<//>`}`}>
		<${Loaded} live=${live}>${rows =>
			rows.length === 0
				? html`<${Empty} title="No campaigns yet">
				<p>A campaign collects leads with a form and sends them to your other systems with webhooks.</p>
				${may("manage") ? html`<${Button} kind="primary" onClick=${addCampaign}>Create the first campaign<//>` : html`<p>Ask an owner of your account to create one or to give you access.</p>`}<//>`
				: html`
			${problemsOf(rows).length > 0 && html`<ul class="problems" aria-label="Needs attention">${problemsOf(rows).map(([tone, href, text]) => html`<li key=${text} class=${tone}><a href=${href}>${text}</a></li>`)}</ul>`}
			<div class="tiles">
				<${Tile} label="Leads" value=${count(rows.reduce((sum, row) => sum + row.leads, 0))} note=${`in ${plural(rows.length, "campaign")}`} />
				<${Tile} label="Today" value=${count(rows.reduce((sum, row) => sum + row.today, 0))} note="since midnight UTC" />
				<${Tile} label="Last 7 days" value=${count(rows.reduce((sum, row) => sum + row.last_7_days, 0))}
					note=${`${count(rows.reduce((sum, row) => sum + row.previous_7_days, 0))} in the previous 7 days`} />
				<${Tile} label="Verified" value=${percent(
					rows.reduce((sum, row) => sum + row.verified, 0),
					rows.reduce((sum, row) => sum + row.leads, 0),
				)} note="of all leads" />
			</div>
			<${Table} name="Campaigns" rows=${rows} sorted=${{ title: "Today", down: true }} columns=${[
				{
					title: "Campaign",
					kind: "long",
					cell: row => html`<a href=${link(`campaigns/${row.id}`)}>${row.name}</a>${row.state === "ended" ? html` <${Chip}>ended<//>` : ""}
					${isOperator() && accounts?.length > 1 ? html`<br /><span class="muted">${accountName(row.account_id)}</span>` : ""}`,
					sort: row => row.name.toLowerCase(),
				},
				{ title: "Leads", kind: "number", cell: row => html`<${Number_} value=${row.leads} />`, sort: row => row.leads },
				{ title: "Today", kind: "number", cell: row => html`<${Number_} value=${row.today} />`, sort: row => row.today },
				{
					title: "14 days",
					cell: row =>
						html`<${Spark} values=${row.days} label=${`Sign-ups of the last 14 days: ${row.days.join(", ")}`} />`,
				},
				{ title: "7 days", kind: "number", cell: row => html`<${Growth} row=${row} />`, sort: row => row.last_7_days },
				{
					title: "Verified",
					kind: "number",
					cell: row => percent(row.verified, row.leads),
					sort: row => (row.leads ? row.verified / row.leads : 0),
				},
				{ title: "Webhooks", cell: health, sort: row => -(row.webhooks_failing * 1000 + row.webhooks_disabled) },
				{ title: "Oldest pending", cell: row => html`<${Waiting} at=${row.oldest_due_at} />` },
			]} />`}<//>
	<//>`;
}
