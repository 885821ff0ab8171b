// SPDX-License-Identifier: MIT
// Shared by the editors of pages and mails: a choice of the language, and a preview of unsaved texts in a frame without scripts.
import { useEffect, useRef, useState } from "./hooks.js";
import { Cancelled } from "./api.js";
import { setQuery } from "./route.js";
import { LANGUAGES } from "./words.js";
import { Problem, Select, html } from "./ui.js";

export const LANGUAGE_OPTIONS = [["", "All languages"], ...Object.entries(LANGUAGES)];
const SOON_MS = 600; // between typing and its preview

/** Calls `request` with `input` and a signal, and again shortly after `input` changes. Returns the last { value, failure }. */
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

/** Explains why there is no preview, or that it does not show all of the form. */
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

/* The document of the frame, preview.html, has its own policy, which allows inline styles and pictures from other hosts. */

const LOOK_MS = 250; // between checks of pictures that are being loaded
const LOOKS = 40;

// Elements of the markup may have names that shadow members of the document.
const find = (page, selector) => [...Document.prototype.querySelectorAll.call(page, selector)];

function write(page, markup, style) {
	const root = Object.getOwnPropertyDescriptor(Document.prototype, "documentElement").get.call(page);
	root.lang = /<html[^>]*\slang="([^"]*)"/i.exec(markup)?.[1] || "";
	root.innerHTML = markup.replace(/^[^]*?<html[^>]*>/i, "");
	const sheet = Document.prototype.createElement.call(page, "style");
	sheet.textContent = style;
	find(page, "head")[0].append(sheet);
	for (const element of find(page, "a[href], form, button, input, select, textarea")) element.tabIndex = -1;
}

/** The URL of the first picture that failed to load; null: none. */
const brokenOf = page => find(page, "img").find(one => one.complete && one.naturalWidth === 0)?.getAttribute("src") || null;

/** `style`: an additional stylesheet; `width`: in pixels. */
export function Preview({ markup, style = "", title, width }) {
	const frame = useRef(null);
	const [ready, setReady] = useState(false);
	const [broken, setBroken] = useState(null);
	useEffect(() => {
		if (!ready)
			return undefined;
		const page = frame.current.contentDocument;
		write(page, markup, style);
		let timer = 0;
		let looks = 0;
		const look = () => {
			setBroken(brokenOf(page));
			const waits = find(page, "img").some(one => !one.complete);
			if (waits && ++looks < LOOKS) timer = setTimeout(look, LOOK_MS);
		};
		look();
		return () => clearTimeout(timer);
	}, [ready, markup, style]);
	return html`
		${broken && html`
			<p class="error" role="status">
				The picture <span class="long">${broken}</span> cannot be loaded. Open its address in a new tab to check it.
			</p>`}
		<iframe ref=${frame} class="preview" title=${title} sandbox="allow-same-origin" src=${new URL("preview.html", import.meta.url).href}
			onLoad=${() => setReady(true)} width=${width} />`;
}
