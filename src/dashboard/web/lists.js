// SPDX-License-Identifier: MIT
// The parts of a view with a long list: filters, which are in the query of its place, and the way to further parts.
import { setQuery } from "./route.js";
import { html } from "./ui.js";

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

function DateFilter({ name, label, query }) {
	const choose = event => setQuery({ [name]: event.currentTarget.value, after: null });
	return html`<label>${label} <input type="date" value=${query[name]?.slice(0, 10) || ""} onChange=${choose} /></label>`;
}

/** The days between which the entries are. */
export const Dates = ({ query }) => html`
	<${DateFilter} name="since" label="From" query=${query} />
	<${DateFilter} name="until" label="Before" query=${query} />`;

export function ClearFilters({ query }) {
	const clear = () => setQuery(Object.fromEntries(Object.keys(query).map(name => [name, null])));
	return html`<button type="button" class="small quiet" onClick=${clear}>Clear filters</button>`;
}

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
