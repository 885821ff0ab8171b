// SPDX-License-Identifier: MIT
// Asks before the user leaves unsaved changes: by a link, Back, Forward, or by closing the tab.
import { useLayoutEffect } from "./hooks.js";
import { confirmAction } from "./forms.js";

const UNSAVED = ["Discard the unsaved changes?", "Discard"];

const questions = []; // [title, verb] of each unsaved form
let position = history.state?.position || 0; // in the history of the tab
let isOpen = false; // the dialog
let passes = false; // the user has confirmed the next change of the place
let timer = 0;
const RESTORE_MS = 20; // several changes in a row are reverted together

history.replaceState({ position }, "");

/** Asks if anything is unsaved. Resolves to whether it may be lost. */
export function mayLeave() {
	const [title, verb] = questions.at(-1) || [];
	return title ? confirmAction({ title, verb, cancel: "Stay" }) : Promise.resolve(true);
}

// Runs before the listeners of views and dialogs. The old place is restored until the user has confirmed.
addEventListener("hashchange", event => {
	const target = history.state?.position ?? position + 1; // a new entry of the history has no state
	const by = target - position;
	history.replaceState({ position: target }, "");
	if (by === 0) { // the old place is back: the view and the question stay
		event.stopImmediatePropagation();
		return;
	}
	if (passes || questions.length === 0) {
		position = target;
		passes = false;
		return;
	}
	event.stopImmediatePropagation();
	clearTimeout(timer);
	timer = setTimeout(() => history.state.position !== position && history.go(position - history.state.position), RESTORE_MS);
	if (isOpen)
		return;
	isOpen = true;
	mayLeave().then(leaves => {
		isOpen = false;
		passes = leaves;
		if (leaves) history.go(by);
	});
});

/** While `active`, asks with this title before the view is left. `verb`: the text of the button that leaves. */
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
