// SPDX-License-Identifier: MIT
// The parts that all views are made of. Texts of people are always text nodes: no view writes markup.
import { Fragment, h } from "./preact.js";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "./hooks.js";
import htm from "./htm.js";
import { Cancelled, Failure } from "./api.js";
import { ago, count, full, isNear, labelOf, second, short } from "./format.js";
import { store, useStore } from "./store.js";
import { refresh } from "./live.js";

export const html = htm.bind(h);
export { Fragment };

/* ---- words and numbers ---- */

/** A time as "3 minutes ago", with the exact one as its title; `none` where there is none. */
export function Time({ at, none = "–" }) {
	return at ? html`<time datetime=${at} title=${full(at)}>${ago(at)}</time>` : html`<span class="muted">${none}</span>`;
}

/** A time in full, and how long ago that was where it says more. */
export const Moment = ({ at }) => html`${full(at)}${isNear(at) ? html` (<${Time} at=${at} />)` : ""}`;

export const Number_ = ({ value }) => html`<span class="number" title=${count(value)}>${short(value)}</span>`;

/** When the oldest delivery was due, or its next attempt. */
export function Waiting({ at }) {
	if (!at)
		return html`<span class="muted">none</span>`;
	return html`${Date.parse(at) > Date.now() ? "retry " : ""}<${Time} at=${at} />`;
}

/** A state in a word and a color: good, bad, wait or plain. */
export const Chip = ({ tone = "plain", children }) => html`<span class=${`chip ${tone}`}>${children}</span>`;

/** A text with a button that copies it. */
export function Copy({ text, label = "Copy", what }) {
	const [outcome, set] = useState("");
	async function copy() {
		// without https there is no clipboard
		const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
		set(done ? "Copied" : "Copy it by hand");
		setTimeout(() => set(""), 2000);
		say(done ? `${what || "Text"} copied` : "Not copied: copy it by hand");
	}
	return html`
		<button type="button" class="small quiet" onClick=${copy} aria-label=${what ? `${label} ${what}` : undefined}>
			${outcome || label}
		</button>`;
}

/** Code to copy: a secret, markup, a line for a shell. */
export const Code = ({ text, what }) => html`
	<div class="code">
		<pre tabindex="0">${text}</pre>
		<${Copy} text=${text} what=${what} />
	</div>`;

/* ---- messages ---- */

const toasts = store([]);
let toastNumber = 0;

const removeToast = id => toasts.set(list => list.filter(one => one.id !== id));

/** A success. `undo`, a function, adds a button. */
export function toast(text, undo) {
	const id = ++toastNumber;
	toasts.set(list => [...list, { id, text, undo, at: Date.now() }]);
	setTimeout(removeToast, undo ? 20000 : 8000, id);
}

const STAYS_MS = 1000; // a message of what leads to another view, on that view
let shownView = "";
addEventListener("hashchange", () => {
	if (viewName() === shownView)
		return;
	shownView = viewName();
	toasts.set(list => list.filter(one => Date.now() - one.at < STAYS_MS));
});

const spoken = store("");
/** For screen readers alone. */
export const say = text => {
	spoken.set("");
	setTimeout(() => spoken.set(text), 50);
};

