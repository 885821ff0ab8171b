// SPDX-License-Identifier: MIT
// One lead: its data, activity, referrals and deliveries.
import { useState } from "./hooks.js";
import { patch, post, postPatiently } from "./api.js";
import { count, day, full, hour, labelOf, plural } from "./format.js";
import { refresh, useList, useLive, useSearch } from "./live.js";
import { go, link } from "./route.js";
import { may } from "./session.js";
import { Change, Points, changeLeads, refreshSoon } from "./bulk.js";
import { StateOf } from "./leads.js";
import {
	DELIVERY_STATES, LANGUAGES, MAILS, MAIL_STATES, SOURCES, addressOf, eventName, fraudReason, mailReason, nameOf, outcome, scoreReason,
	urlParts, waitReason,
} from "./words.js";
import { ConfirmButton, Field, FormDialog, wrongField } from "./forms.js";
import {
	Button, Card, Chip, Copy, Facts, List, Loaded, Moment, Notice, Page, Problem, Segments, Select, download, html, openDialog,
	showFailure, toast,
} from "./ui.js";

/* ---- activity ---- */

function Delivery({ campaign, one, webhooks }) {
	const url = webhooks?.find(webhook => webhook.referenceId === one.webhook_id)?.url || `webhook ${one.webhook_id}`;
	const [state, tone] = DELIVERY_STATES[one.state];
	const notes = [
		one.attempts > 0 && outcome(one.last_status, one.last_error),
		one.attempts > 1 && plural(one.attempts, "attempt"),
		waitReason(one),
	];
	const [host] = urlParts(url);
	const place = link(`campaigns/${campaign}/deliveries/${one.id}`);
	return html`
		<li>
			${may("hooks") ? html`<a href=${place}>${host}</a>` : host} <${Chip} tone=${tone}>${state}<//>
			<span class="muted"> ${notes.filter(Boolean).join(". ")}</span>
		</li>`;
}

function Deliveries({ campaign, list, webhooks }) {
	const done = list.filter(one => one.state === "delivered").length;
	if (list.length === 0)
		return null;
	const tone = done === list.length ? "good" : list.some(one => one.state === "failed") ? "bad" : "wait";
	return html`
		<details>
			<summary><${Chip} tone=${tone}>${done} of ${list.length} delivered<//></summary>
			<ul class="inner">
				${list.map(one => html`<${Delivery} key=${one.id} campaign=${campaign} one=${one} webhooks=${webhooks} />`)}
			</ul>
		</details>`;
}

/** An entry of the timeline in words, by its kind. */
const SENTENCES = {
	__proto__: null,
	signup({ origin }, campaign) {
		const parent = origin?.parent_id && link(`campaigns/${campaign}/leads/${origin.parent_id}`);
		return html`
			<strong>Signed up</strong>${parent ? html` through <a href=${parent}>a referral link</a>` : ""}
			${origin?.source ? html` · source ${origin.source}` : ""}
			${origin?.signup_url ? html`<br /><span class="muted">on ${origin.signup_url}</span>` : ""}`;
	},
	points({ points, name, message, subject, lead }, campaign) {
		const friend = lead ? html`<a href=${link(`campaigns/${campaign}/leads/${lead}`)}>${subject || lead}</a>` : subject;
		return html`
			<strong class=${points < 0 ? "down" : "up"}>${points > 0 ? "+" : ""}${count(points)}</strong>
			${" "}${Math.abs(points) === 1 ? "point" : "points"}: ${scoreReason(name)}
			${friend ? html` (${friend})` : ""}
			${message ? html`<br /><span class="muted">“${message}”</span>` : ""}`;
	},
	confirmation({ name }) {
		return html`<strong>Confirmed</strong> the ${name === "phone" ? "phone number" : "email address"}`;
	},
	message({ name, state, message }) {
		return html`
			<strong>${MAILS[name]?.[0] || name}</strong> ${name === "code" ? "by text message" : "by email"}: ${MAIL_STATES[state] || state}
			${message ? html` <span class="muted">(${mailReason(message)})</span>` : ""}`;
	},
	inbound_call({ state, message }) {
		return html`
			<strong>Inbound webhook</strong> ${state}${message ? html` <span class="muted">(${message})</span>` : ""}`;
	},
	mark({ name, extra, made_by: by }) {
		const what = name === "fraudulent" ? "Marked as fraudulent" : "Marked as genuine";
		const why = extra?.length > 0 ? `: ${extra.map(fraudReason).join("; ")}` : "";
		return html`<strong>${what}</strong> by ${by || "a rule"}${why}`;
	},
	event({ name }) {
		return html`Event <strong>${eventName(name)}</strong>`;
	},
};

