// SPDX-License-Identifier: MIT
// State from outside of components: shared values, and events of the window.
import { useEffect, useState } from "./hooks.js";

export function store(value) {
	const listeners = new Set();
	return {
		get: () => value,
		set(next) {
			value = typeof next === "function" ? next(value) : next;
			for (const listener of [...listeners]) listener(value);
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}

export function useStore(shared) {
	const [value, set] = useState(shared.get());
	useEffect(() => {
		set(() => shared.get());
		return shared.subscribe(next => set(() => next));
	}, [shared]);
	return value;
}

/** Listens to an event of the window. `inputs`: what `listen` depends on. */
export function useEvent(name, listen, inputs = []) {
	useEffect(() => {
		addEventListener(name, listen);
		return () => removeEventListener(name, listen);
	}, inputs);
}
