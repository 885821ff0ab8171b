// SPDX-License-Identifier: MIT
// One lead: its data, activity, referrals and deliveries.
import { useState } from "./hooks.js";
import { patch, post } from "./api.js";
import { count, day, full, hour, plural } from "./format.js";
import { campaignName } from "./frame.js";
import { refresh, useList, useLive, useSearch } from "./live.js";
import { go, link } from "./route.js";
import { may } from "./session.js";
import { Points, SOON_MS, changeLeads } from "./bulk.js";
import { StateOf } from "./leads.js";
import {
	DELIVERY_STATES,
	MAILS,
	SOURCES,
	addressOf,
	eventName,
	fraudReason,
	mailReason,
	nameOf,
	outcome,
	scoreReason,
	urlParts,
	waitReason,
} from "./words.js";
import {
	Button,
	Chip,
	Copy,
	Dialog,
	Facts,
	Field,
	Form,
	Loaded,
	Notice,
	Page,
	Problem,
	Time,
	Updated,
	ask,
	html,
	openDialog,
	toast,
	useForm,
} from "./ui.js";

/* ---- activity ---- */

function Deliveries({ campaign, list, webhooks }) {
	const done = list.filter(one => one.state === "delivered").length;
	if (list.length === 0)
		return null;
	return html`<details><summary><${Chip} tone=${done === list.length ? "good" : list.some(one => one.state === "failed") ? "bad" : "wait"}>${done} of ${list.length} delivered<//></summary>
		<ul class="inner">${list.map(
			one => html`<li key=${one.id}>
			<a href=${link(`campaigns/${campaign}/deliveries/${one.id}`)}>${urlParts(webhooks?.find(webhook => webhook.referenceId === one.webhook_id)?.url || `webhook ${one.webhook_id}`)[0]}</a>
			${" "}<${Chip} tone=${DELIVERY_STATES[one.state][1]}>${DELIVERY_STATES[one.state][0]}<//>
			<span class="muted"> ${[one.attempts > 0 && outcome(one.last_status, one.last_error), one.attempts > 1 && plural(one.attempts, "attempt"), waitReason(one)].filter(Boolean).join(". ")}</span></li>`,
		)}</ul></details>`;
}

/** An entry of the timeline in a sentence. */
function sentence(entry, campaign) {
	const friend = entry.lead
		? html`<a href=${link(`campaigns/${campaign}/leads/${entry.lead}`)}>${entry.subject || entry.lead}</a>`
		: entry.subject;
	switch (entry.kind) {
		case "signup":
			return html`<strong>Signed up</strong>${entry.origin?.parent_id ? html` through <a href=${link(`campaigns/${campaign}/leads/${entry.origin.parent_id}`)}>a referral link</a>` : ""}
			${entry.origin?.source ? html` · source ${entry.origin.source}` : ""}${entry.origin?.signup_url ? html`<br /><span class="muted">on ${entry.origin.signup_url}</span>` : ""}`;
		case "points":
			return html`<strong class=${entry.points < 0 ? "down" : "up"}>${entry.points > 0 ? "+" : ""}${count(entry.points)}</strong> ${Math.abs(entry.points) === 1 ? "point" : "points"}: ${scoreReason(entry.name)}
			${friend ? html` (${friend})` : ""}${entry.message ? html`<br /><span class="muted">“${entry.message}”</span>` : ""}`;
		case "confirmation":
			return html`<strong>Confirmed</strong> the ${entry.name === "phone" ? "phone number" : "email address"}`;
		case "message":
			return html`<strong>${MAILS[entry.name]?.[0] || entry.name}</strong> ${entry.name === "code" ? "by text message" : "by email"}: ${entry.state}${entry.message ? html` <span class="muted">(${mailReason(entry.message)})</span>` : ""}`;
		case "inbound_call":
			return html`<strong>Inbound webhook</strong> ${entry.state}${entry.message ? html` <span class="muted">(${entry.message})</span>` : ""}`;
		default:
			return html`Event <strong>${eventName(entry.name)}</strong>`;
	}
}

