// Evictions: of the last hour by rule and queue, and each with its record.
import { useMemo } from "react";
import { useAnswer } from "../api";
import { amount, clock, duration, resourceName, resourcesOf, show, span } from "../amounts";
import { Drawer, Empty, toList } from "../bits";
import { evictionsEach } from "../derive";
import { useWorld, type World } from "../store";
import type { Eviction, Evictions, Quantities } from "../types";
import { address, go } from "../url";
import { t } from "../words";

/** useEvictions are all that are known up to the moment that is shown, the newest first. */
export function useEvictions(): { data?: Evictions; error?: string } {
  const world = useWorld();
  return useAnswer<Evictions>(world.state.source ? "/v1/evictions" : null, world.moment, evictionsEach(world.state));
}

export const keyOf = (e: Eviction) => `${e.at ?? e.time}/${e.namespace}/${e.name}`;

/**
 * found is the eviction of a key. A scheduler that acts since knows of it by its event alone, which is a moment later than
 * what the scheduler before had recorded.
 */
export function found(list: Eviction[], key: string): Eviction | undefined {
  const about = (e: Eviction) => !!e.at && key.endsWith(`/${e.namespace}/${e.name}`) && Math.abs(Date.parse(e.at) - Date.parse(key.slice(0, key.indexOf("/")))) < 60_000;
  return list.find((e) => keyOf(e) === key) ?? list.find(about);
}

const amounts = (q: Quantities | undefined) => resourcesOf([q ?? {}]).filter((r) => r !== "pods").map((r) => `${show(amount(q?.[r]), r)} ${resourceName(r)}`).join(", ");
export const heldBy = (e: Eviction) => (e.record && !e.record.ofEvent ? amounts(e.record.held) : "");
export const timeOf = (e: Eviction) => e.at?.slice(11, 19) ?? clock(duration(e.time));

const hour = 3600;

/** ageOf is for how many seconds an eviction is past, by the scheduler's clock. */
const ageOf = (e: Eviction, w: World) => (e.at ? (w.at - Date.parse(e.at)) / 1000 : (w.state.play?.now ?? 0) - duration(e.time));

export interface Group { action: string; queue: string; pods: number }

/** lastHour sums evictions of the last hour up by rule and by the queue that lost the pods, the most first. */
export function lastHour(list: Eviction[], w: World): { pods: number; groups: Group[] } {
  const groups = new Map<string, Group>();
  let pods = 0;
  for (const e of list) {
    if (ageOf(e, w) >= hour) break; // the newest come first
    pods++;
    const key = `${e.action} ${e.queue}`, had = groups.get(key);
    if (had) had.pods++;
    else groups.set(key, { action: e.action, queue: e.queue, pods: 1 });
  }
  return { pods, groups: [...groups.values()].sort((a, b) => b.pods - a.pods || (a.action + a.queue < b.action + b.queue ? -1 : 1)) };
}

/** The evictions of the last hour, by rule and queue; each leads to those that it counts. */
export function EvictedLately({ data, error }: { data?: Evictions; error?: string }) {
  const world = useWorld();
  const { groups } = useMemo(() => lastHour(data?.items ?? [], world), [data, world.at]);
  const others = Object.entries(data?.hidden?.byAction ?? {}).sort((a, b) => b[1] - a[1]);
  const top = Math.max(1, ...groups.map((g) => g.pods), ...others.map(([, n]) => n));
  return (
    <article className="card wide evicted-lately"><h2>{t("Evictions in the last hour")} <span>{t("by rule and queue")}</span></h2>
      {groups.length + others.length === 0 ? <p className="note">{error ?? t(data ? "Nothing was evicted" : "Connecting…")}</p> : (
        <ul className="ranking">
          {groups.slice(0, 12).map((g) => (
            <li key={`${g.action} ${g.queue}`}><a href={address("recorder", { rule: g.action, of: g.queue, show: "evictions" })}><span>{g.action || "–"} · {g.queue || "–"}</span><b>{g.pods}</b><i style={{ width: `${(100 * g.pods) / top}%` }} /></a></li>
          ))}
          {others.map(([action, n]) => (
            <li key={action}><a href={address("recorder", { show: "cycles" })}><span>{action || "–"} · {t("of others")}</span><b>{n}</b><i style={{ width: `${(100 * n) / top}%` }} /></a></li>
          ))}
        </ul>
      )}
      {groups.length > 12 && <p className="note">+ {groups.length - 12}</p>}
      {data?.unknown?.map((u) => <p key={u} className="note">{u}</p>)}
    </article>
  );
}

