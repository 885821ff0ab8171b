// SPDX-License-Identifier: MIT
// The parts of a view with a long list: filters, which are in the query of its place, selection, the way to further parts.
import { setQuery } from "./route.js";
import { Notice, html } from "./ui.js";
import { beginOf, dayOf, endOf, lastDayBefore } from "./zone.js";

/** A choice of one value of the filter `name`; `options`: [value, text]; `all`: the text of no filter. */
export function Filter({ name, id = `filter-${name}`, label, all, query, options }) {
	const choose = event => setQuery({ [name]: event.currentTarget.value, after: null });
	return html`
		<label class="offscreen" for=${id}>${label}</label>
		<select id=${id} value=${query[name] || ""} onChange=${choose}>
			<option value="">${all}</option>
			${options.map(([value, text]) => html`
				<option key=${value} value=${value} selected=${query[name] === String(value)}>${text}</option>`)}
		</select>`;
}

const DateFilter = ({ label, day, choose }) => html`
	<label>${label} <input type="date" value=${day} onChange=${event => choose(event.currentTarget.value)} /></label>`;

/** The first and the last day of the entries; the filter `until` is the end of the last one. */
export const Dates = ({ query }) => html`
	<${DateFilter} label="From" day=${dayOf(query.since)} choose=${day => setQuery({ since: beginOf(day), after: null })} />
	<${DateFilter} label="To" day=${lastDayBefore(query.until)}
		choose=${day => setQuery({ until: endOf(day), after: null })} />`;

export function ClearFilters({ query }) {
	const clear = () => setQuery(Object.fromEntries(Object.keys(query).map(name => [name, null])));
	return html`<button type="button" class="small quiet" onClick=${clear}>Clear filters</button>`;
}

/**
 * The column of a table that selects rows. `what`: the plural of a row; `nameOf` and `keyOf` get a row; `chosen`: has the keys of
 * those that are selected; `choose` gets a row and whether it is selected.
 */
export const selectColumn = ({ rows, what, nameOf, keyOf, chosen, choose }) => ({
	title: "Select",
	hidden: true,
	kind: "tick",
	head: html`
		<input type="checkbox" aria-label=${`Select all ${what} on this page`}
			checked=${rows.every(row => chosen.has(keyOf(row)))}
			onChange=${event => rows.forEach(row => choose(row, event.currentTarget.checked))} />`,
	cell: row => html`
		<input type="checkbox" aria-label=${`Select ${nameOf(row)}`} checked=${chosen.has(keyOf(row))}
			onChange=${event => choose(row, event.currentTarget.checked)} />`,
});

/** Buttons to the first part of a list and to its next one. `after`: where this part begins; `next`: the query of the next one. */
export function Pager({ after, next, first = "Newest", further = "Older" }) {
	const goOn = () => {
		setQuery({ after: next.after });
		scrollTo(0, 0);
	};
	return html`
		<nav class="buttons pager" aria-label="Pages">
			${after && html`<button type="button" onClick=${() => setQuery({ after: null })}>${first}</button>`}
			${next && html`<button type="button" onClick=${goOn}>${further}</button>`}
		</nav>`;
}

/** Says that a list as a whole (useLive) has more rows than are shown. */
export const Cut = ({ live, what }) => live.next && html`
	<${Notice}><p>There are more ${what} than fit on this page: only the first ${live.value.length} are shown and counted.</p><//>`;