const sentence = (entry, campaign) => (SENTENCES[entry.kind] || SENTENCES.event)(entry, campaign);

const KINDS = [
	["", "All"],
	["points", "Points"],
	["message", "Messages"],
	["event", "Events"],
	["mark", "Fraud"],
];

const Entry = ({ campaign, entry, heading, webhooks }) => html`
	<li>
		${heading && html`<h3 class="day">${heading}</h3>`}
		<time datetime=${entry.at} title=${full(entry.at)}>${hour(entry.at)}</time>
		<div>
			<div>${sentence(entry, campaign)}</div>
			<${Deliveries} campaign=${campaign} list=${entry.deliveries} webhooks=${webhooks} />
		</div>
	</li>`;

function Timeline({ campaign, id }) {
	const [kind, setKind] = useState("");
	const list = useSearch(`campaigns/${campaign}/leads/${id}/timeline`, { limit: 50 }, { target: 1, most: 1 });
	const webhooks = useList(may("hooks") ? `campaigns/${campaign}/webhooks` : null, {}, { every: 0 });
	const rows = list.rows.filter(entry => !kind || entry.kind === kind || (kind === "message" && entry.kind === "confirmation"));
	const none = list.next
		? "No activity of this type so far. Older entries were not searched yet."
		: "No activity of this type.";
	const headingOf = at => (at === 0 || day(rows[at].at) !== day(rows[at - 1].at)) && day(rows[at].at);
	const choice = html`<${Segments} label="Type" options=${KINDS} value=${kind} choose=${setKind} kind="small" />`;
	return html`
		<${Card} title="Activity" beside=${choice}>
			<${Problem} failure=${list.failure} onRetry=${list.reload} />
			${rows.length === 0 && !list.isLoading && html`<p class="muted">${none}</p>`}
			<ol class="timeline" aria-busy=${list.isLoading}>
				${rows.map((entry, at) => html`
					<${Entry} key=${`${entry.kind}${entry.id}${entry.at}${at}`} campaign=${campaign} entry=${entry}
						heading=${headingOf(at)} webhooks=${webhooks} />`)}
			</ol>
			${list.next && html`<p><${Button} onClick=${() => list.goOn()}>Show older<//></p>`}
		<//>`;
}

/* ---- referrals ---- */

function Referred({ campaign, lead }) {
	const list = useLive(`campaigns/${campaign}/leads`, { referred_by: lead.social_id, limit: 20 }, { every: 60 });
	const { influence, parent } = lead;
	const hrefOf = one => link(`campaigns/${campaign}/leads/${one.social_id}`);
	return html`
		<${Card} title="Referrals">
			${parent
				? html`<p>Referred by <a href=${hrefOf(parent)}>${nameOf(parent)}</a>.</p>`
				: html`<p class="muted">Not referred by another lead.</p>`}
			<${List} live=${list} none=${html`<p class="muted">No referrals yet.</p>`}>${rows => html`
				<p>Referred ${plural(influence.direct, "lead")} directly and ${count(influence.indirect)} indirectly.</p>
				<ul class="tree">
					${rows.map(one => html`
						<li key=${one.id}><a href=${hrefOf(one)}>${nameOf(one)}</a> <${StateOf} lead=${one} /></li>`)}
				</ul>
				${list.next && html`
					<p><a href=${link(`campaigns/${campaign}/leads`, { referred_by: lead.social_id })}>Show all</a></p>`}`}
			<//>
		<//>`;
}

/* ---- changes ---- */

/** "German (de-AT)" */
const languageOf = tag => `${LANGUAGES[tag.split("-")[0]] || "Other"} (${tag})`;
/** The parameter for a custom field, which may have the same name as a field that all leads have. */
const customName = name => (name === "language" ? "custom_fields[language]" : name);

/** Custom fields that the form always offers. */
const NAMES = { first_name: "", last_name: "" };

