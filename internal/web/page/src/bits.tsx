// Small pieces that several views share.
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useLayoutEffect, useMemo, useRef, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { amount, resourceName, resourcesOf, show } from "./amounts";
import { standOf, type Stand } from "./derive";
import type { Job, Quantities, Queue } from "./types";
import { go, usePlace, type View } from "./url";
import { t } from "./words";

const standWords: Record<Stand, string> = {
  never: "never starts", waits: "waits", partly: "runs in part", starts: "starts", runs: "runs", ends: "ends", over: "is over",
};

/** A state as a shape and a word: never by colour alone. */
export function StandMark({ stand }: { stand: Stand }) {
  return <span className={`stand ${stand}`}><i aria-hidden="true" />{t(standWords[stand])}</span>;
}
export const Mark = ({ job }: { job: Job }) => <StandMark stand={standOf(job)} />;

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return <div className="empty"><h2>{title}</h2>{children && <p>{children}</p>}</div>;
}

/** useReturn gives the focus back when what has it goes: to where it came from, else to the list of the view. */
function useReturn(box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const own = box.current, from = document.activeElement as HTMLElement | null;
    return () => {
      if (!own?.contains(document.activeElement)) return;
      queueMicrotask(() => { // once it has gone
        const to = from?.isConnected && from !== document.body ? from : document.querySelector<HTMLElement>(".rows .scroll");
        to?.focus({ preventScroll: true });
      });
    };
  }, []);
}

/** A panel beside the view; on a phone it covers it. */
export function Drawer({ title, kind, onClose, children }: { title: string; kind: string; onClose: () => void; children: ReactNode }) {
  const box = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useReturn(box);
  // A list in which a person moves keeps the focus, so that the next arrow moves on; Enter goes from there to the panel.
  useEffect(() => { if (!document.activeElement?.closest(".rows .scroll")) box.current?.focus({ preventScroll: true }); }, [title]);
  useEffect(() => {
    const escape = (e: globalThis.KeyboardEvent) => { if (e.key === "Escape" && !document.querySelector("dialog[open]")) close.current(); };
    window.addEventListener("keydown", escape);
    return () => window.removeEventListener("keydown", escape);
  }, []);
  return (
    <aside className="drawer" ref={box} tabIndex={-1} aria-label={`${kind} ${title}`}>
      <header>
        <div><p className="kind">{kind}</p><h2 className="name" aria-live="polite">{title}</h2></div>
        <button className="icon" onClick={onClose} aria-label={t("Close")}>✕</button>
      </header>
      {/* It scrolls by keyboard even where nothing in it takes the focus. */}
      <div className="inside" tabIndex={0} role="group" aria-label={title}>{children}</div>
    </aside>
  );
}

/** toDrawer moves the focus from a list to the panel that is open, on Enter; it says whether it did. */
export function toDrawer(e: { key: string; target: EventTarget; currentTarget: EventTarget }): boolean {
  const box = e.key === "Enter" && e.target === e.currentTarget && document.querySelector<HTMLElement>(".drawer");
  if (box) box.focus({ preventScroll: true });
  return !!box;
}

/** The resource that a view is about: the one in the address, else the scarcest kind. */
export function useResource(lists: Iterable<Quantities>): [string, string[]] {
  const place = usePlace();
  const all = resourcesOf(lists);
  const asked = place.get("res");
  return [all.includes(asked) ? asked : all[0] ?? "cpu", all];
}

export function ResourcePicker({ view, value, all }: { view: View; value: string; all: string[] }) {
  if (all.length < 2) return null;
  return (
    <div className="segments" role="group" aria-label={t("Resource")}>
      {all.slice(0, 5).map((r) => (
        <button key={r} aria-pressed={r === value} title={r} onClick={() => go(view, { res: r }, true)}>{resourceName(r)}</button>
      ))}
    </div>
  );
}

