// SPDX-License-Identifier: MIT
// What the editors of pages and mails share: a preview of what is typed, the choice of a language.
import { useEffect, useRef, useState } from "./hooks.js";
import { Cancelled } from "./api.js";
import { setQuery } from "./route.js";
import { LANGUAGES } from "./words.js";
import { Problem, Select, html } from "./ui.js";

export const LANGUAGE_OPTIONS = [["", "All languages"], ...Object.entries(LANGUAGES)];
const SOON_MS = 600; // between typing and its preview

/** What `request` resolves to for `input`. It is called again a moment after `input` has changed. */
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

/** Why there is no preview, or that it leaves out a part of the form. */
export function DraftProblem({ draft: { value, failure } }) {
	if (failure)
		return html`<${Problem} failure=${failure} />`;
	if (!value?.errors?.length)
		return null;
	return html`<p class="error" role="status">Incomplete or invalid fields are shown as they were last saved.</p>`;
}

/** The form with the errors that the draft has found. */
export const withErrors = (form, draft) => ({
	...form,
	fields: { ...form.fields, ...Object.fromEntries((draft.value?.errors || []).map(one => [one.field, one.detail])) },
});

export const LanguageChoice = ({ language }) => html`
	<label>
		Language${" "}
		<${Select} value=${language} options=${LANGUAGE_OPTIONS} choose=${one => setQuery({ language: one })} />
	</label>`;
