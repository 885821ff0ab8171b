// SPDX-License-Identifier: MIT
// The leads of a campaign: search, filters, selection.
import { useEffect, useRef, useState } from "./hooks.js";
import { Bulk } from "./bulk.js";
import { count, plural } from "./format.js";
import { useList, useLive, useSearch } from "./live.js";
import { link } from "./route.js";
import { may } from "./session.js";
import { SOURCES, addressOf, nameOf } from "./words.js";
import { Dates, Filter, FilterButton, Filters, Pager, selectColumn, setFilter, useSelection } from "./lists.js";
import { Chip, Empty, Number_, Page, Problem, Segments, Skeleton, Table, Time, html } from "./ui.js";

const PART = 50;
const TOGETHER_MS = 2000; // answers this close together count as equally old

/* ---- search ---- */

/** The filter that a search text stands for: an email address, a phone number, a social id, or a name. */
function understood(text) {
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
	const [kind] = Object.keys(SEARCHES).filter(name => query[name]);
	const shown = kind ? query[kind] : "";
	const [text, set] = useState(shown);
	useEffect(() => set(shown), [shown]);
	const submit = event => {
		event.preventDefault();
		setFilter({ email: null, phone: null, social_id: null, name: null, ...understood(text) });
	};
	const showAll = event => {
		event.preventDefault();
		setFilter({ [kind]: null });
	};
	return html`
		<form class="search" role="search" onSubmit=${submit}>
			<label class="offscreen" for="search">Search leads</label>
			<input id="search" type="search" value=${text} placeholder="Email, phone, name or ID" autocomplete="off"
				onInput=${event => set(event.currentTarget.value)} />
			<button type="submit">Search</button>
			${kind && html`
				<p class="hint">
					Showing ${SEARCHES[kind]} <strong>${shown}</strong>. <a href="#" onClick=${showAll}>Show all</a>
				</p>`}
		</form>`;
}

/* ---- filters ---- */

const SWITCHES = [
	["verified", "Verified", "on"],
	["verified", "Not verified", "off"],
	["fraudulent", "Not fraudulent", "off"],
	["fraudulent", "Fraudulent", "on"],
	["waitlisted", "Waitlisted", "on"],
	["opted_out", "Unsubscribed", "on"],
];

function ReferredBy({ campaign, id }) {
	const lead = useList(`campaigns/${campaign}/leads/${id}`, {}, { every: 0 });
	return html`<${Chip}>Referred by ${lead ? nameOf(lead) : id}<//>`;
}

const LeadFilters = ({ campaign, query, tags, filtered }) => html`
	<${Filters} clear=${filtered && query}>
		${SWITCHES.map(([name, text, value]) => html`
			<${FilterButton} key=${text} pressed=${query[name] === value} change=${{ [name]: query[name] === value ? null : value }}>
				${text}
			<//>`)}
		${tags?.length > 0 && html`
			<${Filter} name="tag" label="Tag" all="Any tag" query=${query} options=${tags.map(tag => [tag.id, tag.name])} />`}
		<span class="dates"><${Dates} query=${query} /></span>
		${query.source && html`<${Chip}>Source: ${SOURCES[query.source] || query.source}<//>`}
		${query.referred_by && html`<${ReferredBy} campaign=${campaign} id=${query.referred_by} />`}
	<//>`;

/* ---- the list ---- */

export const StateOf = ({ lead }) => html`
	<span class="chips">
		${lead.fraudulent && html`<${Chip} tone="bad">fraudulent<//>`}
		${lead.verified ? html`<${Chip} tone="good">verified<//>` : html`<${Chip}>not verified<//>`}
		${lead.waitlisted && html`<${Chip} tone="wait">waitlisted<//>`}
		${lead.opted_out && html`<${Chip}>unsubscribed<//>`}
	</span>`;

/** Filters that at most one lead matches, so that there is no order. */
const EXACT = ["email", "phone", "social_id"];
const FILTERS = [
	...EXACT, "name", "verified", "waitlisted", "fraudulent", "opted_out", "tag", "referred_by", "source", "since", "until",
];
/** Filters that an export does not support. */
const NOT_EXPORTED = [...EXACT, "referred_by"];
const filtersOf = query => Object.fromEntries(FILTERS.filter(name => query[name]).map(name => [name, query[name]]));

function orderOf(query) {
	if (EXACT.some(name => query[name]) || query.newest === "false")
		return {};
	return query.order === "score" && !query.referred_by ? { order: "score" } : { newest: true };
}

const ORDERS = [
	["newest", "Last added first", { order: null, newest: null }],
	["oldest", "First added first", { order: null, newest: "false" }],
	["score", "Most points first", { order: "score", newest: null }],
];

function Order({ query }) {
	const order = query.newest === "false" ? "oldest" : "newest";
	const choose = chosen => {
		// this order is for picking winners, and fraudulent leads have no rank
		const ranked = chosen === "score" && !query.fraudulent ? { fraudulent: "off" } : {};
		setFilter({ ...ORDERS.find(([name]) => name === chosen)[2], ...ranked });
	};
	return html`<${Segments} label="Order" options=${ORDERS} value=${query.order || order} choose=${choose} kind="small" />`;
}

function NoLeads({ id, filtered }) {
	if (filtered)
		return html`
			<${Empty} title="No matching leads" text="No lead of this campaign matches the search and the filters.">
				<p><a class="button" href=${link(`campaigns/${id}/leads`)}>Show all leads</a></p>
			<//>`;
	return html`
		<${Empty} title="No leads yet" text="Leads arrive through the form of the campaign, an import, or the API.">
			<p class="buttons">
				<a class="button primary" href=${link(`campaigns/${id}`)}>Set up the form</a>
				${may("change") && html`<a class="button" href=${link(`campaigns/${id}/import`)}>Import leads</a>`}
			</p>
		<//>`;
}

