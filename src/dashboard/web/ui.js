// SPDX-License-Identifier: MIT
// The parts that views are made of. What users typed is always a text node: no view writes markup.
import { h } from "./preact.js";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "./hooks.js";
import htm from "./htm.js";
import { Cancelled, Failure } from "./api.js";
import { ago, count, full, isNear, labelOf, second, short } from "./format.js";
import { store, useStore } from "./store.js";
import { campaignName, refresh } from "./live.js";
import { link } from "./route.js";

export const html = htm.bind(h);

/* ---- words and numbers ---- */

/** A time as "3 minutes ago", with the exact time as its title. `none`: shown without a time. */
export function Time({ at, none = "–" }) {
	return at ? html`<time datetime=${at} title=${full(at)}>${ago(at)}</time>` : html`<span class="muted">${none}</span>`;
}

/** A time in full, followed by how long ago it was if that is less than a week. */
export const Moment = ({ at }) => html`${full(at)}${isNear(at) ? html` (<${Time} at=${at} />)` : ""}`;

export const Number_ = ({ value }) => html`<span class="number" title=${count(value)}>${short(value)}</span>`;

/** When the oldest delivery was due, or when it is retried. */
export function Waiting({ at }) {
	if (!at)
		return html`<span class="muted">none</span>`;
	return html`${Date.parse(at) > Date.now() ? "retry " : ""}<${Time} at=${at} />`;
}

/** A state as a word with a color. `tone`: good, bad, wait or plain. */
export const Chip = ({ tone = "plain", children }) => html`<span class=${`chip ${tone}`}>${children}</span>`;