/** What a queue holds, deserves, asks for and may have, on one scale. */
export function Bullet({ queue, resource, scale }: { queue: Queue; resource: string; scale: number }) {
  const v = (q: Quantities) => amount(q[resource]);
  const held = v(queue.allocated), deserved = v(queue.deserved), asked = v(queue.request), sure = v(queue.guarantee);
  const limit = queue.capability[resource] === undefined ? NaN : v(queue.capability);
  const at = (x: number) => `${Math.min(100, scale > 0 ? (100 * x) / scale : 0)}%`;
  const label = `${t("Allocated")} ${show(held, resource)}, ${t("Deserved")} ${show(deserved, resource)}, ${t("Requested")} ${show(asked, resource)}`;
  return (
    <div className="bullet" role="img" aria-label={label}>
      <span className="asked" style={{ width: at(asked) }} />
      <span className="held" style={{ width: at(Math.min(held, deserved || held)) }} />
      {held > deserved && deserved > 0 && <span className="over" style={{ left: at(deserved), width: `calc(${at(held)} - ${at(deserved)})` }} />}
      {sure > 0 && <span className="sure" style={{ width: at(sure) }} />}
      {!Number.isNaN(limit) && limit < scale && <span className="limit" style={{ left: at(limit) }} />}
      {deserved > 0 && <span className="tick" style={{ left: at(deserved) }} />}
    </div>
  );
}

/** One of many rows. While a list is scrolled only those that come into sight are drawn. */
const Row = memo(function Row({ row, name, at, start, height, selected, render, onOpen }: {
  row: unknown; name: string; at: number; start: number; height: number; selected: boolean;
  render: (row: unknown) => ReactNode; onOpen: (key: string) => void;
}) {
  return (
    <div role="row" aria-rowindex={at + 2} aria-selected={selected} className="row" style={{ transform: `translateY(${start}px)`, height }} onClick={() => onOpen(name)}>
      {render(row)}
    </div>
  );
});

/** useMost is the largest number so far. */
function useMost(n: number): number {
  const most = useRef(1);
  return (most.current = Math.max(most.current, n));
}

/** toList moves the focus from a button that goes with what it says to the list of the view. */
export const toList = (): void => document.querySelector<HTMLElement>(".rows .scroll")?.focus({ preventScroll: true });

/**
 * A list of which only the rows in sight exist. Arrows move the cursor, Enter opens. Without rows it is the same list,
 * with `none` in it: a person that moves in it by keyboard is still there when rows come.
 */
export function VirtualRows<T>({ rows, height, render, keyOf, selected, onOpen, label, columns, head, none }: {
  rows: T[]; height: number; render: (row: T) => ReactNode; keyOf: (row: T) => string; selected: string;
  onOpen: (key: string) => void; label: string; columns: string; head: ReactNode; none?: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => height, overscan: 12 });
  const shown = list.getVirtualItems();
  const kept = useMost(shown.length);
  const at = useMemo(() => rows.findIndex((r) => keyOf(r) === selected), [rows, selected]); // keys of 100 000 rows take a while
  const move = (e: KeyboardEvent) => {
    if (toDrawer(e)) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -rows.length, End: rows.length }[e.key];
    if (step === undefined || rows.length === 0) return;
    e.preventDefault();
    const to = Math.min(rows.length - 1, Math.max(0, (at < 0 && step > 0 ? -1 : at) + step));
    list.scrollToIndex(to);
    onOpen(keyOf(rows[to]!));
  };
  return (
    <div className={`rows ${columns}`} role="grid" aria-label={label} aria-rowcount={rows.length + 1}>
      <div className="row head" role="row">{head}</div>
      <div className="scroll" ref={box} tabIndex={0} onKeyDown={move} role="rowgroup" aria-label={label}>
        <div className="tall" style={{ height: list.getTotalSize() }}>
          {shown.map((item) => {
            const row = rows[item.index]!;
            const key = keyOf(row);
            // Rows that come into sight take the elements of those that went: making new ones costs most of a frame.
            return <Row key={item.index % kept} row={row} name={key} at={item.index} start={item.start} height={height} selected={key === selected} render={render as (row: unknown) => ReactNode} onOpen={onOpen} />;
          })}
        </div>
        {rows.length === 0 && none && <div role="row"><div role="gridcell">{none}</div></div>}
      </div>
    </div>
  );
}

export const Cell = ({ className = "", children, title }: { className?: string; children?: ReactNode; title?: string }) => (
  <div role="gridcell" className={className} title={title}>{children}</div>
);
