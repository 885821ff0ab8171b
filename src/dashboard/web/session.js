// SPDX-License-Identifier: MIT
// The user who is logged in, and the forms that need a password: login, invitation, confirmation.
import { useEffect, useRef, useState } from "./hooks.js";
import { Cancelled, Failure, call, discardAnswers, gate, patch, post } from "./api.js";
import { mayLeave } from "./leave.js";
import { store, useStore } from "./store.js";
import { Field, Form, Password, useForm, wrongField } from "./forms.js";
import { Dialog, Notice, Problem, Skeleton, html, openDialog, useNow } from "./ui.js";

/** The answer to GET session; null: nobody is logged in; undefined: not known yet. */
export const session = store(undefined);
export const useSession = () => useStore(session);
/** While the login is shown over a view, because the session has ended: { promise, done }; otherwise null. */
const ended = store(null);

export const may = right => Boolean(session.get()?.rights.includes(right));
export const isOperator = () => session.get()?.role === "operator";

export async function readSession() {
	try {
		session.set((await call("GET", "session", { quiet: true })).value);
	} catch (failure) {
		if (!(failure instanceof Failure) || failure.status !== 401)
			throw failure;
		session.set(null);
	}
}

/** Sets the time zone of an account, and of this page. */
export async function setTimeZone(account, name) {
	await patch(`accounts/${account}`, { time_zone: name });
	await readSession();
}

export async function logOut() {
	if (!(await mayLeave()))
		return;
	await call("DELETE", "session", { quiet: true }).catch(failure => {
		if (failure.status !== 401)
			throw failure;
	});
	discardAnswers();
	session.set(null);
	ended.set(null); // another call may have noticed the end of the session
	location.hash = "#/";
}

/** Shows the login over the view. All calls that need it wait for the same one. */
gate.logIn = () => {
	if (!ended.get()) {
		let done;
		const promise = new Promise(resolve => {
			done = resolve;
		});
		ended.set({ promise, done });
	}
	return ended.get().promise;
};

let confirming = null;
gate.confirm = () => {
	confirming ||= openDialog(Confirm)
		.finally(() => {
			confirming = null;
		})
		.then(done => {
			if (!done)
				throw new Cancelled();
		});
	return confirming;
};

/* ---- forms ---- */

/** The password, the code if the user has a second factor, and how long to wait before the next attempt. */
function LoginFields({ form, codeShown, wait }) {
	const code = useRef(null);
	useEffect(() => {
		if (codeShown && form.values.password) code.current.querySelector("input").focus();
	}, [codeShown]);
	return html`
		<${Password} form=${form} name="password" label="Password" autocomplete="current-password" />
		${codeShown && html`
			<div ref=${code}>
				<${Field} form=${form} name="code" label="Code" autocomplete="one-time-code" autocapitalize="off" spellcheck="false"
					hint="From your authenticator app, or one of your recovery codes." />
			</div>`}
		${wait > 0 && html`<p class="error" role="status">Too many attempts. Try again in ${wait} s.</p>`}`;
}

export const NewPassword = ({ form, name, label }) => html`
	<${Password} form=${form} name=${name} label=${label} autocomplete="new-password"
		hint="At least 12 characters. A passphrase works well." />`;

/** The seconds until the next attempt, after one that came too early. */
function useWait(failure) {
	const [until, set] = useState(0);
	const now = useNow(500);
	useEffect(() => {
		if (failure?.status === 429) set(Date.now() + (failure.retryAfter || 5) * 1000);
	}, [failure]);
	return Math.max(0, Math.ceil((until - now) / 1000));
}

/** `work` gets the values; `hasCode`: the user has a second factor; `named`: the fields besides the code that may be wrong. */
function useLogin(work, { hasCode = false, named = "The email address or the password" } = {}) {
	const form = useForm({ email: "", password: "", code: "" });
	const [codeShown, showCode] = useState(hasCode);
	const wait = useWait(form.failure);
	async function submit() {
		try {
			await work(form.values);
		} catch (failure) {
			if (failure.code === "code_needed") {
				if (codeShown)
					throw wrongField("code", "Enter the code.");
				showCode(true);
				return;
			}
			const wrong = codeShown ? "The password or the code is wrong." : `${named} is wrong.`;
			throw failure.code === "wrong_login" ? Object.assign(failure, { message: wrong }) : failure;
		}
	}
	return { form, codeShown, submit, wait };
}