/** The record of one eviction: for what, by which rule, which plugins permitted it, and what both queues held. */
export function EvictionDrawer({ list, open, onClose }: { list: Eviction[]; open: string; onClose: () => void }) {
  const e = found(list, open);
  if (!e) return <Drawer kind={t("Eviction")} title={open.split("/").at(-1) ?? ""} onClose={onClose}><Empty title={t("No such eviction at this moment")} /></Drawer>; // it is later, or kept no more
  const r = e.record;
  const known = r && !r.ofEvent;
  return (
    <Drawer kind={`${t("Eviction")} · ${e.namespace}`} title={e.name} onClose={onClose}>
      <section><p className="sentence">{e.reason}</p></section>
      <section><dl className="facts wider">
        <div><dt>{t("Rule")}</dt><dd>{e.action || "–"}</dd></div>
        <div><dt>{t("Time")}</dt><dd><time title={e.at ?? ""}>{timeOf(e)}</time></dd></div>
        {e.job && <div><dt>{t("Job")}</dt><dd><a href={address("jobs", { job: `${e.namespace}/${e.job}` })}>{e.job}</a></dd></div>}
        {e.queue && <div><dt>{t("Queue")}</dt><dd><a href={address("queues", { queue: e.queue })}>{e.queue}</a></dd></div>}
        {e.for && <div><dt>{t("For")}</dt><dd><a href={address("jobs", { job: e.for })}>{e.for}</a></dd></div>}
        {r?.forNode && <div><dt>{t("Node")}</dt><dd><a href={address("cluster", { node: r.forNode })}>{r.forNode}</a></dd></div>}
        {known && <div><dt>{t("Held")}</dt><dd>{amounts(r.held) || "–"}</dd></div>}
        {known && duration(r.ran) > 0 && <div><dt>{t("Ran for")}</dt><dd>{span(duration(r.ran))}</dd></div>}
        {known && <div><dt>{t("Priority")}</dt><dd>{r.priority} / {r.forPriority}</dd></div>}
        {r && <div><dt>{t("Its job")}</dt><dd>{t(r.whole ? "goes as a whole" : "keeps its minimum")}</dd></div>}
        {e.cycle > 0 && <div><dt>{t("Cycle")}</dt><dd><a href={address("recorder", { show: "cycles", cycle: String(e.cycle), eviction: "" })}>{e.cycle}</a></dd></div>}
      </dl></section>
      {r && r.plugins.length > 0 && <section className="permits"><h3>{t("Permitted by")}</h3>
        <ul className="plain">{[{ tier: r.tier, plugins: r.plugins }, ...(r.alsoPermitted ?? [])].map((p) => <li key={p.tier}>{t("Tier")} {p.tier}: <b>{p.plugins.join(", ")}</b></li>)}</ul></section>}
      {r && (r.queueHeld || r.forQueueHeld) && <section className="both"><h3>{t("What the queues held before, and deserved")}</h3>
        <table className="figures-table"><thead><tr><th scope="col">{t("Queue")}</th><th scope="col">{t("Resource")}</th><th scope="col">{t("Allocated")}</th><th scope="col">{t("Deserved")}</th></tr></thead>
          <tbody>{([[e.queue, r.queueHeld, r.queueDeserved], [r.forQueue, r.forQueueHeld, r.forQueueDeserved]] as const).flatMap(([q, held, due]) =>
            resourcesOf([held ?? {}]).map((x) => <tr key={q + x}><th scope="row">{q}</th><td>{resourceName(x)}</td><td>{show(amount(held?.[x]), x)}</td><td>{show(amount(due?.[x]), x)}</td></tr>))}</tbody></table></section>}
      {known && r.nodesTried > 0 && <section><h3>{t("The search")}</h3><p className="note">{r.nodesTried} {t(r.nodesTried === 1 ? "node tried" : "nodes tried")}, {r.nodesRuledOut} {t("ruled out")}{r.exhausted ? `; ${t("the search was given up early")}` : ""}</p>
        <ul className="plain">{(r.alternatives ?? []).slice(0, 12).map((a) => <li key={a.node}><b>{a.node}</b> {a.why}</li>)}</ul></section>}
      {r?.ofEvent && <p className="note">{t("This is what the pod's event says: the scheduler has recorded no more of it.")}</p>}
    </Drawer>
  );
}

/** What the list is narrowed to; a press takes it away. */
export function Narrowed({ rule, of }: { rule: string; of: string }) {
  if (rule === "" && of === "") return null;
  return <button className="chip" onClick={() => { toList(); go("recorder", { rule: "", of: "" }, true); }}>{[rule, of].filter((x) => x).join(" · ")} <span aria-hidden="true">✕</span><span className="unseen"> {t("Clear the filters")}</span></button>;
}
