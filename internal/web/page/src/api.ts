// Questions to the server that are no part of the stream.
import { useEffect, useRef, useState } from "react";

export async function ask<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(path, body === undefined ? { cache: "no-store" } : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const text = await answer.text();
  let document: unknown;
  try { document = JSON.parse(text); } catch { document = undefined; }
  if (!answer.ok) throw new Error((document as { message?: string })?.message ?? text.slice(0, 200));
  return document as T;
}

const refusedFor = 3000; // milliseconds until a question that was refused is asked again, at most

/** One question while it is shown. */
interface Run { at: number; timer: number; asking: boolean; stale: boolean; over: boolean }

/**
 * useAnswer asks again when `moment` changes, at most once in a while, and keeps the last answer meanwhile. One question
 * is asked at a time: an answer that takes longer than a moment lasts is awaited, not dropped.
 */
export function useAnswer<T>(path: string | null, moment: number, every = 1000): { data?: T; error?: string } {
  const [got, setGot] = useState<{ path: string; data?: T; error?: string }>({ path: "" });
  const run = useRef<Run>(undefined!);
  useEffect(() => {
    const r: Run = run.current = { at: 0, timer: 0, asking: false, stale: false, over: false };
    return () => { r.over = true; clearTimeout(r.timer); };
  }, [path]);
  useEffect(() => {
    if (path === null) return;
    const r = run.current;
    const plan = () => { r.timer = window.setTimeout(put, Math.max(0, r.at + every - Date.now())); };
    const put = () => {
      Object.assign(r, { at: Date.now(), timer: 0, asking: true, stale: false });
      ask<T>(path).then((data) => { if (!r.over) setGot({ path, data }); },
        (e: Error) => {
          r.at -= Math.max(0, every - refusedFor); // what was refused is asked again soon
          if (!r.over) setGot((old) => ({ path, error: e.message, ...(old.path === path && old.data !== undefined && { data: old.data }) }));
        })
        .finally(() => { r.asking = false; if (r.stale && !r.over) plan(); });
    };
    if (r.asking) r.stale = true;
    else if (r.timer === 0) plan();
  }, [path, moment, every]);
  return path !== null && got.path === path ? got : {};
}