/** A button that copies a text. `what`: names it for screen readers. */
export function Copy({ text, label = "Copy", what }) {
	const [outcome, set] = useState("");
	async function copy() {
		// there is no clipboard without https
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

/** A text to copy: a secret, markup, a shell command. */
export const Code = ({ text, what }) => html`
	<div class="code">
		<pre tabindex="0">${text}</pre>
		<${Copy} text=${text} what=${what} />
	</div>`;

/* ---- messages ---- */

const toasts = store([]);
let toastNumber = 0;

const removeToast = id => toasts.set(list => list.filter(one => one.id !== id));

/** Shows a message for some seconds. `undo`: if given, called by a button. */
export function toast(text, undo) {
	const id = ++toastNumber;
	toasts.set(list => [...list, { id, text, undo, at: Date.now() }]);
	setTimeout(removeToast, undo ? 20000 : 8000, id);
}

const STAYS_MS = 1000; // a message stays if its action leads to another view right away
let shownView = "";
addEventListener("hashchange", () => {
	if (viewName() === shownView)
		return;
	shownView = viewName();
	toasts.set(list => list.filter(one => Date.now() - one.at < STAYS_MS));
});

const spoken = store("");
/** Announces a text to screen readers only. */
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

/** Makes a sentence of a message: "no such lead" becomes "No such lead." */
export const sentence = text => text && `${text[0].toUpperCase()}${text.slice(1)}${/[.?!…]$/.test(text) ? "" : "."}`;

/**
 * An error of the API for the field with this label: "expected a whole number, not x" becomes "Enter a whole number. “x” cannot be
 * used.", and "must be …" begins with the label.
 */
export function messageOf(error, label) {
	const [, text] = /^(?:[a-z_]+=?: )?([^]*)$/.exec(error);
	const [, expected, bad] = /^expected ([^]*?)(?:, not ([^]*))?$/.exec(text) || [];
	if (expected)
		return `Enter ${expected}.${bad ? ` “${bad}” cannot be used.` : ""}`;
	return /^(must|has|needs) /.test(text) ? `${label} ${text}.` : sentence(text);
}

/** The text of a failure that is not shown at a field. */
const textOf = failure => {
	const [[name, error] = []] = Object.entries(failure.fields || {});
	return name ? messageOf(error, labelOf(name)).replace(/^Enter /, `${labelOf(name)}: enter `) : sentence(failure.message);
};

const ADVICE = {
	__proto__: null,
	unreachable: "Check your connection. Your input is not lost.",
	changed: "Another user changed this after you opened it.",
	unknown_outcome: "The response was lost, so the change may have been made. Check before you repeat it.",
	not_configured: "Ask the operator of this installation to set this up.",
};

/** A sentence that explains what to do about a failure. */
function adviceOf({ code, retryAfter, isAway }) {
	if (code === "rate_limited")
		return `Try again in ${retryAfter || 60} seconds.`;
	return ADVICE[code] || (isAway && "The service or its database is unavailable. Your input is not lost.");
}

/** A failure, with advice. `onRetry`: called by a button. */
export function Problem({ failure, onRetry }) {
	if (!failure)
		return null;
	const advice = failure instanceof Failure ? adviceOf(failure) : null;
	const id = failure.requestId;
	return html`
		<${Box} tone="bad" role="alert">
			<p><strong>${textOf(failure)}</strong>${advice && html`${" "}${advice}`}</p>
			${id && failure.isAway && html`
				<p class="muted">Request ID <code>${id}</code> <${Copy} text=${id} what="the request ID" /></p>`}
			${onRetry && html`<button type="button" onClick=${onRetry}>Try again</button>`}
		<//>`;
}

/** The frame of a notice. */
export const Box = ({ tone = "plain", role, children }) => html`<div class=${`notice ${tone}`} role=${role}>${children}</div>`;

/** A notice. Its sentences begin with `title`. `role`: that of the sentences; `beside`: buttons. */
export const Notice = ({ tone, title, role, beside, children }) => html`
	<${Box} tone=${tone}>
		<p role=${role}>${title && html`<strong>${title}</strong>`}${title && children && " "}${children}</p>
		${beside}
	<//>`;

/** A list of what needs attention: [class, href, text]; nothing without rows. */
export const Problems = ({ rows }) => rows.length > 0 && html`
	<ul class="problems" aria-label="Needs attention">
		${rows.map(([tone, href, text]) => html`<li key=${`${href}${text}`} class=${tone}><a href=${href}>${text}</a></li>`)}
	</ul>`;

/** Shown in place of an empty list. `text` explains how to get the first entry. */
export const Empty = ({ title, text, children }) => html`
	<div class="empty">
		<p class="empty-title">${title}</p>
		${text && html`<p>${text}</p>`}
		${children}
	</div>`;

/* ---- buttons ---- */

/** A button that is busy while the promise of `onClick` is pending. A dialog shows its failure. */
export function Button({ onClick, kind = "", disabled, children, ...rest }) {
	const [busy, set] = useState(false);
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
			set(false);
		}
	}
	return html`
		<button type="button" class=${kind} disabled=${disabled} aria-busy=${busy} onClick=${click} ...${rest}>
			${children}
		</button>`;
}

/** Buttons of which one is pressed. `options`: [value, text]. */
export const Segments = ({ label, options, value, choose, kind }) => html`
	<div class="segments" role="group" aria-label=${label}>
		${options.map(([one, text]) => html`
			<button type="button" class=${kind} key=${one} aria-pressed=${value === one} onClick=${() => choose(one)}>
				${text}
			</button>`)}
	</div>`;

/** `options`: [value, text]. Shows `value` until the view passes another one, which unsaved changes may prevent. */
export function Select({ value, options, choose, ...rest }) {
	const change = event => {
		const chosen = event.currentTarget.value;
		event.currentTarget.value = value;
		choose(chosen);
	};
	return html`
		<select value=${value} onChange=${change} ...${rest}>
			${options.map(([key, text]) => html`
				<option key=${key} value=${key} selected=${String(key) === String(value)}>${text}</option>`)}
		</select>`;
}

/** A checkbox with a label. `choose` gets whether it is checked. */
export const Check = ({ id, label, checked, choose, children, ...rest }) => html`
	<div class="field check">
		<input type="checkbox" id=${id} checked=${checked} onChange=${event => choose(event.currentTarget.checked)} ...${rest} />
		<label for=${id}>${label}</label>
		${children}
	</div>`;

/** A progress bar with a sentence. Without `value`, it only shows that work is in progress. */
export const Progress = ({ label, text, value, max, children }) => html`
	<div class="progress">
		<progress max=${max} value=${value} aria-label=${label} />
		<p role="status">${text}</p>
		${children}
	</div>`;

