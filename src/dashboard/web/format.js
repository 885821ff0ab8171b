// SPDX-License-Identifier: MIT
// Numbers and times for people: in English, times in the time zone of the account.
import { formatOf } from "./zone.js";

const numbers = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const DAYS = { day: "numeric", month: "short" };
const DAYS_OF_YEARS = { ...DAYS, year: "numeric" };
const CLOCK = { hour: "2-digit", minute: "2-digit" };
const CLOCK_OF_SECONDS = { ...CLOCK, second: "2-digit" };

const DAY = 24 * 3600;
const UNITS = [["day", DAY], ["hour", 3600], ["minute", 60]]; // in seconds

/** 13248 → "13,248". */
export const count = value => numbers.format(value);

/** 13248 → "13.2K". */
export const short = value => (value < 10000 ? numbers.format(value) : compact.format(value));

/** "1 lead", "2 leads". */
export const plural = (value, one, many = `${one}s`) => `${numbers.format(value)} ${value === 1 ? one : many}`;

/** A part of a whole in percent: "42 %"; an en dash when the whole is 0. */
export function percent(part, whole) {
	if (!whole)
		return "–";
	const value = (100 * part) / whole;
	return `${value > 0 && value < 1 ? "<1" : value > 99 && value < 100 ? ">99" : Math.round(value)} %`;
}

/** The change of a value in percent; null: the value before is too small to compare with. */
export function change(value, before) {
	return before < 20 ? null : Math.round((100 * (value - before)) / before);
}

/** A change in percent: "↑ 12 %". */
export const growth = by => `${by < 0 ? "↓" : "↑"} ${count(Math.abs(by))} %`;

/** A duration in minutes, hours or days: [number, unit]. */
function measured(seconds) {
	const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) || UNITS.at(-1);
	return [Math.round(seconds / size), unit];
}

/** "3 minutes ago", "in 2 hours", "14 Nov". */
export function ago(time, now = Date.now()) {
	const seconds = (new Date(time).getTime() - now) / 1000;
	if (Math.abs(seconds) < 45)
		return seconds > 0 ? "in a moment" : "just now";
	return isNear(time, now) ? relative.format(...measured(seconds)) : day(time);
}

/** Whether `ago` gives a duration, not a day. */
export const isNear = (time, now = Date.now()) => Math.abs(new Date(time).getTime() - now) < 7 * DAY * 1000;

/** How long something has lasted: "3 minutes". */
export function lasting(time, now = Date.now()) {
	const [number, unit] = measured(Math.max(0, now - new Date(time).getTime()) / 1000);
	return plural(Math.max(1, number), unit);
}

/** "14 Nov", or in another year "14 Nov 2025". */
export function day(time, timeZone) {
	const yearOf = moment => formatOf({ year: "numeric" }, timeZone).format(new Date(moment));
	return formatOf(yearOf(time) === yearOf(Date.now()) ? DAYS : DAYS_OF_YEARS, timeZone).format(new Date(time));
}

/** A day in UTC, like those of statistics. */
export const utcDay = time => day(time, "UTC");

/** "2026-12-06" → "Sunday 6 December". */
export const weekday = text => formatOf({ weekday: "long", day: "numeric", month: "long" }, "UTC").format(new Date(`${text}T00:00:00Z`));

export const second = time => formatOf(CLOCK_OF_SECONDS).format(new Date(time));
export const hour = time => formatOf(CLOCK).format(new Date(time));

/** "14 Nov 2026, 09:30:12 CET". */
export const full = time => formatOf({ ...DAYS_OF_YEARS, ...CLOCK_OF_SECONDS, timeZoneName: "short" }).format(new Date(time));

/** 84 → "84 ms", 1530 → "1.5 s". */
export function duration(milliseconds) {
	if (milliseconds < 1000)
		return `${Math.round(milliseconds)} ms`;
	return milliseconds < 60e3 ? `${(milliseconds / 1000).toFixed(1)} s` : plural(...measured(milliseconds / 1000));
}

export function bytes(size) {
	for (const unit of ["bytes", "KB", "MB", "GB"]) {
		if (size < 1000)
			return `${size < 10 && unit !== "bytes" ? size.toFixed(1) : Math.round(size)} ${unit}`;
		size /= 1000;
	}
	return `${size.toFixed(1)} TB`;
}

/** "postal_code" → "Postal code". */
export const labelOf = name => `${name[0].toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;
