// SPDX-License-Identifier: MIT
// The parts of a view with a long list: filters, which are in the query of its place, selection, the way to further parts.
import { useState } from "./hooks.js";
import { setQuery } from "./route.js";
import { Notice, Select, html } from "./ui.js";
import { beginOf, dayOf, endOf, lastDayBefore } from "./zone.js";

/** Changes filters: the list begins anew. */
export const setFilter = changes => setQuery({ ...changes, after: null });

/** A choice of one value of the filter `name`; `options`: [value, text]; `all`: the text of no filter. */
export const Filter = ({ name, id = `filter-${name}`, label, all, query, options }) => html`
	<label class="offscreen" for=${id}>${label}</label>
	<${Select} id=${id} value=${query[name] || ""} options=${[["", all], ...options]} choose=${value => setFilter({ [name]: value })} />`;

const DateFilter = ({ label, day, choose }) => html`
	<label>${label} <input type="date" value=${day} onChange=${event => choose(event.currentTarget.value)} /></label>`;

/** The first and the last day of the entries; the filter `until` is the end of the last one. */
export const Dates = ({ query }) => html`
	<${DateFilter} label="From" day=${dayOf(query.since)} choose=${day => setFilter({ since: beginOf(day) })} />
	<${DateFilter} label="To" day=${lastDayBefore(query.until)} choose=${day => setFilter({ until: endOf(day) })} />`;

/** A button that is pressed while its filter is on. */
export const FilterButton = ({ pressed, change, children }) => html`
	<button type="button" class="small" aria-pressed=${pressed} onClick=${() => setFilter(change)}>${children}</button>`;

/** Filters in a row; with `clear`, a query, a button removes all that it has. */
export function Filters({ clear, children }) {
	const removeAll = () => setQuery(Object.fromEntries(Object.keys(clear).map(name => [name, null])));
	return html`
		<div class="filters" role="group" aria-label="Filters">
			${children}
			${clear && html`<button type="button" class="small quiet" onClick=${removeAll}>Clear filters</button>`}
		</div>`;
}

/** The rows of a list that the user has selected, by their key. `choose` gets a row and whether it is selected. */
export function useSelection(keyOf) {
	const [chosen, set] = useState(new Map());
	const choose = (row, on) => set(old => new Map(on ? [...old, [keyOf(row), row]] : [...old].filter(([key]) => key !== keyOf(row))));
	return { chosen, choose, keyOf, clear: () => set(new Map()) };
}

/** The column of a table that selects rows. `what`: the plural of a row; `nameOf` gets a row; `selection`: that of useSelection. */
export const selectColumn = (rows, what, nameOf, { chosen, choose, keyOf }) => ({
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

/** The bar with what can be done with the selected rows. */
export const Selected = ({ what, text, clear, children }) => html`
	<div class="bulk" role="region" aria-label=${`Selected ${what}`}>
		<strong>${text} selected</strong>
		${children}
		<button type="button" class="small quiet" onClick=${clear}>Clear</button>
	</div>`;

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
	<${Notice}>There are more ${what} than fit on this page: only the first ${live.value.length} are shown and counted.<//>`;