/** A list with bars. `rows`: [key, text, number, note]; `top`: the number of a full bar. */
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

// without the query, which the view itself changes
const viewName = () => location.hash.split("?")[0];

/**
 * Shows a dialog: a component, which gets `properties` and `close`. Resolves to what the component passes to `close`; undefined:
 * the view was left.
 */
export function openDialog(component, properties) {
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
		dialogs.set(list => [...list, { id, component, properties: { ...properties, close } }]);
	});
}

/** `done`: the text of a button that closes it. */
export function Dialog({ title, close, children, wide, done }) {
	const element = useRef(null);
	const id = useId();
	useLayoutEffect(() => {
		const before = document.activeElement;
		const dialog = element.current;
		// the keyboard of a phone covers a part of the window
		const view = window.visualViewport;
		const fit = () => dialog.style.setProperty("--room", `${view.height}px`);
		dialog.showModal();
		view?.addEventListener("resize", fit);
		return () => {
			view?.removeEventListener("resize", fit);
			dialog.close(); // while it is open, nothing outside can get the focus
			if (before?.isConnected) before.focus();
		};
	}, []);
	const cancel = event => {
		event.preventDefault();
		close();
	};
	// Chromium closes the dialog at a second Escape: it is shown again
	const stay = () => element.current?.isConnected && element.current.showModal();
	return html`
		<dialog ref=${element} class=${wide ? "wide" : ""} aria-labelledby=${id} onCancel=${cancel} onClose=${stay}>
			<h2 id=${id}>${title}</h2>
			${children}
			${done && html`
				<div class="buttons"><button type="button" class="primary" onClick=${() => close()}>${done}</button></div>`}
		</dialog>`;
}

export const Dialogs = () =>
	useStore(dialogs).map(({ id, component, properties }) => html`<${component} key=${id} ...${properties} />`);

const FailureDialog = ({ failure, close }) => html`
	<${Dialog} title="Request failed" close=${close} done="Close"><${Problem} failure=${failure} /><//>`;
export const showFailure = failure => openDialog(FailureDialog, { failure });

/* ---- frame of a view ---- */

/** Links to the campaign, and to the list whose entry is shown. */
const Crumbs = ({ id, list: [path, name] }) => html`
	<p class="crumbs">
		<a href=${link(`campaigns/${id}`)}>${campaignName(id)}</a>
		${path && html`${" › "}<a href=${link(`campaigns/${id}/${path}`)}>${name}</a>`}
	</p>`;

/** "Updated 14:03:20", and a button that refreshes all views. */
export function Updated({ live }) {
	const at = live.at && new Date(live.at);
	return html`
		<span class="updated muted">
			${at && html`Updated <time datetime=${at.toISOString()}>${second(at)}</time>`}
			<button type="button" class="small quiet" onClick=${refresh} title="Refresh (r)">Refresh</button>
		</span>`;
}

/**
 * A view with its heading, which gets the focus when the view is shown. `campaign`: the id of the campaign that it is about; `list`:
 * path and name of the list whose entry it shows; `live`: the result of useLive; `actions`: buttons.
 */