/** The code among the values of a form, as a member of a body. */
export const codeOf = values => (values.code ? { code: values.code.trim() } : {});

export function Login({ again, email = "", onDone }) {
	const login = useLogin(async values => {
		const before = session.get();
		const body = { email: email || values.email, password: values.password, ...codeOf(values) };
		const { value } = await post("session", body, { quiet: true });
		if (before && before.user_id !== value.user_id) discardAnswers();
		session.set(value);
		onDone?.();
	});
	const { form, wait } = login;
	return html`
		<${Form} form=${form} onSubmit=${login.submit} class="login">
			${!isSecureContext && html`
				<${Notice} tone="bad">
					This page was loaded without HTTPS, so the browser does not store the session. Open it with https://.
				<//>`}
			${again && html`<p>Your session has ended. Log in to continue.</p>`}
			${email
				? html`<p>${email}</p>`
				: html`
					<${Field} form=${form} name="email" label="Email address" type="email" autocomplete="username"
						autofocus=${!again} />`}
			<${LoginFields} ...${login} />
			<div class="buttons">
				<button type="submit" class="primary" disabled=${wait > 0} aria-busy=${form.busy}>Log in</button>
			</div>
			${!again && html`
				<p class="muted">Forgot your password? Ask an owner of your account or the operator for a new link.</p>`}
		<//>`;
}

/** The login over the view after the session has ended. */
export function Ended() {
	const waiting = useStore(ended);
	if (!waiting)
		return null;
	const done = () => {
		ended.set(null);
		waiting.done();
	};
	return html`
		<${Dialog} title="Log in again" close=${() => {}}>
			<${Login} again email=${session.get()?.email} onDone=${done} />
			<p><button type="button" class="small quiet" onClick=${() => location.reload()}>Log in as another user</button></p>
		<//>`;
}

function Confirm({ close }) {
	const login = useLogin(async values => {
		await post("session/confirm", { password: values.password, ...codeOf(values) }, { quiet: true });
		close(true);
	}, { hasCode: session.get()?.second_factor, named: "The password" });
	return html`
		<${Dialog} title="Confirm your password" close=${close}>
			<p>This change requires your password. You will not be asked again for 10 minutes.</p>
			<${Form} form=${login.form} onSubmit=${login.submit} submit="Confirm" cancel=${close}><${LoginFields} ...${login} /><//>
		<//>`;
}

/* ---- the link of an invitation or of a reset: #welcome/TOKEN ---- */

export function Welcome({ token, onDone }) {
	const [state, set] = useState({});
	const form = useForm({ password: "" });
	useEffect(() => {
		post("session/link", { token }, { quiet: true }).then(
			answer => set({ link: answer.value }),
			failure => set({ failure }),
		);
	}, [token]);
	async function submit() {
		const { password } = form.values;
		try {
			await post("session/link/use", { token, new_password: password }, { quiet: true });
		} catch (failure) {
			const wrong = failure.fields?.new_password;
			throw wrong ? Object.assign(failure, { fields: { password: wrong } }) : failure;
		}
		discardAnswers();
		try {
			session.set((await post("session", { email: state.link.email, password }, { quiet: true })).value);
		} catch (failure) {
			// the user may have a second factor: the login asks for it
			session.set(null);
		}
		onDone();
	}
	if (state.failure?.code === "link_not_valid")
		return html`
			<h1>This link is not valid</h1>
			<p>It was already used, replaced by a newer link, or has expired. Ask the person who invited you for a new link.</p>
			<p><a href="#/" onClick=${onDone}>Go to the login</a></p>`;
	if (state.failure)
		return html`<h1>Leadhook</h1><${Problem} failure=${state.failure} onRetry=${() => location.reload()} />`;
	if (!state.link)
		return html`<${Skeleton} lines=${2} />`;
	const { email, name, purpose } = state.link;
	const welcome = name ? `Welcome, ${name}` : "Welcome";
	return html`
		<h1>${purpose === "welcome" ? welcome : "Choose a new password"}</h1>
		<${Form} form=${form} onSubmit=${submit} submit="Set the password and log in" class="login">
			<p>For <strong>${email}</strong>.</p>
			<input type="email" class="offscreen" autocomplete="username" value=${email} readonly tabindex="-1"
				aria-hidden="true" />
			<${NewPassword} form=${form} name="password" label="Password" />
		<//>`;
}
