// SPDX-License-Identifier: MIT
// Shared by views with a list: filters, which are in the query of the place; selected rows; buttons to other parts of the list.
import { useState } from "./hooks.js";
import { setQuery } from "./route.js";
import { Notice, Select, html } from "./ui.js";
import { beginOf, dayOf, endOf, lastDayBefore } from "./zone.js";

/** Changes filters, and goes back to the first part of the list. */
export const setFilter = changes => setQuery({ ...changes, after: null });

/** A select for the filter `name`. `options`: [value, text]; `all`: the text for no filter. */
export const Filter = ({ name, label, all, query, options }) => html`
	<${Select} aria-label=${label} value=${query[name] || ""} options=${[["", all], ...options]}
		choose=${value => setFilter({ [name]: value })} />`;

const DateFilter = ({ label, day, choose }) => html`
	<label>${label} <input type="date" value=${day} onChange=${event => choose(event.currentTarget.value)} /></label>`;

/** The first and the last day of the entries. The filter `until` is the end of the last day. */
export const Dates = ({ query }) => html`
	<${DateFilter} label="From" day=${dayOf(query.since)} choose=${day => setFilter({ since: beginOf(day) })} />
	<${DateFilter} label="To" day=${lastDayBefore(query.until)} choose=${day => setFilter({ until: endOf(day) })} />`;

/** A button that is pressed while its filter is on. */
export const FilterButton = ({ pressed, change, children }) => html`
	<button type="button" class="small" aria-pressed=${pressed} onClick=${() => setFilter(change)}>${children}</button>`;

/** A row of filters. `clear`: the query that a button “Clear filters” removes. */
export function Filters({ clear, children }) {
	const removeAll = () => setQuery(Object.fromEntries(Object.keys(clear).map(name => [name, null])));
	return html`
		<div class="filters" role="group" aria-label="Filters">
			${children}
			${clear && html`<button type="button" class="small quiet" onClick=${removeAll}>Clear filters</button>`}
		</div>`;
}

/** The selected rows of a list, a map by key. `choose` selects or deselects a row. */
export function useSelection(keyOf) {
	const [chosen, set] = useState(new Map());
	const choose = (row, on) => set(old => new Map(on ? [...old, [keyOf(row), row]] : [...old].filter(([key]) => key !== keyOf(row))));
	return { chosen, choose, keyOf, clear: () => set(new Map()) };
}

/** The column with checkboxes. `what`: the rows, as a noun in the plural; the last parameter is what useSelection returns. */
export function selectColumn(rows, what, nameOf, { chosen, choose, keyOf }) {
	const box = (name, some) => html`
		<input type="checkbox" aria-label=${`Select ${name}`} checked=${some.every(row => chosen.has(keyOf(row)))}
			onChange=${event => some.forEach(row => choose(row, event.currentTarget.checked))} />`;
	return ["Select", row => box(nameOf(row), [row]), "tick hidden", { head: box(`all ${what} on this page`, rows) }];
}

/** The bar with actions for the selected rows. */
export const Selected = ({ what, text, clear, children }) => html`
	<div class="bulk" role="region" aria-label=${`Selected ${what}`}>
		<strong>${text} selected</strong>
		${children}
		<button type="button" class="small quiet" onClick=${clear}>Clear</button>
	</div>`;

/** Buttons to the first and the next part of a list. `after`: where this part begins; `next`: the query of the next part. */
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

/** A notice that a list is longer than the part that is shown, although it was read with `whole` (useLive). */
export const Cut = ({ live, what }) => live.next && html`
	<${Notice}>There are more ${what} than fit on this page: only the first ${live.value.length} are shown and counted.<//>`;