export function Page({ title, campaign, list = [], live, actions, children }) {
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
			${campaign && html`<${Crumbs} id=${campaign} list=${list} />`}
			<h1 tabindex="-1" ref=${heading}>${title}</h1>
			${(live || actions) && html`<div class="buttons">${live && html`<${Updated} live=${live} />`}${actions}</div>`}
		</header>
		${children}`;
}

/** A part of a view. `beside`: shown beside its heading. */
export const Card = ({ title, kind = "", beside, children, ...rest }) => html`
	<section class=${`card ${kind}`.trim()} ...${rest}>
		${beside !== undefined && html`<header><h2>${title}</h2>${beside}</header>`}
		${beside === undefined && title && html`<h2>${title}</h2>`}
		${children}
	</section>`;

/** Shown in place of content that is being loaded. */
export const Skeleton = ({ lines }) => html`
	<div class="skeleton" role="status" aria-label="Loading">
		${Array.from({ length: lines }, (_, key) => html`<span key=${key} />`)}
	</div>`;

/** Content from a call: a skeleton before the first answer, later the last content, and a notice if it could not be updated. */
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

/** The rows of a list, or `none` if it is empty. */
export const List = ({ live, lines, none, children }) => html`
	<${Loaded} live=${live} lines=${lines}>${rows => (rows.length === 0 ? none : children(rows))}<//>`;

/** The time, updated every `every` milliseconds. */
export function useNow(every) {
	const [now, set] = useState(Date.now());
	useEffect(() => {
		const timer = setInterval(() => set(Date.now()), every);
		return () => clearInterval(timer);
	}, []);
	return now;
}

function Stale({ failure, at, retryAt, onRetry }) {
	const now = useNow(1000);
	return html`
		<${Box} tone="bad" role="alert">
			<p>
				<strong>${at ? `Not updated since ${full(at)}.` : "Not updated."}</strong> ${failure.message}
				${retryAt && retryAt > now ? html` Retrying in ${Math.ceil((retryAt - now) / 1000)} s.` : ""}
			</p>
			<button type="button" onClick=${onRetry}>Retry now</button>
		<//>`;
}

/** The head of a column: its own element, a button that sorts, or its title. */
function headOf({ title, head, sort, is }, sortBy) {
	if (sort)
		return html`<button type="button" class="sort" onClick=${sortBy}>${title}</button>`;
	return head || (is("hidden") ? html`<span class="offscreen">${title}</span>` : title);
}

/**
 * A table. On a phone, the first column is the first line of each row, and the others share the second. `name`: its label. `columns`,
 * of which false ones are left out: [title, cell(row), kind, { sort(row), head }]. `kind`: any of these words: number; tick; long,
 * which breaks anywhere; row, the heading of the row; hidden, without a visible title; plain, without a title on a phone; off, not
 * shown on a phone.
 */
export function Table({ name, columns: all, rows, id = row => row.id, sorted }) {
	const columns = all.filter(Boolean).map(([title, cell, kind = "", more]) =>
		({ title, cell, is: word => kind.split(" ").includes(word), ...more }));
	const [order, setOrder] = useState(sorted || null);
	const column = order && columns.find(one => one.title === order.title);
	function compare(a, b) {
		const [x, y] = [column.sort(a), column.sort(b)];
		return (x < y ? -1 : x > y ? 1 : 0) * (order.down ? -1 : 1);
	}
	const list = column ? [...rows].sort(compare) : rows;
	const first = columns.find(one => !one.is("hidden"));
	const classOf = (one, others) => [...["number", "tick", "long"].filter(one.is), ...others].join(" ") || undefined;
	const sortBy = one => () =>
		setOrder(old => ({ title: one.title, down: old?.title === one.title ? !old.down : one.is("number") }));
	const direction = one => (order?.title === one.title ? (order.down ? "descending" : "ascending") : undefined);
	return html`
		<div class="table">
			<table aria-label=${name}>
				<thead>
					<tr>
						${columns.map(one => html`
							<th key=${one.title} scope="col" class=${classOf(one, [])} aria-sort=${direction(one)}>${headOf(one, sortBy(one))}</th>`)}
					</tr>
				</thead>
				<tbody>
					${list.map(row => html`
						<tr key=${id(row)}>
							${columns.map(one => one.is("row")
								? html`<th key=${one.title} scope="row">${one.cell(row)}</th>`
								: html`
									<td key=${one.title} class=${classOf(one, one === first ? ["main"] : ["plain", "off"].filter(one.is))}
										data-label=${one.is("hidden") ? "" : one.title}>
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

/** A number with its label. */
export function Tile({ label, value, note, href, tone = "" }) {
	const inner = html`
		<span class="tile-label">${label}</span>
		<span class="tile-value">${value}</span>
		${note && html`<span class="tile-note">${note}</span>`}`;
	return href ? html`<a class=${`tile ${tone}`} href=${href}>${inner}</a>` : html`<div class=${`tile ${tone}`}>${inner}</div>`;
}

/** A small line chart. `label`: its numbers in words. */
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