function Toast({ one }) {
	const undo = async () => {
		removeToast(one.id);
		await one.undo();
	};
	return html`
		<div class="toast">
			${one.text}
			${one.undo && html`<${Button} kind="small" onClick=${undo}>Undo<//>`}
			<button type="button" class="small" aria-label="Close the message" onClick=${() => removeToast(one.id)}>×</button>
		</div>`;
}

export function Toasts() {
	const list = useStore(toasts);
	const text = useStore(spoken);
	return html`
		<div class="toasts" role="status">${list.map(one => html`<${Toast} key=${one.id} one=${one} />`)}</div>
		<div class="offscreen" role="status">${text}</div>`;
}

/** A message of the API as a sentence: "no such lead" becomes "No such lead." */
export const sentence = text => text && `${text[0].toUpperCase()}${text.slice(1)}${/[.?!…]$/.test(text) ? "" : "."}`;

/**
 * What the API says is wrong with a value, for the field with the label: "expected a whole number, not x" becomes "Enter a whole
 * number. “x” cannot be used.", and "must be …" begins with the label.
 */
export function messageOf(error, label) {
	const [, text] = /^(?:[a-z_]+=?: )?([^]*)$/.exec(error);
	const [, expected, bad] = /^expected ([^]*?)(?:, not ([^]*))?$/.exec(text) || [];
	if (expected)
		return `Enter ${expected}.${bad ? ` “${bad}” cannot be used.` : ""}`;
	return /^(must|has|needs) /.test(text) ? `${label} ${text}.` : sentence(text);
}

/** What a failure says, where it is not at the field that it is about. */
const textOf = failure => {
	const [[name, error] = []] = Object.entries(failure.fields || {});
	return name ? messageOf(error, labelOf(name)).replace(/^Enter /, `${labelOf(name)}: enter `) : sentence(failure.message);
};

/** What to do about a failure, in a sentence. */
function adviceOf(failure) {
	if (failure.code === "unreachable")
		return "Check your connection. Your input is not lost.";
	if (failure.code === "rate_limited")
		return `Try again in ${failure.retryAfter || 60} seconds.`;
	if (failure.code === "changed")
		return "Another user changed this after you opened it.";
	if (failure.code === "unknown_outcome")
		return "The response was lost, so the change may have been made. Check before you repeat it.";
	if (failure.code === "not_configured")
		return "Ask the operator of this installation to set this up.";
	if (failure.isAway)
		return "The service or its database is unavailable. Your input is not lost.";
	return null;
}

/** A failure where something was to be shown or done. */
export function Problem({ failure, onRetry }) {
	if (!failure)
		return null;
	const advice = failure instanceof Failure ? adviceOf(failure) : null;
	const id = failure.requestId;
	return html`
		<div class="notice bad" role="alert">
			<p><strong>${textOf(failure)}</strong>${advice && html`${" "}${advice}`}</p>
			${id && failure.isAway && html`
				<p class="muted">Request ID <code>${id}</code> <${Copy} text=${id} what="the request ID" /></p>`}
			${onRetry && html`<button type="button" onClick=${onRetry}>Try again</button>`}
		</div>`;
}

export const Notice = ({ tone = "plain", children }) => html`<div class=${`notice ${tone}`}>${children}</div>`;

/** An empty list: how to get the first entry. */
export const Empty = ({ title, children }) => html`
	<div class="empty">
		<p class="empty-title">${title}</p>
		${children}
	</div>`;

/* ---- buttons ---- */

/** A button that is busy while its promise lasts. What it throws is shown in a dialog. */
export function Button({ onClick, kind = "", disabled, children, ...rest }) {
	const [busy, set] = useState(false);
	const alive = useRef(true);
	useEffect(() => () => {
		alive.current = false;
	}, []);
	async function click(event) {
		if (busy)
			return;
		const done = onClick(event);
		if (!(done instanceof Promise))
			return;
		set(true);
		try {
			await done;
		} catch (failure) {
			if (!(failure instanceof Cancelled)) showFailure(failure);
		} finally {
			if (alive.current) set(false);
		}
	}
	return html`
		<button type="button" class=${kind} disabled=${disabled} aria-busy=${busy} onClick=${click} ...${rest}>
			${children}
		</button>`;
}

/** Buttons of which one is pressed; `options`: [value, text]; `choose` gets a value. */
export const Segments = ({ label, options, value, choose, kind }) => html`
	<div class="segments" role="group" aria-label=${label}>
		${options.map(([one, text]) => html`
			<button type="button" class=${kind} key=${one} aria-pressed=${value === one} onClick=${() => choose(one)}>
				${text}
			</button>`)}
	</div>`;

/** Rows of [key, text, number, note] with bars; `top`: the number of a full one. */
export const Bars = ({ label, rows, top }) => html`
	<ol class="bars" aria-label=${label}>
		${rows.map(([key, text, value, note]) => html`
			<li key=${key}>
				<meter min="0" max=${Math.max(1, top)} value=${value} aria-hidden="true" />
				<span class="bar-name">${text}</span>
				<span class="number">${count(value)}</span>
				${note && html`<span class="muted number">${note}</span>`}
			</li>`)}
	</ol>`;

/* ---- dialogs ---- */

const dialogs = store([]);
let dialogNumber = 0;

// Without the query, which a view can change itself.
const viewName = () => location.hash.split("?")[0];

/**
 * Shows a dialog: `content` is a function of `close`, which ends it with a value. Resolves to that value; undefined: closed, also
 * because its view is left.
 */
export function openDialog(content) {
	return new Promise(done => {
		const id = ++dialogNumber;
		const view = viewName();
		const leave = () => viewName() !== view && close();
		const close = value => {
			removeEventListener("hashchange", leave);
			dialogs.set(list => list.filter(one => one.id !== id));
			done(value);
		};
		addEventListener("hashchange", leave);
		dialogs.set(list => [...list, { id, content, close }]);
	});
}

export function Dialog({ title, close, children, wide }) {
	const element = useRef(null);
	const id = useId();
	useLayoutEffect(() => {
		const before = document.activeElement;
		const dialog = element.current;
		// the keyboard of a phone covers what is below the visible part of the window
		const view = window.visualViewport;
		const fit = () => dialog.style.setProperty("--room", `${view.height}px`);
		dialog.showModal();
		view?.addEventListener("resize", fit);
		return () => {
			view?.removeEventListener("resize", fit);
			dialog.close(); // what is outside an open dialog cannot have the focus
			if (before?.isConnected) before.focus();
		};
	}, []);
	const cancel = event => {
		event.preventDefault();
		close();
	};
	// A second Escape cannot be prevented in Chromium: a dialog that is to stay is shown again.
	const stay = () => element.current?.isConnected && element.current.showModal();
	return html`
		<dialog ref=${element} class=${wide ? "wide" : ""} aria-labelledby=${id} onCancel=${cancel} onClose=${stay}>
			<h2 id=${id}>${title}</h2>
			${children}
		</dialog>`;
}

export function Dialogs() {
	return useStore(dialogs).map(one => html`<${Fragment} key=${one.id}>${one.content(one.close)}<//>`);
}

