// SPDX-License-Identifier: MIT
// Numbers over time: as lines, by uPlot, which is loaded with the first chart, and as a table.
import { useEffect, useRef } from "./hooks.js";
import { count, day, full, hour, short, utcDay } from "./format.js";
import { useTheme } from "./frame.js";
import { Table, html } from "./ui.js";
import { zone } from "./zone.js";

/** Possible distances between grid lines: whole numbers. */
const STEPS = Array.from({ length: 9 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat();

let loading = null;
/** Resolves to uPlot; null: it cannot be loaded. */
function load() {
	loading ||= import("./uplot.js").then(
		module => {
			const style = document.createElement("link");
			style.rel = "stylesheet";
			style.href = new URL("./uplot.css", import.meta.url);
			document.head.append(style);
			return module.default;
		},
		() => {
			loading = null; // the next chart tries again
			return null;
		},
	);
	return loading;
}

const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Labels of the time axis: days; or hours, with the day below the first hour of each day. */
function labels(times, by) {
	let before = "";
	return times.map(seconds => {
		const date = by === "hour" ? day(seconds * 1000) : utcDay(seconds * 1000);
		const isNew = date !== before;
		before = date;
		if (by === "hour")
			return `${hour(seconds * 1000)}${isNew ? `\n${date}` : ""}`;
		return isNew ? date : "";
	});
}

/** Whether the hour or day of a point has not ended. */
const inProgress = (time, by) => time + (by === "hour" ? 3600e3 : 24 * 3600e3) > Date.now();

function nameOf(time, by) {
	const name = by === "hour" ? `${day(time)}, ${hour(time)}` : utcDay(time);
	return inProgress(time, by) ? `${name} (so far)` : name;
}

/** Dashes the lines to an hour or day that has not ended: solid lines would look like a drop. */
function dashLast(plot, by) {
	const last = plot.data[0].length - 1;
	if (last < 1 || !inProgress(plot.data[0][last] * 1000, by))
		return;
	const { ctx } = plot;
	ctx.save();
	ctx.lineWidth = 2 * devicePixelRatio;
	ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
	for (const [at, one] of plot.series.entries()) {
		if (at === 0 || !one.show)
			continue;
		ctx.strokeStyle = one.stroke(plot, at);
		ctx.beginPath();
		for (const point of [last - 1, last])
			ctx.lineTo(plot.valToPos(plot.data[0][point], "x", true), plot.valToPos(plot.data[at][point], "y", true));
		ctx.stroke();
	}
	ctx.restore();
}

/** The numbers of a chart as a table, newest first. */
function Numbers({ points, series, by, label }) {
	const columns = [
		[
			by === "hour" ? "Hour" : "Day (UTC)",
			point => html`<span title=${full(point.time)}>${nameOf(Date.parse(point.time), by)}</span>`,
			"row",
		],
		...series.map(([member, title]) => [title, point => count(point[member]), "number"]),
	];
	return html`
		<details>
			<summary>Show as a table</summary>
			<${Table} name=${label} rows=${[...points].reverse()} id=${point => point.time} columns=${columns} />
		</details>`;
}

/** The options of uPlot for a chart. */
function optionsOf(Plot, points, series, by) {
	const axis = {
		stroke: color("--muted"),
		grid: { stroke: color("--line"), width: 1 },
		ticks: { show: false },
		font: "12px system-ui",
	};
	const line = Plot.paths.linear();
	const complete = (last, times) => (inProgress(times[last] * 1000, by) ? Math.max(0, last - 1) : last);
	const time = {
		label: by === "hour" ? "Hour" : "Day (UTC)",
		value: (_, seconds) => (seconds === null ? "" : nameOf(seconds * 1000, by)),
	};
	const lines = series.map(([, label, number]) => ({
		label,
		stroke: color(`--series-${number}`),
		fill: number === 1 ? color("--accent-soft") : undefined,
		width: 2,
		paths: (one, at, from, to) => line(one, at, from, complete(to, one.data[0])),
		points: { show: points.length < 32, size: 5 },
		value: (_, value) => (value === null ? "" : count(value)),
	}));
	return {
		tzDate: seconds => Plot.tzDate(new Date(seconds * 1000), by === "hour" ? zone.get() : "Etc/UTC"),
		cursor: { drag: { x: false, y: false } },
		scales: { x: { time: true }, y: { range: (_, low, high) => [0, Math.max(4, high * 1.1)] } },
		axes: [
			{ ...axis, grid: { show: false }, space: 80, values: (_, times) => labels(times, by) },
			{ ...axis, size: 56, incrs: STEPS, values: (_, values) => values.map(short) },
		],
		hooks: { draw: [one => dashLast(one, by)] },
		series: [time, ...lines],
	};
}

/**
 * `points`: rows with `time`; `series`: [member, label, number of the color]; `by`: hour or day. Series that contain only
 * zeros are left out, except the first one.
 */
export function Chart({ points, series: all, by, label }) {
	const box = useRef(null);
	const series = all.filter(([member], at) => at === 0 || points.some(point => point[member] > 0));
	const shape = `${series.map(([member]) => member).join()} ${by} ${useTheme()} ${zone.get()}`;
	const data = useRef(null);
	data.current = [
		points.map(point => Date.parse(point.time) / 1000),
		...series.map(([member]) => points.map(point => point[member])),
	];
	const plot = useRef(null);
	useEffect(() => {
		let gone = false;
		const size = () => ({ width: box.current.clientWidth, height: box.current.clientWidth < 500 ? 180 : 260 });
		const watch = new ResizeObserver(() => requestAnimationFrame(() => box.current && plot.current?.setSize(size())));
		load().then(Plot => {
			if (!Plot || gone || !box.current)
				return;
			plot.current = new Plot({ ...size(), ...optionsOf(Plot, points, series, by) }, data.current, box.current);
			watch.observe(box.current);
		});
		return () => {
			gone = true;
			watch.disconnect();
			plot.current?.destroy();
			plot.current = null;
		};
	}, [shape]);
	useEffect(() => {
		plot.current?.setData(data.current);
	}, [points]);
	return html`
		<div class="chart" ref=${box} role="img" aria-label=${label} />
		<${Numbers} points=${points} series=${series} by=${by} label=${label} />`;
}
