// SPDX-License-Identifier: MIT
// Markup that the service has rendered, in a frame that runs no script. The page's policy forbids inline styles, also in the frame:
// they are set by script, which is what the policy allows.
import { useEffect, useRef } from "./hooks.js";
import { html } from "./ui.js";

/**
 * Takes styles out of the markup: the text without them, and the sheets. Attributes become data-style. It is done before the markup
 * is parsed, because the policy is applied while it is parsed; a style that is overlooked has no effect.
 */
function withoutStyles(markup) {
	const sheets = [];
	const text = markup
		.replace(/<style[^>]*>([^]*?)<\/style>/gi, (_, sheet) => {
			sheets.push(sheet);
			return "";
		})
		.replace(/<[a-z][^>]*>/gi, tag => tag.replace(/(\s)style=/gi, "$1data-style="));
	return [text, sheets];
}

// Elements of the markup may have the names of members of its document.
const find = (page, selector) => Document.prototype.querySelectorAll.call(page, selector);
const setSheets = Object.getOwnPropertyDescriptor(Document.prototype, "adoptedStyleSheets").set;

/** `style`: a further stylesheet, such as that of a campaign. `width`: in pixels. */
export function Preview({ markup, style = "", title, width }) {
	const frame = useRef(null);
	const [text, sheets] = withoutStyles(markup);
	const all = [...sheets, style].join("\n");
	function apply() {
		const view = frame.current?.contentWindow;
		const page = frame.current?.contentDocument;
		if (!page || find(page, "body").length === 0)
			return;
		const sheet = new view.CSSStyleSheet();
		sheet.replaceSync(all);
		setSheets.call(page, [sheet]);
		for (const element of find(page, "[data-style]")) element.style.cssText = element.dataset.style;
		for (const element of find(page, "a[href], form, button, input, select, textarea")) element.tabIndex = -1;
	}
	useEffect(apply, [all, text]);
	return html`
		<iframe ref=${frame} class="preview" title=${title} sandbox="allow-same-origin" srcdoc=${text} onLoad=${apply}
			width=${width} />`;
}