export function showFailure(failure) {
	return openDialog(close => html`
		<${Dialog} title="Request failed" close=${close}>
			<${Problem} failure=${failure} />
			<div class="buttons"><button type="button" class="primary" onClick=${() => close()}>Close</button></div>
		<//>`);
}

/* ---- frame of a view ---- */

/** The heading of a view; it gets the focus when the view is shown. */
export function Page({ title, above, actions, children }) {
	const heading = useRef(null);
	useEffect(() => {
		document.title = `${title} – Leadhook`;
	}, [title]);
	useEffect(() => {
		heading.current.focus({ preventScroll: true });
		scrollTo(0, 0);
	}, []);
	return html`
		<header class="page-header">
			${above && html`<p class="crumbs">${above}</p>`}
			<h1 tabindex="-1" ref=${heading}>${title}</h1>
			${actions && html`<div class="buttons">${actions}</div>`}
		</header>
		${children}`;
}

/** Stands for content that is still to come. */
export const Skeleton = ({ lines }) => html`
	<div class="skeleton" role="status" aria-label="Loading">
		${Array.from({ length: lines }, (_, key) => html`<span key=${key} />`)}
	</div>`;

/** Content that a call provides: a skeleton before the first answer, old content while it is read again, and why it is not new. */
export function Loaded({ live, children, lines = 4 }) {
	const { value, failure, at, retryAt, reload } = live;
	if (value === undefined && failure)
		return html`<${Problem} failure=${failure} onRetry=${reload} />`;
	if (value === undefined)
		return html`<${Skeleton} lines=${lines} />`;
	return html`
		${failure && html`<${Stale} failure=${failure} at=${at} retryAt=${retryAt} onRetry=${reload} />`}
		${children(value, live)}`;
}

function Stale({ failure, at, retryAt, onRetry }) {
	const [now, set] = useState(Date.now());
	useEffect(() => {
		const timer = setInterval(() => set(Date.now()), 1000);
		return () => clearInterval(timer);
	}, []);
	return html`
		<div class="notice bad" role="alert">
			<p>
				<strong>${at ? `Not updated since ${full(at)}.` : "Not updated."}</strong> ${failure.message}
				${retryAt && retryAt > now ? html` Retrying in ${Math.ceil((retryAt - now) / 1000)} s.` : ""}
			</p>
			<button type="button" onClick=${onRetry}>Retry now</button>
		</div>`;
}

