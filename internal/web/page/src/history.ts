// The figures of a run over time: those that the server kept, or what this page has seen itself.
import { useEffect, useMemo, useState } from "react";
import { ask, useAnswer } from "./api";
import { amount } from "./amounts";
import { causeOf, placed, since, standOf, waiting } from "./derive";
import { current, useWorld, type World } from "./store";
import type { Point, QueueHistory } from "./types";

const most = 1500;

/** pointOf is what a live cluster looks like now; amounts in the units of a Point. */
function pointOf(w: World, number: number, begin: number): Point {
  const p: Point = { number, cycle: w.state.cycle, seconds: (w.at - begin) / 1000, waiting: {}, jobs: w.jobs.size, running: 0, pods: 0, evicted: 0, bound: 0, oldest: 0, room: {}, used: {} };
  for (const j of w.jobs.values()) {
    if (waiting(standOf(j))) {
      p.waiting[causeOf(j)] = (p.waiting[causeOf(j)] ?? 0) + 1;
      p.oldest = Math.max(p.oldest, since(j, w.at, false) || 0);
    } else if (placed(j) > 0) p.running++;
  }
  for (const n of w.nodes.values()) {
    for (const [r, q] of Object.entries(n.allocatable)) p.room[r] = (p.room[r] ?? 0) + units(q, r);
    for (const [r, q] of Object.entries(n.used)) p.used[r] = (p.used[r] ?? 0) + units(q, r);
  }
  return p;
}

const whole = (r: string) => r === "memory" || r === "pods" || r === "ephemeral-storage" || r.startsWith("hugepages-");
const units = (q: string, r: string) => amount(q) * (whole(r) ? 1 : 1000);

/** inUnits is an amount of a Point as a number of the resource. */
export const inUnits = (v: number | undefined, resource: string): number => (v ?? 0) / (whole(resource) ? 1 : 1000);

// What this page has seen of a live cluster since it was opened, whichever view was shown.
let seen: Point[] = [];
let begun = 0;
let had = new Map<string, number>(); // by job: how many of its pods had a place at the last of these moments
const apart = 1; // seconds between two points, at least

/** openedAt is when the first moment was seen, in milliseconds since the epoch by the scheduler's clock; 0: none was. */
export const openedAt = (): number => begun;

// What queues held and deserved at these moments, in the units of a Point; NaN where a queue was not there.
interface Line { queue: string; resource: string; held: number[]; deserved: number[] }
const lines = new Map<string, Line>();
const followed = new Set<string>();
const mostFollowed = 64; // queues: those that came first, and those that were chosen

/** noteQueues adds a value to each line, so that there is one for each moment; before is how many there were. */
function noteQueues(w: World, before: number): void {
  for (const q of w.queues.values()) {
    if (!followed.has(q.name)) {
      if (followed.size >= mostFollowed) continue;
      followed.add(q.name);
    }
    for (const r of new Set([...Object.keys(q.allocated), ...Object.keys(q.deserved)])) {
      if (r === "pods") continue;
      const key = `${q.name}\n${r}`;
      let line = lines.get(key);
      if (!line) lines.set(key, line = { queue: q.name, resource: r, held: new Array<number>(before).fill(NaN), deserved: new Array<number>(before).fill(NaN) });
    }
  }
  for (const line of lines.values()) {
    const q = w.queues.get(line.queue);
    line.held.push(q ? units(q.allocated[line.resource] ?? "0", line.resource) : NaN);
    line.deserved.push(q ? units(q.deserved[line.resource] ?? "0", line.resource) : NaN);
  }
}

/** seenOf is what was seen of queues: those that are named, and as many of those that held the most. */
function seenOf(w: World, resource: string, names: string[], most: number): QueueHistory {
  for (const name of names) followed.add(name);
  const sums = new Map<string, number>();
  const parents = new Set([...w.queues.values()].map((q) => q.parent));
  for (const l of lines.values()) if (l.resource === resource && !parents.has(l.queue)) sums.set(l.queue, l.held.reduce((a, b) => a + (b || 0), 0));
  const largest = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most).map(([name]) => name);
  const told = (list: number[] | undefined) => (list ?? seen.map(() => NaN)).map((v) => (Number.isNaN(v) ? null : v));
  return { resource, seconds: seen.map((p) => p.seconds), queues: [...new Set([...names, ...largest])].map((name) => {
    const line = lines.get(`${name}\n${resource}`);
    return { name, held: told(line?.held), deserved: told(line?.deserved) };
  }) };
}

/** note adds the moment of a live cluster, and returns all that were seen. A moment that was noted changes nothing. */
export function note(w: World): Point[] {
  if (w.at === 0 || w.state.play !== undefined) return seen;
  if (begun === 0) begun = w.at;
  const last = seen.at(-1);
  if (last && last.seconds + apart > (w.at - begun) / 1000) return seen;
  const p = pointOf(w, (last?.number ?? 0) + 1, begun), has = new Map<string, number>();
  let started = 0;
  for (const [key, j] of w.jobs) {
    has.set(key, placed(j));
    if (last) started += Math.max(0, placed(j) - (had.get(key) ?? 0));
  }
  p.bound = (last?.bound ?? 0) + started;
  had = has;
  noteQueues(w, seen.length);
  seen = [...seen, p];
  if (seen.length > most) {
    const half = <T>(list: T[]) => list.filter((_, i) => i % 2 === 0);
    seen = half(seen);
    for (const l of lines.values()) Object.assign(l, { held: half(l.held), deserved: half(l.deserved) });
  }
  return seen;
}

export function useHistory(): Point[] {
  const world = useWorld();
  const [points, setPoints] = useState<Point[]>([]);
  const simulated = world.state.play !== undefined;
  useEffect(() => {
    if (!simulated) return;
    let off = false;
    const load = () => ask<{ items: Point[] }>("/v1/history").then((h) => { if (!off) setPoints(h.items); }, () => undefined);
    void load();
    const timer = setInterval(() => { if (current().state.play?.playing) void load(); }, 1500);
    return () => { off = true; clearInterval(timer); };
  }, [simulated, world.state.play?.playing, world.state.play?.edge === world.state.play?.now]);
  return simulated ? points : note(world);
}

/**
 * useQueueHistory is what queues held and deserved over time: those that are named, and as many of those that held the
 * most. Of a live cluster it is what this page has seen.
 */
export function useQueueHistory(resource: string, names: string[], most: number): QueueHistory | undefined {
  const world = useWorld();
  const simulated = world.state.play !== undefined;
  const query = new URLSearchParams([["resource", resource], ["most", String(most)], ...names.map((n) => ["queue", n])]);
  const { data } = useAnswer<QueueHistory>(simulated ? `/v1/history/queues?${query}` : null, world.moment, 1500);
  const points = note(world);
  const live = useMemo(() => (simulated ? undefined : seenOf(world, resource, names, most)), [simulated, points, resource, names.join("\n"), most]);
  return simulated ? data : live;
}