function Edit({ campaign, lead, close }) {
	const tags = [...new Set([lead.language || "", ...Object.keys(LANGUAGES)])];
	const stored = { ...NAMES, ...lead.custom_fields };
	const own = Object.entries(stored).filter(([, value]) => typeof value !== "object" || value === null);
	const start = {
		email: lead.email || "",
		phone_number: lead.phone_number || "",
		"lead.language": lead.language || "",
		...Object.fromEntries(own.map(([name, value]) => [`custom.${name}`, value === null ? "" : String(value)])),
		name: "",
		value: "",
	};
	async function save(values) {
		const body = {};
		for (const [key, value] of Object.entries(values)) {
			if (key === "name" || key === "value" || value === start[key])
				continue;
			body[key.startsWith("custom.") ? customName(key.slice("custom.".length)) : key.replace(/^lead\./, "")] = value;
		}
		const name = values.name.trim();
		if (values.value && !name)
			throw wrongField("name", "Enter the name of the field.");
		if (name) body[customName(name)] = values.value;
		if (Object.keys(body).length > 0) await patch(`campaigns/${campaign}/leads/${lead.social_id}`, body);
	}
	return html`
		<${FormDialog} title="Edit lead" submit="Save" close=${close} values=${start} save=${save}>
			${form => html`
				<${Field} form=${form} name="email" label="Email address" type="email" hint="A new address must be verified again." />
				<${Field} form=${form} name="phone_number" label="Phone number" type="tel" />
				<${Field} form=${form} name="lead.language" label="Language" type="select"
					options=${tags.map(tag => [tag, tag ? languageOf(tag) : "Not known"])}
					hint="For its emails and its page, unless the campaign has a fixed language." />
				${own.map(([name]) => html`
					<${Field} key=${name} form=${form} name=${`custom.${name}`} label=${labelOf(name)}
						hint=${name in lead.custom_fields ? "Leave empty to remove the field." : undefined} />`)}
				<div class="row">
					<${Field} form=${form} name="name" label="New field" placeholder="company" />
					<${Field} form=${form} name="value" label="Value" />
				</div>`}
		<//>`;
}

const personOf = lead => (lead.email ? { email: lead.email } : { phone: lead.phone_number });

/** Downloads everything that the campaign has stored about a person. */
function Report({ campaign, lead }) {
	const report = async () => {
		const items = [];
		for (let next = {}; next; ) {
			const part = await postPatiently(`campaigns/${campaign}/report`, { ...personOf(lead), ...next });
			items.push(...part.value);
			next = part.next;
		}
		download(`report-${lead.social_id}.json`, JSON.stringify(items, null, "\t"), "application/json");
	};
	return html`<${Button} onClick=${report}>Download personal data<//>`;
}

function Erase({ campaign, lead }) {
	const text = html`
		<p>All data about <strong>${addressOf(lead)}</strong> in this campaign is deleted: lead, points, events and emails.</p>
		<p>Data that webhooks have already sent, and backups, are not affected. This cannot be undone.</p>`;
	async function erase() {
		const { value } = await post(`campaigns/${campaign}/erase`, personOf(lead));
		const erased = `Erased ${plural(value.leads, "lead")} and ${plural(value.events, "event")}`;
		toast(value.done ? erased : "The data is being deleted in the background");
		go(`campaigns/${campaign}/leads`);
	}
	return html`
		<${ConfirmButton} kind="danger" title="Erase this person?" verb="Erase" type=${addressOf(lead)} text=${text} work=${erase}>
			Erase…
		<//>`;
}

function Actions({ campaign, lead, tags, reload }) {
	const settings = useList(`campaigns/${campaign}`, {}, { every: 0 });
	const change = word => html`<${Change} key=${word} campaign=${campaign} lead=${lead} word=${word} />`;
	const addTag = async tag => {
		await changeLeads(campaign, "tag", [lead.social_id], { tag: Number(tag) });
		toast("The lead will be tagged");
		refreshSoon();
	};
	const edit = () => openDialog(Edit, { campaign, lead }).then(done => done && reload());
	const endBounce = async () => {
		await patch(`campaigns/${campaign}/leads/${lead.social_id}`, { bounced: "no" });
		toast("Email will be sent to this address again");
		reload();
	};
	const changePoints = () => {
		const subject = `${nameOf(lead)} (${plural(lead.contest_score, "point")})`;
		return openDialog(Points, { campaign, leads: [lead.social_id], subject }).then(done => done && refresh());
	};
	return html`
		<${Card} title="Actions">
			<div class="buttons">
				<${Button} onClick=${edit}>Edit<//>
				<${Button} onClick=${changePoints}>Points…<//>
				${change(lead.verified ? "unverify" : "verify")}
				${lead.waitlisted ? change("unwaitlist") : settings?.waitlist && change("waitlist")}
				${change(lead.fraudulent ? "approve" : "block")}
				${!lead.opted_out && lead.email && change("optout")}
				${lead.bounced && html`<${Button} onClick=${endBounce}>Mark as reachable<//>`}
				${tags?.length > 0 && html`
					<${Select} aria-label="Add a tag" value="" options=${[["", "Add a tag…"], ...tags.map(tag => [tag.id, tag.name])]}
						choose=${tag => addTag(tag).catch(showFailure)} />`}
				<${Report} campaign=${campaign} lead=${lead} />
				<${Erase} campaign=${campaign} lead=${lead} />
			</div>
		<//>`;
}

