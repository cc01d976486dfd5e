// A curve over time, by uPlot, in the page's colours. Each has its figures in words beside it.
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { clock } from "./amounts";
import { usePlace } from "./url";

export interface Curve { label: string; values: (number | null)[]; color: string; fill?: boolean; dash?: boolean }

const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const paint = (color: string): string => token(color);

/** soft is a colour on the page's ground, opaque: what lies below a curve does not shine through. */
function soft(color: string): string {
  const rgb = (hex: string) => (hex.length === 4 ? [1, 2, 3].map((i) => parseInt(hex.charAt(i).repeat(2), 16)) : [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  const [a, b] = [rgb(token(color)), rgb(token("--surface"))];
  return `rgb(${a.map((x, i) => Math.round(x * 0.62 + b[i]! * 0.38)).join(" ")})`;
}

/** Steps of a time axis, in seconds. */
const steps = [1, 5, 15, 30, 60, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];

export function Chart({ seconds, curves, show, now, label, height = 180, top = 0 }: {
  seconds: number[]; curves: Curve[]; show: (v: number) => string; now: number; label: string; height?: number;
  top?: number; // the scale reaches at least so far
}) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const cursor = useRef(now);
  cursor.current = now;
  const theme = usePlace().get("theme");
  const shape = `${curves.map((c) => c.label + c.color).join("|")}|${theme}|${top}`;
  useEffect(() => {
    const here = box.current;
    if (!here) return;
    const ink = token("--ink-3"), line = token("--line");
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const make = () => new uPlot({
      width: here.clientWidth || 600, height, legend: { show: false }, padding: [8, 24, 0, 0],
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: (_u, _min, max) => [0, Math.max(max, top) > 0 ? Math.max(max, top) * 1.08 : 1] } },
      axes: [{ ...axis, size: 28, incrs: steps, values: (_u, v, _axis, _space, step) => v.map((x) => (step < 60 ? clock(x) : clock(x).slice(0, -3).replace(/d 00:00$/, "d"))), space: 90 }, { ...axis, size: 52, values: (_u, v) => v.map(show) }],
      series: [{}, ...curves.map((c) => ({
        label: c.label, stroke: paint(c.color), width: c.fill ? 1 : 1.75, points: { show: false },
        ...(c.fill && { fill: soft(c.color) }), ...(c.dash && { dash: [5, 4] }),
      }))],
      hooks: { draw: [(u) => {
        const x = u.valToPos(cursor.current, "x", true);
        if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width + 1)) return;
        u.ctx.save();
        u.ctx.strokeStyle = ink;
        u.ctx.lineWidth = devicePixelRatio;
        u.ctx.beginPath();
        u.ctx.moveTo(x, u.bbox.top);
        u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
        u.ctx.stroke();
        u.ctx.restore();
      }] },
    }, [seconds, ...curves.map((c) => c.values)] as uPlot.AlignedData, here);
    plot.current = make();
    const sized = new ResizeObserver(() => plot.current?.setSize({ width: here.clientWidth, height }));
    sized.observe(here);
    const media = matchMedia("(prefers-color-scheme: dark)");
    const recolour = () => { plot.current?.destroy(); plot.current = make(); };
    media.addEventListener("change", recolour);
    return () => { sized.disconnect(); media.removeEventListener("change", recolour); plot.current?.destroy(); plot.current = null; };
    // Data is set below; only another shape needs another plot.
  }, [shape, height]);
  useEffect(() => {
    plot.current?.setData([seconds, ...curves.map((c) => c.values)] as uPlot.AlignedData);
  }, [seconds, curves, now]);
  return (
    <figure className="chart">
      <div ref={box} role="img" aria-label={label} />
      <figcaption><ul className="key">{curves.map((c) => <li key={c.label}><i style={c.dash ? { borderTop: `2px dashed var(${c.color})` } : { background: `var(${c.color})` }} className={c.dash ? "dashed" : ""} /><span title={c.label}>{c.label}</span></li>)}</ul></figcaption>
    </figure>
  );
}

/** Colours of kinds, told apart also by those who do not see all of them. */
export const palette = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];

/** stacked makes curves that lie on each other; the topmost first, so that lower ones are drawn over it. */
export function stacked(parts: { label: string; values: number[]; color: string }[]): Curve[] {
  const sums: number[] = [];
  const out: Curve[] = [];
  for (const p of parts) {
    p.values.forEach((v, i) => { sums[i] = (sums[i] ?? 0) + v; });
    out.push({ label: p.label, color: p.color, fill: true, values: [...sums] });
  }
  return out.reverse();
}
