// SPDX-License-Identifier: MIT
// What the editors of pages and of mails share: a preview of what is typed, the choice of a language.
import { useEffect, useRef, useState } from "./hooks.js";
import { Cancelled } from "./api.js";
import { setQuery } from "./route.js";
import { LANGUAGES } from "./words.js";
import { Problem, Select, html } from "./ui.js";

export const LANGUAGE_OPTIONS = [["", "All languages"], ...Object.entries(LANGUAGES)];
const SOON_MS = 600; // between typing and the preview of it

/** What `request` returns for `input`, requested again a moment after it has changed. */
export function useDraft(input, request) {
	const [state, set] = useState({ value: null, failure: null });
	const key = JSON.stringify(input);
	const first = useRef(true);
	useEffect(() => {
		const control = new AbortController();
		async function draft() {
			try {
				const value = await request(input, control.signal);
				set({ value, failure: null });
			} catch (failure) {
				if (!(failure instanceof Cancelled)) set(old => ({ ...old, failure }));
			}
		}
		const timer = setTimeout(draft, first.current ? 0 : SOON_MS);
		first.current = false;
		return () => {
			clearTimeout(timer);
			control.abort();
		};
	}, [key]);
	return state;
}

/** What the preview says besides what it shows: why there is none, or that it goes without a part of the form. */
export function DraftProblem({ draft: { value, failure } }) {
	if (failure)
		return html`<${Problem} failure=${failure} />`;
	if (!value?.errors?.length)
		return null;
	return html`<p class="error" role="status">What is incomplete or not valid in the form is shown as it was saved.</p>`;
}

/** The form with what a draft says is wrong, by field. */
export const withErrors = (form, draft) => ({
	...form,
	fields: { ...form.fields, ...Object.fromEntries((draft.value?.errors || []).map(one => [one.field, one.detail])) },
});

export const LanguageChoice = ({ language }) => html`
	<label>
		Language${" "}
		<${Select} value=${language} options=${LANGUAGE_OPTIONS} choose=${one => setQuery({ language: one })} />
	</label>`;
