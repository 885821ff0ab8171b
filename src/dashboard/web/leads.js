// SPDX-License-Identifier: MIT
// The leads of a campaign: search, filters, bulk changes.
import { useEffect, useRef, useState } from "./hooks.js";
import { post } from "./api.js";
import { count, plural } from "./format.js";
import { campaignName } from "./frame.js";
import { useList, useLive, useSearch } from "./live.js";
import { link, setQuery } from "./route.js";
import { may } from "./session.js";
import { addressOf, nameOf } from "./words.js";
import {
	Button,
	Chip,
	Dialog,
	Empty,
	Field,
	Form,
	Number_,
	Page,
	Problem,
	Table,
	Time,
	ask,
	html,
	openDialog,
	toast,
	useForm,
} from "./ui.js";

const PART = 50,
	CALL_MAX = 250;

/* ---- search ---- */

/** The kind of a search text: an address, a number, a social id, else a name. */
export function understood(text) {
	const typed = text.trim();
	if (!typed)
		return {};
	if (typed.includes("@"))
		return { email: typed };
	if (/^\+?[\d ()./-]{6,}$/.test(typed))
		return { phone: typed };
	return /^[0-9A-HJKMNP-TV-Z]{10}$/.test(typed) ? { social_id: typed } : { name: typed };
}
const SEARCHES = {
	email: "the email address",
	phone: "the phone number",
	social_id: "the lead with the ID",
	name: "names that begin with",
};

function Search({ query }) {
	const [kind] = Object.keys(SEARCHES).filter(name => query[name]),
		shown = kind ? query[kind] : "";
	const [text, set] = useState(shown);
	useEffect(() => set(shown), [shown]);
	const submit = event => {
		event.preventDefault();
		setQuery({ email: null, phone: null, social_id: null, name: null, after: null, ...understood(text) });
	};
	return html`<form class="search" role="search" onSubmit=${submit}>
		<label class="offscreen" for="search">Search leads</label>
		<input id="search" type="search" value=${text} placeholder="Email, phone, name or ID" autocomplete="off" onInput=${event => set(event.currentTarget.value)} />
		<button type="submit">Search</button>
		${
			kind &&
			html`<p class="hint">Showing ${SEARCHES[kind]} <strong>${shown}</strong>. <a href="#" onClick=${event => {
				event.preventDefault();
				setQuery({ [kind]: null, after: null });
			}}>Show all</a></p>`
		}
	</form>`;
}

/* ---- filters ---- */

const SWITCHES = [
	["verified", "Verified", "on"],
	["verified", "Not verified", "off"],
	["fraudulent", "Fraudulent", "on"],
	["waitlisted", "Waitlisted", "on"],
	["opted_out", "Unsubscribed", "on"],
];

