// Nodes that are booked in advance: when, for what, and which pods may run on into a window.
import { useAnswer } from "../api";
import { clock, span } from "../amounts";
import { Drawer, Empty } from "../bits";
import { useWorld, type World } from "../store";
import type { Booking } from "../types";
import { address, go } from "../url";
import { t } from "../words";

/** useBookings are all that are known; none of a scheduler that knows no bookings. */
export function useBookings(): { list: Booking[]; unknown: string[] } {
  const { state, moment } = useWorld();
  const { data } = useAnswer<{ items: Booking[] | null; unknown?: string[] }>(state.source ? "/v1/bookings" : null, moment, state.source === "cluster" ? 10_000 : 1000);
  return { list: data?.items ?? [], unknown: data?.unknown ?? [] };
}

const phases: Record<string, string> = { Pending: "to come", Active: "now", Ended: "is over", Invalid: "invalid" };
const count = (b: Booking) => b.nodeCount ?? b.nodes.length;
const from = (b: Booking) => Date.parse(b.from ?? ""), to = (b: Booking) => Date.parse(b.to ?? "");

/** A moment as the page tells time: of a run its own, else UTC with the date. */
function timeOf(ms: number, { state, at }: World): string {
  const play = state.play;
  if (play) return clock(play.now + (ms - at) / 1000);
  return `${new Date(ms).toISOString().slice(5, 16).replace("T", " ")} UTC`;
}

/** How far a window is away. */
function away(b: Booking, at: number): string {
  if (!b.from || !b.to) return "";
  if (at < from(b)) return `${t("in")} ${span((from(b) - at) / 1000)}`;
  return at < to(b) ? `${t("ends in")} ${span((to(b) - at) / 1000)}` : "";
}

/** The windows on an axis of time, from now to the end of the last of them. */
export function Bookings({ list, unknown, open }: { list: Booking[]; unknown: string[]; open: string }) {
  const world = useWorld();
  const windows = list.filter((b) => b.from && b.to && to(b) > world.at);
  const begin = world.at, end = Math.max(begin + 60_000, ...windows.map(to));
  const place = (ms: number) => Math.min(100, Math.max(0, (100 * (ms - begin)) / (end - begin)));
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={t("Bookings")}>
      {unknown.map((u) => <p key={u} className="note">{u}</p>)}
      {list.length === 0 ? <Empty title={t("No nodes are booked")}>{t("A Booking keeps nodes free for a time: for maintenance, or for an owner.")}</Empty> : (
        <div className="card bookings">
          <div className="booking axis" aria-hidden="true"><span /><span><i>{t("now")}</i>{windows.length > 0 && <i>{timeOf(begin + (end - begin) / 2, world)}</i>}{windows.length > 0 && <i>{timeOf(end, world)}</i>}</span><span /></div>
          <ul>{list.map((b) => (
            <li key={b.name}>
              <button className="booking" aria-pressed={b.name === open} onClick={() => go("cluster", { booking: b.name === open ? "" : b.name, node: "" }, true)}>
                <span className="title"><b>{b.name}</b><small>{b.for === "maintenance" ? t("maintenance") : b.for}</small></span>
                <span className="stretch">{b.from && b.to && to(b) > begin && <i className={b.phase === "Active" ? "active" : ""} style={{ left: `${place(from(b))}%`, width: `max(4px, ${place(to(b)) - place(from(b))}%)` }} />}</span>
                <span className="figures"><span className={b.conflictCount > 0 ? "chip warn" : b.phase === "Invalid" ? "chip invalid" : "chip"}>{b.conflictCount > 0 ? `${b.conflictCount} ${t(b.conflictCount === 1 ? "conflict" : "conflicts")}` : t(phases[b.phase] ?? b.phase)}</span>
                  <small>{count(b)} {t(count(b) === 1 ? "node" : "nodes")}{away(b, begin) && ` · ${away(b, begin)}`}</small></span>
              </button>
            </li>
          ))}</ul>
        </div>
      )}
    </div>
  );
}

export function BookingDrawer({ name, list, onClose }: { name: string; list: Booking[]; onClose: () => void }) {
  const world = useWorld();
  const b = list.find((x) => x.name === name);
  if (!b) return <Drawer kind={t("Booking")} title={name} onClose={onClose}><Empty title={t("No such booking at this moment")} /></Drawer>;
  const conflicts = b.conflicts ?? [];
  return (
    <Drawer kind={t("Booking")} title={name} onClose={onClose}>
      <section><dl className="facts wider">
        <div><dt>{t("State")}</dt><dd>{t(phases[b.phase] ?? b.phase)}</dd></div>
        <div><dt>{t("Booked for")}</dt><dd>{b.for === "maintenance" ? t("maintenance") : b.for}</dd></div>
        {b.from && <div><dt>{t("From")}</dt><dd>{timeOf(from(b), world)}</dd></div>}
        {b.to && <div><dt>{t("To")}</dt><dd>{timeOf(to(b), world)}</dd></div>}
      </dl></section>
      {(b.message || b.endedEarly || (b.overlaps?.length ?? 0) > 0) && <section><ul className="plain">
        {b.message && <li>{b.message}</li>}
        {b.endedEarly && <li>{t("Its window was ended early: it was idle, from")} {timeOf(Date.parse(b.endedEarly), world)}</li>}
        {b.overlaps && b.overlaps.length > 0 && <li>{t("It overlaps")} {b.overlaps.map((o, i) => <span key={o}>{i > 0 && ", "}<a href={address("cluster", { booking: o })}>{o}</a></span>)}</li>}
      </ul></section>}
      {b.from && b.to && <section><h3>{t("Pods that may run on into it")} <span className="note">{b.conflictCount}</span></h3>
        {conflicts.length === 0 ? <p className="note">{t("None: its nodes are free in time.")}</p>
          : <><ul className="plain pods">{conflicts.slice(0, 50).map((c) => <li key={`${c.namespace}/${c.pod}`}><b>{c.pod}</b> <small>{c.namespace}</small><br /><a href={address("cluster", { as: "", node: c.node })}>{c.node}</a></li>)}</ul>
            <p className="note">{t("Nothing is evicted for a booking.")}</p></>}</section>}
      <section><h3>{t("Nodes")} <span className="note">{count(b)}</span></h3>
        <p className="places">{b.nodes.slice(0, 60).map((n) => <a key={n} className="chip" href={address("cluster", { as: "", node: n })}>{n}</a>)}{count(b) > Math.min(60, b.nodes.length) && <span className="note">+ {count(b) - Math.min(60, b.nodes.length)}</span>}</p>
        {b.nodes.length > 0 && <p className="asks"><a className="button" href={address("cluster", { as: "" })}>{t("Show them on the map")}</a></p>}</section>
    </Drawer>
  );
}

/** The bookings of one node, for its own panel. */
export function BookedFor({ node, list }: { node: string; list: Booking[] }) {
  const world = useWorld();
  const mine = list.filter((b) => b.nodes.includes(node) && b.from && b.to);
  if (mine.length === 0) return null;
  return (
    <section><h3>{t("It is booked")}</h3><ul className="plain">{mine.slice(0, 12).map((b) => (
      <li key={b.name}><a href={address("cluster", { booking: b.name, node: "" })}>{b.name}</a> <small>{timeOf(from(b), world)} – {timeOf(to(b), world)}</small></li>
    ))}</ul></section>
  );
}
