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

/** useAnswer asks again whenever `moment` changes, at most once in a while, and keeps the last answer meanwhile. */
export function useAnswer<T>(path: string | null, moment: number, every = 1000): { data?: T; error?: string } {
  const [got, setGot] = useState<{ path: string; data?: T; error?: string }>({ path: "" });
  const last = useRef({ path: "", at: 0 });
  useEffect(() => {
    if (path === null) return;
    let off = false;
    const wait = last.current.path === path ? Math.max(0, last.current.at + every - Date.now()) : 0;
    const timer = setTimeout(() => {
      last.current = { path, at: Date.now() };
      ask<T>(path).then((data) => { if (!off) setGot({ path, data }); },
        (e: Error) => { if (!off) setGot((old) => ({ path, error: e.message, ...(old.path === path && old.data !== undefined && { data: old.data }) })); });
    }, wait);
    return () => { off = true; clearTimeout(timer); };
  }, [path, moment, every]);
  return path !== null && got.path === path ? got : {};
}
