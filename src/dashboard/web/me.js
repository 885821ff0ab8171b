// SPDX-License-Identifier: MIT
// The user's own page: password, second factor, theme, sessions.
import { useEffect, useRef, useState } from "./hooks.js";
import { post, remove } from "./api.js";
import { setTheme, useTheme } from "./frame.js";
import { useList, useLive } from "./live.js";
import { NewPassword, codeOf, logOut, readSession, session, useSession } from "./session.js";
import { ROLES } from "./words.js";
import { ConfirmButton, Field, Form, FormDialog, Password, useForm } from "./forms.js";
import {
	Button, Card, Check, Chip, Code, Copy, Dialog, Facts, Loaded, Notice, Page, Segments, Table, Time, download, html, openDialog, toast,
} from "./ui.js";

/* ---- password ---- */

function ChangePassword() {
	const user = useSession();
	const form = useForm({ password: "", code: "", new_password: "" });
	async function submit() {
		const { password, new_password } = form.values;
		const { value } = await post("session/password", { password, new_password, ...codeOf(form.values) }, { quiet: true });
		session.set(value);
		form.setValues({ password: "", code: "", new_password: "" });
		toast("Password changed. All other sessions have ended.");
	}
	return html`
		<${Card} title="Password">
			<${Form} form=${form} onSubmit=${submit} submit="Change password">
				<${Password} form=${form} name="password" label="Current password" autocomplete="current-password" />
				${user.second_factor && html`
					<${Field} form=${form} name="code" label="Code" autocomplete="one-time-code"
						hint="From your authenticator app, or a recovery code." />`}
				<${NewPassword} form=${form} name="new_password" label="New password" />
			<//>
		<//>`;
}

/* ---- second factor ---- */

function Qr({ text }) {
	const canvas = useRef(null);
	useEffect(() => {
		import("./qr.js").then(({ generate }) => canvas.current && generate(text).toCanvas(canvas.current));
	}, [text]);
	return html`<canvas class="qr" ref=${canvas} role="img" aria-label="QR code of the secret, which follows as text" />`;
}

function Codes({ codes, close }) {
	const [stored, set] = useState(false);
	const text = codes.join("\n");
	const save = () => download("leadhook-recovery-codes.txt", `${text}\n`, "text/plain");
	return html`
		<${Dialog} title="Recovery codes" close=${() => stored && close(true)}>
			<p>Each code works once in place of your authenticator app. <strong>They are shown only once.</strong></p>
			<${Code} text=${text} what="the recovery codes" />
			<div class="buttons"><button type="button" onClick=${save}>Download</button></div>
			<${Check} id="codes-stored" label="I have stored them" checked=${stored} choose=${set} />
			<div class="buttons">
				<button type="button" class="primary" disabled=${!stored} onClick=${() => close(true)}>Done</button>
			</div>
		<//>`;
}
const showCodes = codes => openDialog(Codes, { codes });

function Enable({ factor, close }) {
	const save = async ({ code }) => (await post("session/factor/enable", { code: code.trim() })).value.recovery_codes;
	const secret = html`
		<p>Scan this code with an authenticator app, such as Aegis, 2FAS or Google Authenticator.</p>
		<${Qr} text=${factor.url} />
		<p>
			Or enter the secret: <code>${factor.secret.match(/.{1,4}/g).join(" ")}</code>
			${" "}<${Copy} text=${factor.secret} what="the secret" />
		</p>`;
	return html`
		<${FormDialog} title="Two-factor authentication" text=${secret} submit="Turn on" close=${close} values=${{ code: "" }} save=${save}>
			${form => html`
				<${Field} form=${form} name="code" label="Code from the app" inputmode="numeric" autocomplete="one-time-code"
					hint="If it is rejected, check the clock of your phone." />`}
		<//>`;
}

