// What the scheduler says, followed over one stream. Rows are replaced, never changed, and views see whole moments.
import { useSyncExternalStore } from "react";
import { beganAt } from "./amounts";
import type { Event, Job, Node, Queue, State } from "./types";

export interface World {
  jobs: Map<string, Job>; queues: Map<string, Queue>; nodes: Map<string, Node>;
  state: State; at: number; // milliseconds since the epoch, by the scheduler's clock
  link: "opening" | "open" | "broken" | "shut"; // shut: another browser has the page
  why: string; // of a broken link
  moment: number; // grows with each change
}

export const jobKey = (j: Job): string => `${j.namespace}/${j.name}${j.owner ? `/${j.owner.kind}/${j.owner.uid ?? ""}` : ""}`;

let world: World = {
  jobs: new Map(), queues: new Map(), nodes: new Map(), state: { cycle: 0 }, at: 0, link: "opening", why: "", moment: 0,
};
const listeners = new Set<() => void>();

function set(patch: Partial<World>): void {
  world = { ...world, ...patch, moment: world.moment + 1 };
  for (const tell of listeners) tell();
}

export function useWorld(): World {
  return useSyncExternalStore((told) => {
    listeners.add(told);
    return () => listeners.delete(told);
  }, () => world);
}

export const current = (): World => world;

/** setState takes in a state that came as an answer, before the stream tells it. */
export const setState = (state: State): void => set({ state: { ...world.state, ...state } });

/** One moment while it is read: changed maps are copies, so that a view never sees half of it. */
class Moment {
  jobs?: World["jobs"]; queues?: World["queues"]; nodes?: World["nodes"];

  constructor(anew: boolean) {
    if (anew) Object.assign(this, { jobs: new Map(), queues: new Map(), nodes: new Map() });
  }

  take(e: Event): void {
    const gone = e.type === "DELETED";
    const put = <T>(m: Map<string, T>, key: string) => { if (gone) m.delete(key); else m.set(key, e.object as T); };
    switch (e.kind) {
      case "Job": put(this.jobs ??= new Map(world.jobs), jobKey(e.object as Job)); break;
      case "Queue": put(this.queues ??= new Map(world.queues), (e.object as Queue).name); break;
      case "Node": put(this.nodes ??= new Map(world.nodes), (e.object as Node).name); break;
    }
  }

  publish(e: Event): void {
    if (e.state?.play) beganAt(e.state.simulated ? 0 : Date.parse(e.state.play.began) / 1000);
    set({
      ...(this.jobs && { jobs: this.jobs }), ...(this.queues && { queues: this.queues }), ...(this.nodes && { nodes: this.nodes }),
      state: e.state ?? { ...world.state, cycle: Math.max(1, e.cycle) },
      at: Date.parse(e.at), link: "open", why: "",
    });
  }
}

const silence = 20_000; // milliseconds without a line after which the link counts as broken

async function once(): Promise<void> {
  const cut = new AbortController();
  let timer = setTimeout(() => cut.abort(), silence);
  try {
    const answer = await fetch("/v1/watch?kinds=jobs,queues,nodes", { signal: cut.signal, cache: "no-store" });
    if (answer.status === 401) { set({ link: "shut" }); return; }
    if (!answer.ok || !answer.body) {
      const told = (await answer.json().catch(() => undefined)) as { message?: string } | undefined;
      throw new Error(told?.message ?? `the scheduler answered ${answer.status}`);
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    let moment = new Moment(true);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => cut.abort(), silence);
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") continue;
        const e = JSON.parse(line) as Event;
        if (e.type === "ERROR") throw new Error((e.object as { message?: string })?.message ?? "the stream has ended");
        if (e.type === "BOOKMARK") { moment.publish(e); moment = new Moment(false); } else moment.take(e);
      }
    }
  } finally { clearTimeout(timer); }
}

/** introduce asks what is shown: after a scheduler went, it may be another one, of another version. */
function introduce(): void {
  void fetch("/v1/page").then((r) => (r.ok ? (r.json() as Promise<Partial<State>>) : {})).then((page: Partial<State>) => setState({ ...world.state, ...page }), () => undefined);
}

/** follow keeps the stream open for as long as the page is. */
export async function follow(): Promise<void> {
  introduce();
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    let why = "";
    try { await once(); } catch (e) { why = e instanceof Error ? e.message : String(e); }
    if (world.link === "shut") return;
    if (world.link === "open") wait = 500;
    introduce();
    set({ link: world.moment > 0 && world.state.cycle > 0 ? "broken" : world.link === "opening" ? "opening" : "broken", why });
    await new Promise((next) => setTimeout(next, wait));
  }
}
