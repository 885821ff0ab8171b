// SPDX-License-Identifier: MIT
// A question before a view with something unsaved is left: by a link, by Back and Forward, by closing the tab.
import { useLayoutEffect } from "./hooks.js";
import { ask } from "./forms.js";

const UNSAVED = ["Discard the unsaved changes?", "Discard"];

const questions = []; // of what is unsaved: title, verb
let position = history.state?.position || 0; // of the place in the history of the tab
let asks = false;
let passes = false; // the next change of the place was confirmed
let timer = 0;
const RESTORE_MS = 20; // several changes in a row are taken back at once

history.replaceState({ position }, "");

/** Resolves to whether what is unsaved, if anything, may be lost. */
export function mayLeave() {
	const [title, verb] = questions.at(-1) || [];
	return title ? ask({ title, verb, cancel: "Stay" }) : Promise.resolve(true);
}

// It is before the listeners of views, which learn of the change when it may be made. Meanwhile the place is the old one again.
addEventListener("hashchange", event => {
	const target = history.state?.position ?? position + 1; // a new entry has no state
	const by = target - position;
	history.replaceState({ position: target }, "");
	if (by === 0 || passes || questions.length === 0) {
		position = target;
		passes = false;
		return;
	}
	event.stopImmediatePropagation();
	clearTimeout(timer);
	timer = setTimeout(() => history.state.position !== position && history.go(position - history.state.position), RESTORE_MS);
	if (asks)
		return;
	asks = true;
	mayLeave().then(leaves => {
		asks = false;
		passes = leaves;
		if (leaves) history.go(by);
	});
});

/** While `active`, leaving the view asks `title`; `verb` is the text of the button that leaves. */
export function useLeaveWarning(active, [title, verb] = UNSAVED) {
	useLayoutEffect(() => {
		if (!active)
			return undefined;
		const question = [title, verb];
		const warn = event => event.preventDefault();
		questions.push(question);
		addEventListener("beforeunload", warn);
		return () => {
			questions.splice(questions.indexOf(question), 1);
			removeEventListener("beforeunload", warn);
		};
	}, [active]);
}