function SecondFactor() {
	const user = useSession();
	const installation = useList("installation", {}, { every: 0 });
	async function enable() {
		const { value } = await post("session/factor");
		const codes = await openDialog(Enable, { factor: value });
		if (codes) await showCodes(codes);
		await readSession();
	}
	const renew = async () => showCodes((await post("session/factor/codes")).value.recovery_codes);
	const isPossible = installation?.second_factor !== false;
	const state = user.second_factor ? html`<${Chip} tone="good">on<//>` : html`<${Chip}>off<//>`;
	return html`
		<${Card} title="Two-factor authentication" beside=${state}>
			<p>Logging in requires a code from your phone, so that a stolen password is not enough.</p>
			${!isPossible && html`
				<${Notice}>The operator of this installation must set <code>server.secrets_key</code> first.<//>`}
			${isPossible && html`
				<div class="buttons">
					${user.second_factor
						? html`
							<${Button} onClick=${renew}>New recovery codes<//>
							<${ConfirmButton} kind="danger" title="Turn off two-factor authentication?" verb="Turn off"
								text=${html`<p>Your password alone will be enough to log in.</p>`}
								work=${() => remove("session/factor").then(readSession)}>Turn off…<//>`
						: html`<${Button} kind="primary" onClick=${enable}>Turn on<//>`}
				</div>`}
		<//>`;
}

/* ---- sessions ---- */

/* Names by a part of the header User-Agent. The first match counts: some browsers also claim to be others. */
const BROWSERS = {
	"Firefox/": "Firefox", "Edg/": "Edge", "OPR/": "Opera", "Chrome/": "Chrome", "Chromium/": "Chrome", "Safari/": "Safari", "curl/": "curl",
};
const SYSTEMS = { Android: "Android", iPhone: "iOS", iPad: "iOS", Windows: "Windows", "Mac OS": "macOS", Linux: "Linux" };
const nameIn = (agent, names) => Object.entries(names).find(([part]) => agent.includes(part))?.[1];

/** "Firefox on Linux". */
function browserOf(agent) {
	const names = [nameIn(agent || "", BROWSERS), nameIn(agent || "", SYSTEMS)];
	return names[0] ? names.filter(Boolean).join(" on ") : agent?.slice(0, 60) || "unknown";
}

function Sessions() {
	const live = useLive("session/list", {}, { every: 30 });
	const end = one => post("session/end", { id: one.id }).then(live.reload);
	const columns = [
		["Browser", row => html`
			<span title=${row.user_agent}>${browserOf(row.user_agent)}</span>
			${row.current ? html` <${Chip}>this session<//>` : ""}`],
		["Address", row => row.ip || ""],
		["Logged in", row => html`<${Time} at=${row.created_at} />`],
		["Last used", row => html`<${Time} at=${row.last_used_at} />`],
		["End", row => (row.current ? "" : html`<${Button} kind="small quiet" onClick=${() => end(row)}>End<//>`), "hidden"],
	];
	return html`
		<${Card} title="Sessions" beside=${html`<${Button} onClick=${logOut}>Log out<//>`}>
			<${Loaded} live=${live}>${rows => html`<${Table} name="Sessions" rows=${rows} columns=${columns} />`}<//>
		<//>`;
}

/* ---- theme ---- */

const THEMES = [["", "System"], ["light", "Light"], ["dark", "Dark"]];

const Theme = () => html`
	<${Card} title="Theme"><${Segments} label="Theme" options=${THEMES} value=${useTheme()} choose=${setTheme} /><//>`;

export function Me() {
	const user = useSession();
	const facts = [
		["Email", user.email],
		["Role", ROLES[user.role].join(": ")],
		user.account_name && ["Account", user.account_name],
	];
	return html`
		<${Page} title=${user.name || user.email}>
			<${Card}><${Facts} rows=${facts} /><//>
			<div class="columns">
				<${ChangePassword} />
				<div class="stack">
					<${SecondFactor} />
					<${Theme} />
				</div>
			</div>
			<${Sessions} />
		<//>`;
}
