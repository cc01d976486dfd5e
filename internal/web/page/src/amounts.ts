// Kubernetes' quantities, for the eye.
import type { Quantities } from "./types";

const suffix: Record<string, number> = {
  n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

const read = new Map<string, number>(); // nodes have the same few quantities again and again

/** amount is a quantity as a number; 0 where there is none. */
export function amount(q: string | undefined): number {
  if (!q) return 0;
  let x = read.get(q);
  if (x === undefined) {
    if (read.size > 20_000) read.clear();
    read.set(q, x = parsed(q));
  }
  return x;
}

function parsed(q: string): number {
  const m = /^([+-]?[0-9.]+(?:e[+-]?[0-9]+)?)([A-Za-z]*)$/.exec(q);
  return m ? Number(m[1]) * (m[2] ? suffix[m[2]] ?? 1 : 1) : 0;
}

const inBytes = (resource: string) => resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");

/** show writes a number of a resource, short. */
export function show(value: number, resource: string): string {
  if (inBytes(resource)) {
    const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
    let i = 0;
    while (Math.abs(value) >= 1024 && i < units.length - 1) { value /= 1024; i++; }
    return `${short(value)}${units[i]}`;
  }
  return short(value);
}

function short(x: number): string {
  const a = Math.abs(x);
  if (a >= 10_000) return Math.round(x).toLocaleString("en").replaceAll(",", " ");
  if (a >= 100 || Number.isInteger(x)) return String(Math.round(x));
  return String(Math.round(x * 10) / 10);
}

/** resourceName is what people call a resource. */
export function resourceName(resource: string): string {
  if (resource === "cpu") return "CPU";
  if (resource === "memory") return "Memory";
  if (resource === "pods") return "Pods";
  const last = resource.split("/").pop() ?? resource;
  return last.length <= 4 ? last.toUpperCase() : last;
}

const rank = (r: string) => (r.endsWith("/gpu") || r.includes("gpu") ? 0 : r.includes("/") ? 1 : r === "cpu" ? 2 : r === "memory" ? 3 : r === "pods" ? 9 : 5);

/** resourcesOf lists the resources of amounts: devices first, since they are scarce. */
export function resourcesOf(lists: Iterable<Quantities>): string[] {
  const found = new Set<string>();
  for (const q of lists) for (const name of Object.keys(q)) found.add(name);
  return [...found].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** span is a time for the eye: its two largest units. */
export function span(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  let left = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, name] of [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]] as const) {
    const n = Math.floor(left / unit);
    left -= n * unit;
    if (n > 0 || (unit === 1 && parts.length === 0)) parts.push(`${n}${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

// When a run that was recorded began, in seconds since the epoch; 0: it is a simulation, with a time of its own.
let begun = 0;
export function beganAt(seconds: number): void { begun = seconds; }

/** day is the date of a moment of a recording; "" of a simulation. */
export const day = (seconds: number): string => (begun > 0 ? `${new Date((begun + seconds) * 1000).toISOString().slice(0, 10)} UTC` : "");

/** clock is a time of a run as hours, minutes and seconds: virtual, or UTC for what was recorded. */
export function clock(seconds: number): string {
  if (begun > 0) return new Date((begun + Math.max(0, seconds)) * 1000).toISOString().slice(11, 19);
  const s = Math.max(0, Math.floor(seconds));
  const two = (n: number) => String(n).padStart(2, "0");
  const days = Math.floor(s / 86400);
  return `${days ? `${days}d ` : ""}${two(Math.floor(s / 3600) % 24)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

/** duration reads what Go writes: 1h2m3.5s. */
export function duration(text: string): number {
  let sum = 0;
  for (const m of text.matchAll(/([0-9.]+)(h|ms|m|s)/g)) sum += Number(m[1]) * { h: 3600, m: 60, s: 1, ms: 1e-3 }[m[2] as "h"]!;
  return sum;
}
