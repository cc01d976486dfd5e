// The figures of a run over time: those that the server kept, or what this page has seen itself.
import { useEffect, useState } from "react";
import { ask } from "./api";
import { amount } from "./amounts";
import { causeOf, placed, since, standOf, waiting } from "./derive";
import { current, useWorld, type World } from "./store";
import type { Point } from "./types";

const most = 1500;

/** pointOf is what a live cluster looks like now; amounts in the units of a Point. */
function pointOf(w: World, number: number, begin: number): Point {
  const p: Point = { number, cycle: w.state.cycle, seconds: (w.at - begin) / 1000, waiting: {}, jobs: w.jobs.size, running: 0, pods: 0, evicted: 0, bound: 0, oldest: 0, room: {}, used: {}, queues: {} };
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
  const parents = new Set([...w.queues.values()].map((q) => q.parent));
  for (const q of w.queues.values()) {
    if (parents.has(q.name) || Object.keys(p.queues).length >= 12) continue;
    p.queues[q.name] = Object.fromEntries(Object.entries(q.allocated).map(([r, a]) => [r, units(a, r)]));
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
  seen = [...seen, p];
  if (seen.length > most) seen = seen.filter((_, i) => i % 2 === 0);
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