const KINDS = [
	["", "All"],
	["points", "Points"],
	["message", "Messages"],
	["event", "Events"],
];

function Timeline({ campaign, id }) {
	const [kind, setKind] = useState("");
	const list = useSearch(`campaigns/${campaign}/leads/${id}/timeline`, { limit: 50 }, { target: 1, most: 1 });
	const webhooks = useList(may("hooks") ? `campaigns/${campaign}/webhooks` : null, {}, { every: 0 });
	const rows = list.rows.filter(entry => !kind || entry.kind === kind || (kind === "message" && entry.kind === "confirmation"));
	let before = "";
	return html`<section class="card"><header><h2>Activity</h2><div class="segments" role="group" aria-label="Type">${KINDS.map(
		([key, text]) => html`
			<button type="button" class="small" key=${key} aria-pressed=${kind === key} onClick=${() => setKind(key)}>${text}</button>`,
	)}</div></header>
		<${Problem} failure=${list.failure} onRetry=${list.reload} />
		${rows.length === 0 && !list.isLoading && html`<p class="muted">No activity of this type.</p>`}
		<ol class="timeline" aria-busy=${list.isLoading}>${rows.map((entry, at) => {
			const date = day(entry.at),
				heading = date !== before;
			before = date;
			return html`<li key=${`${entry.kind}${entry.id}${entry.at}${at}`}>${heading && html`<h3 class="day">${date}</h3>`}
				<time datetime=${entry.at} title=${full(entry.at)}>${hour(entry.at)}</time><div><div>${sentence(entry, campaign)}</div>
				<${Deliveries} campaign=${campaign} list=${entry.deliveries} webhooks=${webhooks} /></div></li>`;
		})}</ol>
		${list.next && html`<p><${Button} onClick=${() => list.goOn()}>Show older<//></p>`}</section>`;
}

/* ---- referrals ---- */

function Referred({ campaign, lead }) {
	const list = useLive(`campaigns/${campaign}/leads`, { referred_by: lead.social_id, limit: 20 }, { every: 60 });
	return html`<section class="card"><h2>Referrals</h2>
		${lead.parent ? html`<p>Referred by <a href=${link(`campaigns/${campaign}/leads/${lead.parent.social_id}`)}>${nameOf(lead.parent)}</a>.</p>` : html`<p class="muted">Not referred by another lead.</p>`}
		<${Loaded} live=${list}>${rows =>
			rows.length === 0
				? html`<p class="muted">No referrals yet.</p>`
				: html`
			<p>Referred ${plural(lead.verified_leads.direct !== null ? lead.unverified_leads.direct + lead.verified_leads.direct : rows.length, "lead")} directly and ${count(lead.influence.indirect)} indirectly.</p>
			<ul class="tree">${rows.map(one => html`<li key=${one.id}><a href=${link(`campaigns/${campaign}/leads/${one.social_id}`)}>${nameOf(one)}</a> <${StateOf} lead=${one} /></li>`)}</ul>
			${list.next && html`<p><a href=${link(`campaigns/${campaign}/leads`, { referred_by: lead.social_id })}>Show all</a></p>`}`}<//></section>`;
}

/* ---- changes ---- */

function Edit({ campaign, lead, close }) {
	const own = Object.entries(lead.custom_fields).filter(([, value]) => typeof value !== "object" || value === null);
	const start = {
		email: lead.email || "",
		phone_number: lead.phone_number || "",
		...Object.fromEntries(own.map(([name, value]) => [`custom.${name}`, value === null ? "" : String(value)])),
		name: "",
		value: "",
	};
	const form = useForm(start);
	async function submit() {
		const body = {};
		for (const [name, value] of Object.entries(form.values)) {
			if (name === "name" || name === "value" || value === start[name])
				continue;
			body[name.replace(/^custom\./, "")] = value;
		}
		if (form.values.name.trim()) body[form.values.name.trim()] = form.values.value;
		if (Object.keys(body).length > 0) await patch(`campaigns/${campaign}/leads/${lead.social_id}`, body);
		close(true);
	}
	return html`<${Dialog} title="Edit lead" close=${() => close(false)}><${Form} form=${form} onSubmit=${submit} submit="Save" cancel=${() => close(false)}>
		<${Field} form=${form} name="email" label="Email address" type="email" hint="A new address must be verified again." />
		<${Field} form=${form} name="phone_number" label="Phone number" type="tel" />
		${own.map(([name]) => html`<${Field} key=${name} form=${form} name=${`custom.${name}`} label=${name} hint="Leave empty to remove the field." />`)}
		<div class="row"><${Field} form=${form} name="name" label="New field" placeholder="company" /><${Field} form=${form} name="value" label="Value" /></div>
	<//><//>`;
}