/** "Updated 14:03:20", and the button that reads again. */
export function Updated({ live }) {
	const at = live.at && new Date(live.at);
	return html`
		<span class="updated muted">
			${at && html`Updated <time datetime=${at.toISOString()}>${second(at)}</time>`}
			<button type="button" class="small quiet" onClick=${refresh} title="Refresh (r)">Refresh</button>
		</span>`;
}

/** What the head of a column shows: its own element, a button that sorts, or its title. */
function headOf(column, sortBy) {
	if (column.head)
		return column.head;
	if (column.sort)
		return html`<button type="button" class="sort" onClick=${() => sortBy(column)}>${column.title}</button>`;
	return column.hidden ? html`<span class="offscreen">${column.title}</span>` : column.title;
}

/**
 * A table; on a phone its rows have two lines, of which the first has the first column. `columns`: { title, cell(row), kind (number,
 * tick, long: a text without blanks), sort(row), head (in place of the title), hidden (the title), phone (plain: needs no title
 * there; off: is left out) }. `name`: what the rows are.
 */
export function Table({ name, columns, rows, id = row => row.id, row: attributes, sorted }) {
	const [order, setOrder] = useState(sorted || null);
	const column = order && columns.find(one => one.title === order.title);
	function compare(a, b) {
		const [x, y] = [column.sort(a), column.sort(b)];
		return (x < y ? -1 : x > y ? 1 : 0) * (order.down ? -1 : 1);
	}
	const list = column ? [...rows].sort(compare) : rows;
	const first = columns.find(one => !one.hidden);
	const classOf = one => [one.kind, one === first ? "main" : one.phone].filter(Boolean).join(" ") || undefined;
	const sortBy = one =>
		setOrder(old => ({ title: one.title, down: old?.title === one.title ? !old.down : one.kind === "number" }));
	const direction = one => (order?.title === one.title ? (order.down ? "descending" : "ascending") : undefined);
	return html`
		<div class="table">
			<table aria-label=${name}>
				<thead>
					<tr>
						${columns.map(one => html`
							<th key=${one.title} scope="col" class=${one.kind} aria-sort=${direction(one)}>
								${headOf(one, sortBy)}
							</th>`)}
					</tr>
				</thead>
				<tbody>
					${list.map(row => html`
						<tr key=${id(row)} ...${attributes ? attributes(row) : {}}>
							${columns.map(one => html`
								<td key=${one.title} class=${classOf(one)} data-label=${one.hidden ? "" : one.title}>
									${one.cell(row)}
								</td>`)}
						</tr>`)}
				</tbody>
			</table>
		</div>`;
}

/** Pairs of a name and a value. */
export const Facts = ({ rows }) => html`
	<dl class="facts">
		${rows.filter(Boolean).map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
	</dl>`;

/** A number with what it means. */
export function Tile({ label, value, note, href, tone = "" }) {
	const inner = html`
		<span class="tile-label">${label}</span>
		<span class="tile-value">${value}</span>
		${note && html`<span class="tile-note">${note}</span>`}`;
	return href ? html`<a class=${`tile ${tone}`} href=${href}>${inner}</a>` : html`<div class=${`tile ${tone}`}>${inner}</div>`;
}

/** The last days as a line; the numbers are in `label`. */
export function Spark({ values, label }) {
	const top = Math.max(1, ...values);
	const width = 84;
	const height = 24;
	const points = values.map((value, at) => {
		const x = (at * width) / Math.max(1, values.length - 1);
		const y = height - 2 - (value * (height - 4)) / top;
		return `${x.toFixed(1)},${y.toFixed(1)}`;
	});
	return html`
		<svg class="spark" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}>
			<polyline points=${points.join(" ")} />
		</svg>`;
}

/* ---- the browser ---- */

/** Saves a text as a file. */
export function download(name, text, type) {
	const url = URL.createObjectURL(new Blob([text], { type }));
	Object.assign(document.createElement("a"), { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 1000);
}