function Filters({ query, tags }) {
	const toggle = (name, value) => setQuery({ [name]: query[name] === value ? null : value, after: null });
	const day = name => query[name]?.slice(0, 10) || "";
	return html`<div class="filters" role="group" aria-label="Filters">
		${SWITCHES.map(([name, text, value]) => html`<button type="button" key=${text} class="small" aria-pressed=${query[name] === value} onClick=${() => toggle(name, value)}>${text}</button>`)}
		${
			tags?.length > 0 &&
			html`<label class="offscreen" for="filter-tag">Tag</label><select id="filter-tag" value=${query.tag || ""} onChange=${event => setQuery({ tag: event.currentTarget.value, after: null })}>
			<option value="">Any tag</option>${tags.map(tag => html`<option key=${tag.id} value=${tag.id} selected=${query.tag === String(tag.id)}>${tag.name}</option>`)}</select>`
		}
		<label>From <input type="date" value=${day("since")} onChange=${event => setQuery({ since: event.currentTarget.value, after: null })} /></label>
		<label>Before <input type="date" value=${day("until")} onChange=${event => setQuery({ until: event.currentTarget.value, after: null })} /></label>
		${query.source && html`<${Chip}>Source: ${query.source}<//>`}
	</div>`;
}

/* ---- bulk changes ---- */

/** Word of the API: [button, done, the word that undoes it]. */
const CHANGES = {
	verify: ["Verify", "verified", "unverify"],
	unverify: ["Unverify", "unverified", "verify"],
	approve: ["Approve", "approved", "block"],
	block: ["Block", "blocked", "approve"],
	waitlist: ["Add to waitlist", "added to the waitlist", "unwaitlist"],
	unwaitlist: ["Remove from waitlist", "removed from the waitlist", "waitlist"],
	optout: ["Unsubscribe", "unsubscribed", null],
	delete: ["Delete", "deleted", null],
};

/** Sends a change for any number of leads, and waits until the dispatcher has made it. `progress` gets how many are sent. */
export async function changeLeads(campaign, change, ids, extra = {}, progress = () => {}) {
	for (let from = 0; from < ids.length; from += CALL_MAX) {
		await post(`campaigns/${campaign}/bulk`, { change, leads: ids.slice(from, from + CALL_MAX), ...extra });
		progress(Math.min(ids.length, from + CALL_MAX));
	}
}

function Bulk({ campaign, chosen, clear, tags, reload }) {
	const [more, setMore] = useState("");
	const ids = [...chosen.keys()];
	const run = async (change, extra) => {
		const [, done, undo] = CHANGES[change] || ["", "tagged", null];
		await changeLeads(campaign, change, ids, extra);
		clear();
		toast(`${plural(ids.length, "lead")} will be ${done} shortly`, undo && (() => changeLeads(campaign, undo, ids)));
		setTimeout(reload, 1500);
	};
	const confirmed = change =>
		change !== "delete"
			? run(change)
			: ask({
					title: `Delete ${plural(ids.length, "lead")}?`,
					verb: `Delete ${plural(ids.length, "lead")}`,
					work: () => run(change),
					text: html`<p>Their data, points and ranks are deleted. Webhooks receive the event “Deleted”. This cannot be undone.</p>`,
				});
	const points = () =>
		openDialog(
			close =>
				html`<${Points} campaign=${campaign} leads=${ids} close=${done => {
					close();
					if (done) {
						clear();
						setTimeout(reload, 1500);
					}
				}} />`,
		);
	return html`<div class="bulk" role="region" aria-label="Selected leads">
		<strong>${plural(ids.length, "lead")} selected</strong>
		<${Button} kind="small" onClick=${() => confirmed("verify")}>Verify<//>
		<${Button} kind="small" onClick=${() => confirmed("approve")}>Approve<//>
		<${Button} kind="small" onClick=${() => confirmed("block")}>Block<//>
		<${Button} kind="small" onClick=${points}>Points…<//>
		<label class="offscreen" for="bulk-more">More actions</label>
		<select id="bulk-more" value=${more} onChange=${event => {
			const [change, tag] = event.currentTarget.value.split(" ");
			setMore("");
			event.currentTarget.value = "";
			if (change)
				(tag ? run("tag", { tag: Number(tag) }) : confirmed(change)).catch(failure =>
					openDialog(
						close => html`<${Dialog} title="Request failed" close=${close}><${Problem} failure=${failure} /><//>`,
					),
				);
		}}>
			<option value="">More…</option>
			${["unverify", "waitlist", "unwaitlist", "optout"].map(word => html`<option key=${word} value=${word}>${CHANGES[word][0]}</option>`)}
			${tags?.map(tag => html`<option key=${tag.id} value=${`tag ${tag.id}`}>Tag: ${tag.name}</option>`)}
			<option value="delete">Delete…</option></select>
		<button type="button" class="small quiet" onClick=${clear}>Clear</button>
	</div>`;
}

export function Points({ campaign, leads, close }) {
	const form = useForm({ points: "", message: "" });
	async function submit() {
		const points = Number(form.values.points);
		if (!Number.isInteger(points) || points === 0)
			throw Object.assign(new Error(""), {
				fields: { points: "Enter a whole number other than 0. Negative numbers remove points." },
			});
		for (let from = 0; from < leads.length; from += CALL_MAX)
			await post(`campaigns/${campaign}/points`, {
				points,
				leads: leads.slice(from, from + CALL_MAX),
				...(form.values.message ? { message: form.values.message } : {}),
			});
		toast(
			`${points > 0 ? "Added" : "Removed"} ${plural(Math.abs(points), "point")} ${points > 0 ? "to" : "from"} ${plural(leads.length, "lead")}`,
		);
		close(true);
	}
	return html`<${Dialog} title=${`Points for ${plural(leads.length, "lead")}`} close=${() => close(false)}><${Form} form=${form} onSubmit=${submit} submit="Save" cancel=${() => close(false)}>
		<${Field} form=${form} name="points" label="Points" inputmode="numeric" hint="Negative numbers remove points. A score never falls below 0." />
		<${Field} form=${form} name="message" label="Reason" hint="Shown in the lead's activity and sent with the webhook." /><//><//>`;
}

