// SPDX-License-Identifier: MIT
// Shows markup that the service has made, in a frame that runs no scripts. The document of the frame, preview.html, has a policy
// of its own, which allows styles in the markup and pictures of other hosts.
import { useEffect, useRef, useState } from "./hooks.js";
import { html } from "./ui.js";

const LOOK_MS = 250; // between checks of pictures that are being loaded
const LOOKS = 40;

// Elements of the markup may shadow members of their document by their names.
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
