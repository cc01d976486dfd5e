// The state of the page is its address: a view, and parameters. Nothing is kept anywhere else.
import { useSyncExternalStore } from "react";

export type View = "pulse" | "jobs" | "queues" | "cluster" | "recorder";
export const views: View[] = ["pulse", "jobs", "queues", "cluster", "recorder"];

export interface Place { view: View; get(name: string): string }

let text = "";
let place: Place = parse("");

function parse(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const params = new URLSearchParams(query);
  const view = path === "timeline" ? "recorder" : views.find((v) => v === path) ?? "pulse"; // it was called so once
  return { view, get: (name) => params.get(name) ?? "" };
}

export function here(): Place {
  if (location.hash !== text) {
    text = location.hash;
    place = parse(text);
  }
  return place;
}

/** Parameters that go along from view to view. */
const carried = ["theme", "lang", "res", "at"];

/** address is the link to a view with parameters; "" takes one away. Those of the same view stay. */
export function address(view: View, patch: Record<string, string> = {}): string {
  const now = here();
  const old = new URLSearchParams(location.hash.split("?", 2)[1] ?? "");
  const params = new URLSearchParams();
  for (const [name, value] of old) if (view === now.view || carried.includes(name)) params.set(name, value);
  for (const [name, value] of Object.entries(patch)) {
    if (value === "") params.delete(name);
    else params.set(name, value);
  }
  const query = params.toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

/**
 * go moves the page; quietly, where going back should not undo each small step. Such a step is one within its view:
 * browsers tell late that a dialogue was closed or something unfolded, and a page that went elsewhere meanwhile stays.
 */
export function go(view: View, patch: Record<string, string> = {}, quietly = false): void {
  if (quietly && view !== here().view) return;
  const to = address(view, patch);
  if (to === location.hash) return;
  if (quietly) {
    history.replaceState(null, "", to);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = to;
}

export function usePlace(): Place {
  return useSyncExternalStore((told) => {
    addEventListener("hashchange", told);
    return () => removeEventListener("hashchange", told);
  }, here);
}
