// What the page makes of documents: only what the eye needs, nothing that a decision rests on.
import { amount, span } from "./amounts";
import type { Job, Queue, Reason, Start, State } from "./types";
import { t } from "./words";

export type Stand = "never" | "waits" | "partly" | "runs" | "starts" | "ends" | "over";
export const stands: Stand[] = ["never", "waits", "partly", "starts", "runs", "ends", "over"];

const on = (j: Job) => (j.tasks.Running ?? 0) + (j.tasks.Bound ?? 0);

/** standOf says in a word where a job stands. */
export function standOf(j: Job): Stand {
  const t = j.tasks;
  const total = members(j);
  const ended = (t.Succeeded ?? 0) + (t.Failed ?? 0);
  if (j.reason.code === "BindInFlight") return "starts";
  if (j.reason.code !== "") return on(j) > 0 ? "partly" : j.reason.never ? "never" : "waits";
  if (total > 0 && ended === total || j.phase === "Completed") return "over";
  if (on(j) > 0) return "runs";
  if ((t.Releasing ?? 0) > 0) return "ends";
  if ((t.Binding ?? 0) + (t.Allocated ?? 0) > 0) return "starts";
  return total === 0 ? "over" : "waits";
}

/** causeOf is the code of what stops a job: for a gang, what stops the member that has no place. */
export const causeOf = (j: Job): string => j.reason.cause ?? j.reason.code;

export const waiting = (s: Stand): boolean => s === "waits" || s === "never" || s === "partly";
export const members = (j: Job): number => Object.values(j.tasks).reduce((a, b) => a + b, 0);
export const placed = (j: Job): number => on(j) + (j.tasks.Binding ?? 0) + (j.tasks.Succeeded ?? 0);

/** evictionsEach is how often evictions are asked for, in milliseconds: of a live cluster they are read from its events. */
export const evictionsEach = (s: State): number => (s.source === "cluster" ? 10_000 : 1000);

/** since is for how many seconds a job has been there, by the scheduler's clock; NaN where it is not known. */
export function since(j: Job, at: number, simulated: boolean): number {
  if (j.created) return Math.max(0, (at - Date.parse(j.created)) / 1000);
  return simulated && at < 1e12 ? at / 1000 : NaN;
}

/** startOf is a start for a cell of a table: "in 10m–40m", "in 10m–?" where the latest time is not known, else why not. */
export function startOf(s: Start | undefined, at: number): string {
  if (!s) return "";
  const away = (text: string | undefined) => (text ? span(Math.max(0, (Date.parse(text) - at) / 1000)).split(" ")[0]! : "");
  const from = away(s.earliest), to = away(s.latest);
  if (from === "" && to === "") return s.unknown === "DoesNotStart" ? t("never") : "?";
  return `${t("in")} ${from === "" || from === to ? to : to === "" ? `${from}–?` : `${from}–${to}`}`;
}

/** parts cuts a reason's message at its semicolons, but not within brackets. What its evicting actions say is left out. */
export function parts(r: Reason): string[] {
  const at = r.evicting ? r.message.lastIndexOf(`; ${r.evicting.action}: `) : -1;
  return cut(at > 0 ? r.message.slice(0, at) : r.message);
}

function cut(text: string): string[] {
  const out: string[] = [];
  let depth = 0, begin = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "(") depth++;
    else if (c === ")") depth = Math.max(0, depth - 1);
    else if (c === ";" && depth === 0 && text[i + 1] === " ") { out.push(text.slice(begin, i)); begin = i + 2; }
  }
  out.push(text.slice(begin));
  return out.filter((s) => s.trim() !== "");
}

/** short is a reason in one line: what stops it, without the gang's own sentence where a cause follows. */
export function short(r: Reason): string {
  const all = parts(r);
  const first = all[0] ?? "";
  return r.never ? first : all.length > 1 && r.code === "GangIncomplete" ? `${first.replace(/ \(.*\)$/, "")}; ${all[1]}` : first;
}

/** borrowed is how much a queue holds above what it deserves; 0 where that is not more, or nothing is deserved anywhere. */
export const borrowed = (q: Queue, resource: string): number =>
  Math.max(0, amount(q.allocated[resource]) - amount(q.deserved[resource]));

/** lacking is how much a queue holds below what it deserves. */
export const lacking = (q: Queue, resource: string): number =>
  Math.max(0, amount(q.deserved[resource]) - amount(q.allocated[resource]));

/** beside are the queues of one parent that hold more than they deserve, and those that hold less, the largest first. */
export function beside(queues: Iterable<Queue>, parent: string, resource: string): { over: [string, number][]; under: [string, number][] } {
  const over: [string, number][] = [], under: [string, number][] = [];
  for (const q of queues) {
    if (q.parent !== parent || q.name === "root") continue;
    const more = borrowed(q, resource), less = lacking(q, resource);
    if (more > 0) over.push([q.name, more]);
    if (less > 0) under.push([q.name, less]);
  }
  const largest = (a: [string, number], b: [string, number]) => b[1] - a[1];
  return { over: over.sort(largest), under: under.sort(largest) };
}

export interface Row { queue: Queue; depth: number; children: number }

/** tree lists queues as a tree, without recursion: a chain may be thousands long. Queues in a ring come last. */
export function tree(queues: Iterable<Queue>, open: (name: string) => boolean): Row[] {
  const below = new Map<string, Queue[]>();
  const known = new Map<string, Queue>();
  for (const q of queues) known.set(q.name, q);
  const tops: Queue[] = [];
  for (const q of known.values()) {
    if (!q.parent || !known.has(q.parent)) tops.push(q);
    else { const l = below.get(q.parent); if (l) l.push(q); else below.set(q.parent, [q]); }
  }
  const byName = (a: Queue, b: Queue) => (a.name < b.name ? 1 : -1);
  const out: Row[] = [];
  const seen = new Set<string>();
  const walk = (from: Queue[]) => {
    const stack = [...from].sort(byName).map((queue) => ({ queue, depth: 0 }));
    for (let top = stack.pop(); top; top = stack.pop()) {
      if (seen.has(top.queue.name)) continue;
      seen.add(top.queue.name);
      const children = below.get(top.queue.name) ?? [];
      out.push({ ...top, children: children.length });
      const depth = top.depth + 1;
      if (open(top.queue.name)) for (const queue of [...children].sort(byName)) stack.push({ queue, depth });
      else hide(children, below, seen);
    }
  };
  walk(tops);
  walk([...known.values()].filter((q) => !seen.has(q.name)));
  return out;
}

function hide(from: Queue[], below: Map<string, Queue[]>, seen: Set<string>): void {
  const stack = [...from];
  for (let q = stack.pop(); q; q = stack.pop()) {
    if (seen.has(q.name)) continue;
    seen.add(q.name);
    stack.push(...(below.get(q.name) ?? []));
  }
}