/* ---- the view ---- */

const text = value => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value));

const Fraud = ({ lead }) => html`
	<${Notice} tone="bad">
		<strong>Marked as fraudulent</strong>: ${lead.fraud_reasons.map(fraudReason).join("; ") || "no reason stored"}.
		${" "}It has no rank and is not on the leaderboard. Its points do not count, and neither do its referrer's points for it. If
		the lead is genuine, select “Mark as genuine”.
	<//>`;

function factsOf(lead) {
	const { email, phone_number: phone, origin, social_url, status_url, social_id } = lead;
	const copy = (value, what, label) => html`<${Copy} text=${value} label=${label} what=${what} />`;
	const bounced = lead.bounced
		? html` <${Chip} tone="bad">bounced<//> <span class="muted">A mail server answered that this address does not exist.</span>`
		: "";
	return [
		[
			"Email",
			email ? html`${email} ${copy(email, "the email address")}${bounced}` : html`<span class="muted">none</span>`,
		],
		lead.language && ["Language", languageOf(lead.language)],
		phone && ["Phone", html`${phone} ${copy(phone, "the phone number")}`],
		[
			"Points",
			html`<strong>${count(lead.contest_score)}</strong>,
				${lead.fraudulent ? " not ranked: the lead is marked as fraudulent" : ` rank ${count(lead.contest_score_rank)}`}`,
		],
		lead.rewards.length > 0 && [
			"Rewards",
			lead.rewards.map(one => html`<${Chip} tone="good" key=${one.reward_id}>${one.subject || "removed"}<//> `),
		],
		lead.tags.length > 0 && ["Tags", lead.tags.map(tag => html`<${Chip} key=${tag.tag_id}>${tag.name}<//> `)],
		["Signed up", html`<${Moment} at=${lead.when} />`],
		lead.counter > 1 && ["Sign-ups", plural(lead.counter, "time")],
		...Object.entries(lead.custom_fields).map(([name, value]) => [labelOf(name), text(value)]),
		...Object.entries(lead.utm).map(([name, value]) => [`UTM ${name}`, text(value)]),
		origin.source && ["Source", SOURCES[origin.source] || origin.source],
		origin.signup_url && ["Sign-up page", origin.signup_url],
		origin.referrer && origin.referrer !== origin.signup_url && [
			origin.signup_url ? "Referring page" : "Page", // without signup_url, it may be either page
			origin.referrer,
		],
		origin.ip && ["IP address", origin.ip],
		origin.user_agent && ["Browser", origin.user_agent],
		social_url && ["Referral link", copy(social_url, "for friends", "Copy the link")],
		status_url && ["Status page", copy(status_url, "of the status page", "Copy the link")],
		["ID", html`<code>${social_id}</code> ${copy(social_id, "the ID")}`],
	];
}

export function Lead({ id, lead: social }) {
	const live = useLive(`campaigns/${id}/leads/${social}`, {}, { every: 15 });
	const tags = useList(`campaigns/${id}/tags`, {}, { every: 0 });
	const title = live.value ? nameOf(live.value) : "Lead";
	return html`
		<${Page} title=${title} campaign=${id} list=${["leads", "Leads"]} live=${live}>
			<${Loaded} live=${live} lines=${8}>${lead => html`
				${lead.fraudulent && html`<${Fraud} lead=${lead} />`}
				<div class="columns lead">
					<div class="stack">
						${may("change") && html`<${Actions} campaign=${id} lead=${lead} tags=${tags} reload=${live.reload} />`}
						<${Card} title="Lead">
							<${StateOf} lead=${lead} />
							<${Facts} rows=${factsOf(lead)} />
						<//>
						<${Referred} campaign=${id} lead=${lead} />
					</div>
					<${Timeline} key=${social} campaign=${id} id=${social} />
				</div>`}
			<//>
		<//>`;
}