/** The progress of a search that takes several calls. */
function SearchProgress({ list }) {
	const found = plural(list.rows.length, "lead");
	if (list.isLoading)
		return html`<p role="status" class="buttons">Searching… ${found} found so far.</p>`;
	return html`
		<p role="status" class="buttons">
			<span>${found} found so far. Older leads were not searched yet.</span>
			${" "}<button type="button" onClick=${list.goOn}>Continue searching</button>
		</p>`;
}

/** `selection`: that of useSelection, if leads can be selected. */
function LeadTable({ id, rows, selection }) {
	const columns = [
		selection && selectColumn(rows, "leads", addressOf, selection),
		["Lead", lead => html`
			<a href=${link(`campaigns/${id}/leads/${lead.social_id}`)}>${addressOf(lead)}</a>
			${nameOf(lead) !== addressOf(lead) ? html`<br class="off" /><span class="muted off">${nameOf(lead)}</span>` : ""}`, "long"],
		["Status", lead => html`<${StateOf} lead=${lead} />`, "plain"],
		["Points", lead => html`<${Number_} value=${lead.contest_score} />`, "number"],
		["Referrals", lead => html`<${Number_} value=${lead.referrals} />`, "number off"],
		["Tags", lead => lead.tags.map(tag => html`<${Chip} key=${tag.tag_id}>${tag.name}<//> `), "off"],
		["Signed up", lead => html`<${Time} at=${lead.when} />`, "plain"],
	];
	return html`<${Table} name="Leads" columns=${columns} rows=${rows} />`;
}

/** The number of leads of the campaign, undefined at first, and how many were added since the list was read. */
function useTotal(id, list) {
	const { value, at } = useLive(`campaigns/${id}`, {}, { every: 15 });
	const total = value && value.lead_count - value.jump_start;
	const seen = useRef(total);
	if (!(at > list.at + TOGETHER_MS)) seen.current = total;
	return [total, total - seen.current];
}

/** `whole`: the list contains all leads that match the filters. */
function Total({ total, filtered, list, whole }) {
	if (total === undefined || (filtered && !whole))
		return null;
	return filtered ? `${count(list.rows.length)} of ${plural(total, "lead")}` : plural(total, "lead");
}

/** Links to import and export. `exported`: the filters and the order of the list. */
const Ways = ({ id, query, exported, selected }) => html`
	${may("change") && html`<a class="button" href=${link(`campaigns/${id}/import`)}>Import</a>`}
	${!NOT_EXPORTED.some(name => query[name]) && html`
		<a class="button" href=${link(`campaigns/${id}/export`, exported)}>${selected ? "Export all" : "Export"}</a>`}`;

/** The list, or why it is empty, and buttons for more leads. */
function Found({ id, query, list, filtered, selection }) {
	const { rows, next, isLoading } = list;
	const isFull = rows.length >= PART;
	return html`
		<${Problem} failure=${list.failure} onRetry=${list.reload} />
		${rows.length > 0 && html`
			<div aria-busy=${isLoading}><${LeadTable} id=${id} rows=${rows} selection=${may("change") && selection} /></div>`}
		${rows.length === 0 && isLoading && html`<${Skeleton} lines=${4} />`}
		${rows.length === 0 && !isLoading && !next && !list.failure && html`<${NoLeads} id=${id} filtered=${filtered} />`}
		${next && !isFull && html`<${SearchProgress} list=${list} />`}
		${(query.after || (next && isFull)) && html`
			<${Pager} after=${query.after} next=${isFull && next} first="First page" further=${`Next ${PART}`} />`}`;
}

export function Leads({ id, query }) {
	const filters = filtersOf(query);
	const filtered = Object.keys(filters).length > 0;
	const shown = { ...filters, ...orderOf(query) };
	const list = useSearch(`campaigns/${id}/leads`, { ...shown, after: query.after, limit: PART }, { target: PART });
	const [total, newer] = useTotal(id, list);
	const tags = useList(`campaigns/${id}/tags`, {}, { every: 0 });
	const selection = useSelection(lead => lead.social_id);
	const { chosen, clear } = selection;
	useEffect(clear, [JSON.stringify(filters)]);
	const all = list.rows.length > 0 && list.rows.every(lead => chosen.has(lead.social_id));
	const whole = !query.after && !list.next && !list.isLoading;
	const actions = html`
		<span class="muted"><${Total} total=${total} filtered=${filtered} list=${list} whole=${whole} /></span>
		<${Ways} id=${id} query=${query} exported=${shown} selected=${chosen.size > 0} />`;
	return html`
		<${Page} title="Leads" campaign=${id} actions=${actions}>
			<${Search} query=${query} />
			<${LeadFilters} campaign=${id} query=${query} tags=${tags} filtered=${filtered} />
			<${Order} query=${query} />
			${!filtered && !query.after && newer > 0 && html`
				<p><button type="button" onClick=${list.reload}>Show ${plural(newer, "new lead")}</button></p>`}
			<${Found} id=${id} query=${query} list=${list} filtered=${filtered} selection=${selection} />
			${chosen.size > 0 && html`
				<${Bulk} campaign=${id} chosen=${chosen} clear=${clear} tags=${tags} filters=${filters}
					more=${all && (list.next || query.after)} />`}
		<//>`;
}