function Actions({ campaign, lead, tags, reload }) {
	const soon = () => setTimeout(refresh, SOON_MS);
	const change = (word, text, undo, extra) => async () => {
		await changeLeads(campaign, word, [lead.social_id], extra);
		toast(
			`The lead will be ${text} shortly`,
			undo &&
				(async () => {
					await changeLeads(campaign, undo, [lead.social_id]);
					soon();
				}),
		);
		soon();
	};
	const person = lead.email ? { email: lead.email } : { phone: lead.phone_number };
	const erase = () =>
		ask({
			title: "Erase this person?",
			verb: "Erase",
			type: addressOf(lead),
			danger: true,
			text: html`<p>All data about <strong>${addressOf(lead)}</strong> is deleted in all campaigns of the account: leads, points, events and emails.</p>
			<p>Data that webhooks have already sent, and backups, are not affected. This cannot be undone.</p>`,
			work: async () => {
				const { value } = await post(`campaigns/${campaign}/erase`, person);
				toast(`Erased ${plural(value.leads, "lead")} and ${plural(value.events, "event")}`);
				go(`campaigns/${campaign}/leads`);
			},
		});
	const report = async () => {
		const { value } = await post(`campaigns/${campaign}/report`, person);
		const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, "\t")], { type: "application/json" }));
		Object.assign(document.createElement("a"), { href: url, download: `report-${lead.social_id}.json` }).click();
		URL.revokeObjectURL(url);
	};
	return html`<section class="card"><h2>Actions</h2><div class="buttons">
		<${Button} onClick=${() =>
			openDialog(
				close =>
					html`<${Edit} campaign=${campaign} lead=${lead} close=${done => {
						close();
						if (done) reload();
					}} />`,
			)}>Edit<//>
		<${Button} onClick=${() =>
			openDialog(
				close =>
					html`<${Points} campaign=${campaign} leads=${[lead.social_id]} who=${`${nameOf(lead)} (${plural(lead.contest_score, "point")})`} close=${done => {
						close();
						if (done) refresh();
					}} />`,
			)}>Points…<//>
		${lead.verified ? html`<${Button} onClick=${change("unverify", "unverified", "verify")}>Unverify<//>` : html`<${Button} onClick=${change("verify", "verified", "unverify")}>Verify<//>`}
		${lead.fraudulent ? html`<${Button} onClick=${change("approve", "approved", "block")}>Approve<//>` : html`<${Button} onClick=${change("block", "blocked", "approve")}>Block<//>`}
		${lead.waitlisted ? html`<${Button} onClick=${change("unwaitlist", "removed from the waitlist", "waitlist")}>Remove from waitlist<//>` : ""}
		${!lead.opted_out && lead.email && html`<${Button} onClick=${change("optout", "unsubscribed")}>Unsubscribe<//>`}
		${
			tags?.length > 0 &&
			html`<label class="offscreen" for="lead-tag">Add a tag</label><select id="lead-tag" onChange=${event => {
				const tag = event.currentTarget.value;
				event.currentTarget.value = "";
				if (tag) change("tag", "tagged", null, { tag: Number(tag) })();
			}}><option value="">Add a tag…</option>${tags.map(tag => html`<option key=${tag.id} value=${tag.id}>${tag.name}</option>`)}</select>`
		}
		<${Button} onClick=${report}>Download personal data<//>
		<${Button} kind="danger" onClick=${erase}>Erase…<//></div></section>`;
}