/* ---- the list ---- */

export function StateOf({ lead }) {
	return html`<span class="chips">
		${lead.fraudulent && html`<${Chip} tone="bad">fraudulent<//>`}
		${lead.verified ? html`<${Chip} tone="good">verified<//>` : html`<${Chip}>not verified<//>`}
		${lead.waitlisted && html`<${Chip} tone="wait">waitlisted<//>`}
		${lead.opted_out && html`<${Chip}>unsubscribed<//>`}</span>`;
}

const filtersOf = query =>
	Object.fromEntries(
		[
			"email",
			"phone",
			"social_id",
			"name",
			"verified",
			"waitlisted",
			"fraudulent",
			"opted_out",
			"tag",
			"source",
			"since",
			"until",
		]
			.filter(name => query[name])
			.map(name => [name, query[name]]),
	);

export function Leads({ id, query }) {
	const filters = filtersOf(query),
		filtered = Object.keys(filters).length > 0;
	const ordered = query.order === "score" ? { order: "score" } : query.newest === "false" ? {} : { newest: true };
	const list = useSearch(`campaigns/${id}/leads`, { ...filters, ...ordered, after: query.after, limit: PART }, { target: PART });
	const campaign = useLive(`campaigns/${id}`, {}, { every: 15 });
	const tags = useList(`campaigns/${id}/tags`, {}, { every: 0 });
	const [chosen, setChosen] = useState(new Map());
	const changes = may("change");
	const total = campaign.value?.lead_count;
	const seen = useRef(null);
	if (seen.current === null && total !== undefined) seen.current = total;
	const fresh = !filtered && !query.after && seen.current !== null && total > seen.current ? total - seen.current : 0;
	const choose = (lead, on) =>
		setChosen(old => {
			const next = new Map(old);
			if (on) next.set(lead.social_id, lead);
			else next.delete(lead.social_id);
			return next;
		});
	const all = list.rows.length > 0 && list.rows.every(lead => chosen.has(lead.social_id));
	const columns = [
		changes && {
			title: "Select",
			hidden: true,
			head: html`<input type="checkbox" aria-label="Select all leads on this page" checked=${all} onChange=${event => list.rows.forEach(lead => choose(lead, event.currentTarget.checked))} />`,
			kind: "tick",
			cell: lead =>
				html`<input type="checkbox" aria-label=${`Select ${addressOf(lead)}`} checked=${chosen.has(lead.social_id)} onChange=${event => choose(lead, event.currentTarget.checked)} />`,
		},
		{
			title: "Lead",
			kind: "long",
			cell: lead =>
				html`<a href=${link(`campaigns/${id}/leads/${lead.social_id}`)}>${addressOf(lead)}</a>${nameOf(lead) !== addressOf(lead) ? html`<br /><span class="muted">${nameOf(lead)}</span>` : ""}`,
		},
		{ title: "Status", cell: lead => html`<${StateOf} lead=${lead} />` },
		{ title: "Points", kind: "number", cell: lead => html`<${Number_} value=${lead.contest_score} />` },
		{ title: "Referrals", kind: "number", cell: lead => html`<${Number_} value=${lead.referrals} />` },
		{ title: "Tags", cell: lead => lead.tags.map(tag => html`<${Chip} key=${tag.tag_id}>${tag.name}<//> `) },
		{ title: "Signed up", cell: lead => html`<${Time} at=${lead.when} />` },
	].filter(Boolean);
	return html`<${Page} title="Leads" above=${html`<a href=${link(`campaigns/${id}`)}>${campaignName(id)}</a>`} actions=${html`
			<span class="muted">${total !== undefined && plural(total, "lead")}</span>
			${changes && html`<a class="button" href=${link(`campaigns/${id}/import`)}>Import</a>`}
			<a class="button" href=${link(`campaigns/${id}/export`, filters)}>Export</a>`}>
		<${Search} query=${query} />
		<${Filters} query=${query} tags=${tags} />
		<div class="segments" role="group" aria-label="Order">
			<button type="button" class="small" aria-pressed=${!query.order && query.newest !== "false"} onClick=${() => setQuery({ order: null, newest: null, after: null })}>Newest first</button>
			<button type="button" class="small" aria-pressed=${!query.order && query.newest === "false"} onClick=${() => setQuery({ order: null, newest: "false", after: null })}>Oldest first</button>
			<button type="button" class="small" aria-pressed=${query.order === "score"} onClick=${() => setQuery({ order: "score", newest: null, after: null })}>Highest score first</button></div>
		${
			fresh > 0 &&
			html`<p><button type="button" onClick=${() => {
				seen.current = total;
				list.reload();
			}}>Show ${plural(fresh, "new lead")}</button></p>`
		}
		<${Problem} failure=${list.failure} onRetry=${list.reload} />
		${list.rows.length > 0 && html`<div aria-busy=${list.isLoading}><${Table} name="Leads" columns=${columns} rows=${list.rows} /></div>`}
		${list.rows.length === 0 && list.isLoading && html`<div class="skeleton" role="status" aria-label="Loading"><span /><span /><span /><span /></div>`}
		${
			list.rows.length === 0 &&
			!list.isLoading &&
			!list.next &&
			!list.failure &&
			(filtered
				? html`<${Empty} title="No matching leads"><p>No lead of this campaign matches the search and the filters.</p><p><a class="button" href=${link(`campaigns/${id}/leads`)}>Show all leads</a></p><//>`
				: html`<${Empty} title="No leads yet"><p>Leads arrive through the form of the campaign, an import, or the API.</p>
				<p class="buttons"><a class="button primary" href=${link(`campaigns/${id}`)}>Set up the form</a>${changes && html`<a class="button" href=${link(`campaigns/${id}/import`)}>Import leads</a>`}</p><//>`)
		}
		${
			list.next &&
			list.rows.length < PART &&
			html`<p role="status" class="buttons">${
				list.isLoading
					? `Searching… ${plural(list.rows.length, "lead")} found so far.`
					: html`<span>${plural(list.rows.length, "lead")} found so far. Older leads were not searched yet.</span> <button type="button" onClick=${list.goOn}>Continue searching</button>`
			}</p>`
		}
		${
			(query.after || (list.next && list.rows.length >= PART)) &&
			html`<nav class="buttons pager" aria-label="Pages">
			${query.after && html`<button type="button" onClick=${() => setQuery({ after: null })}>First page</button>`}
			${
				list.next &&
				list.rows.length >= PART &&
				html`<button type="button" onClick=${() => {
					setQuery({ after: list.next.after });
					scrollTo(0, 0);
				}}>Next ${PART}</button>`
			}</nav>`
		}
		${chosen.size > 0 && html`<${Bulk} campaign=${id} chosen=${chosen} clear=${() => setChosen(new Map())} tags=${tags} reload=${list.reload} />`}
	<//>`;
}
