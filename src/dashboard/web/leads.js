// SPDX-License-Identifier: MIT
// The leads of a campaign: search, filters, bulk changes.
import { useEffect, useRef, useState } from "./hooks.js";
import { Bulk } from "./bulk.js";
import { plural } from "./format.js";
import { campaignName } from "./frame.js";
import { useList, useLive, useSearch } from "./live.js";
import { link, setQuery } from "./route.js";
import { may } from "./session.js";
import { SOURCES, addressOf, nameOf } from "./words.js";
import { Chip, Empty, Number_, Page, Problem, Table, Time, html } from "./ui.js";

const PART = 50;

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

function ReferredBy({ campaign, id }) {
	const lead = useList(`campaigns/${campaign}/leads/${id}`, {}, { every: 0 });
	return html`<${Chip}>Referred by ${lead ? nameOf(lead) : id}<//>`;
}

function Filters({ campaign, query, tags, filtered }) {
	const toggle = (name, value) => setQuery({ [name]: query[name] === value ? null : value, after: null });
	const day = name => query[name]?.slice(0, 10) || "";
	return html`<div class="filters" role="group" aria-label="Filters">
		${SWITCHES.map(([name, text, value]) => html`<button type="button" key=${text} class="small" aria-pressed=${query[name] === value} onClick=${() => toggle(name, value)}>${text}</button>`)}
		${
			tags?.length > 0 &&
			html`<label class="offscreen" for="filter-tag">Tag</label><select id="filter-tag" value=${query.tag || ""} onChange=${event => setQuery({ tag: event.currentTarget.value, after: null })}>
			<option value="">Any tag</option>${tags.map(tag => html`<option key=${tag.id} value=${tag.id} selected=${query.tag === String(tag.id)}>${tag.name}</option>`)}</select>`
		}
		<span class="dates"><label>From <input type="date" value=${day("since")} onChange=${event => setQuery({ since: event.currentTarget.value, after: null })} /></label>
		<label>Before <input type="date" value=${day("until")} onChange=${event => setQuery({ until: event.currentTarget.value, after: null })} /></label></span>
		${query.source && html`<${Chip}>Source: ${SOURCES[query.source] || query.source}<//>`}
		${query.referred_by && html`<${ReferredBy} campaign=${campaign} id=${query.referred_by} />`}
		${filtered && html`<button type="button" class="small quiet" onClick=${() => setQuery(Object.fromEntries(Object.keys(query).map(name => [name, null])))}>Clear filters</button>`}
	</div>`;
}

/* ---- the list ---- */

export function StateOf({ lead }) {
	return html`<span class="chips">
		${lead.fraudulent && html`<${Chip} tone="bad">fraudulent<//>`}
		${lead.verified ? html`<${Chip} tone="good">verified<//>` : html`<${Chip}>not verified<//>`}
		${lead.waitlisted && html`<${Chip} tone="wait">waitlisted<//>`}
		${lead.opted_out && html`<${Chip}>unsubscribed<//>`}</span>`;
}

/** Each finds one lead at most, in no order. */
const EXACT = ["email", "phone", "social_id"];
const FILTERS = [...EXACT, "name", "verified", "waitlisted", "fraudulent", "opted_out", "tag", "referred_by", "source", "since", "until"];
const filtersOf = query => Object.fromEntries(FILTERS.filter(name => query[name]).map(name => [name, query[name]]));

function orderOf(query) {
	if (EXACT.some(name => query[name]) || query.newest === "false")
		return {};
	return query.order === "score" && !query.referred_by ? { order: "score" } : { newest: true };
}

export function Leads({ id, query }) {
	const filters = filtersOf(query),
		filtered = Object.keys(filters).length > 0;
	const ordered = orderOf(query);
	const list = useSearch(`campaigns/${id}/leads`, { ...filters, ...ordered, after: query.after, limit: PART }, { target: PART });
	const campaign = useLive(`campaigns/${id}`, {}, { every: 15 });
	const tags = useList(`campaigns/${id}/tags`, {}, { every: 0 });
	const [chosen, setChosen] = useState(new Map()), [everything, setEverything] = useState(false);
	const clear = () => {
		setChosen(new Map());
		setEverything(false);
	};
	useEffect(clear, [JSON.stringify(filters)]);
	const changes = may("change");
	const total = campaign.value && campaign.value.lead_count - campaign.value.jump_start;
	const seen = useRef(null);
	if (seen.current === null && total !== undefined) seen.current = total;
	const fresh = !filtered && !query.after && seen.current !== null && total > seen.current ? total - seen.current : 0;
	const choose = (lead, on) => {
		setEverything(false);
		setChosen(old => {
			const next = new Map(old);
			if (on) next.set(lead.social_id, lead);
			else next.delete(lead.social_id);
			return next;
		});
	};
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
			<span class="muted">${!filtered && total !== undefined && plural(total, "lead")}</span>
			${changes && html`<a class="button" href=${link(`campaigns/${id}/import`)}>Import</a>`}
			<a class="button" href=${link(`campaigns/${id}/export`, filters)}>Export</a>`}>
		<${Search} query=${query} />
		<${Filters} campaign=${id} query=${query} tags=${tags} filtered=${filtered} />
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
		${
			chosen.size > 0 &&
			html`<${Bulk} campaign=${id} chosen=${chosen} clear=${clear} tags=${tags} reload=${list.reload} filters=${filters}
				more=${all && (list.next || query.after)} everything=${everything} chooseEverything=${() => setEverything(true)} />`
		}
	<//>`;
}