/* ---- the view ---- */

/** Names of usual custom fields. */
const FIELDS = { __proto__: null, first_name: "First name", last_name: "Last name", company: "Company" };

const text = value => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value));

function Fraud({ lead }) {
	return html`<${Notice} tone="bad"><p><strong>Marked as fraudulent</strong>: ${lead.fraud_reasons.map(fraudReason).join("; ") || "no reason stored"}.
		Its points, and its referrer's points for it, do not count. If the lead is genuine, approve it.</p><//>`;
}

export function Lead({ id, lead: social }) {
	const live = useLive(`campaigns/${id}/leads/${social}`, {}, { every: 15 });
	const tags = useList(`campaigns/${id}/tags`, {}, { every: 0 });
	const title = live.value ? nameOf(live.value) : "Lead";
	return html`<${Page} title=${title} above=${html`<a href=${link(`campaigns/${id}`)}>${campaignName(id)}</a> › <a href=${link(`campaigns/${id}/leads`)}>Leads</a>`} actions=${html`<${Updated} live=${live} />`}>
		<${Loaded} live=${live} lines=${8}>${lead => html`
			${lead.fraudulent && html`<${Fraud} lead=${lead} />`}
			<div class="columns lead">
				<div class="stack">
					<section class="card"><h2>Lead</h2><${StateOf} lead=${lead} />
						<${Facts} rows=${[
							[
								"Email",
								lead.email
									? html`${lead.email} <${Copy} text=${lead.email} what="the email address" />${lead.bounced ? html` <${Chip} tone="bad">bounced<//>` : ""}`
									: html`<span class="muted">none</span>`,
							],
							lead.phone_number && [
								"Phone",
								html`${lead.phone_number} <${Copy} text=${lead.phone_number} what="the phone number" />`,
							],
							[
								"Points",
								html`<strong>${count(lead.contest_score)}</strong>, rank ${count(lead.contest_score_rank)}`,
							],
							lead.rewards.length > 0 && [
								"Rewards",
								lead.rewards.map(
									one => html`<${Chip} tone="good" key=${one.reward_id}>${one.subject || "removed"}<//> `,
								),
							],
							lead.tags.length > 0 && [
								"Tags",
								lead.tags.map(tag => html`<${Chip} key=${tag.tag_id}>${tag.name}<//> `),
							],
							["Signed up", html`${full(lead.when)} (<${Time} at=${lead.when} />)`],
							lead.counter > 1 && ["Sign-ups", plural(lead.counter, "time")],
							...Object.entries(lead.custom_fields).map(([name, value]) => [FIELDS[name] || name, text(value)]),
							...Object.entries(lead.utm).map(([name, value]) => [`utm ${name}`, text(value)]),
							lead.origin.source && ["Source", SOURCES[lead.origin.source] || lead.origin.source],
							lead.origin.signup_url && ["Sign-up page", lead.origin.signup_url],
							lead.origin.referrer && ["Referring page", lead.origin.referrer],
							lead.origin.ip && ["IP address", lead.origin.ip],
							lead.origin.user_agent && ["Browser", lead.origin.user_agent],
							lead.social_url && [
								"Referral link",
								html`<${Copy} text=${lead.social_url} label="Copy the link" what="for friends" />`,
							],
							lead.status_url && [
								"Status page",
								html`<${Copy} text=${lead.status_url} label="Copy the link" what="of the status page" />`,
							],
							["ID", html`<code>${lead.social_id}</code> <${Copy} text=${lead.social_id} what="the ID" />`],
						]} /></section>
					${may("change") && html`<${Actions} campaign=${id} lead=${lead} tags=${tags} reload=${live.reload} />`}
					<${Referred} campaign=${id} lead=${lead} />
				</div>
				<${Timeline} key=${social} campaign=${id} id=${social} />
			</div>`}<//>
	<//>`;
}
