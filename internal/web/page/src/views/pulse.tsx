import { useMemo } from "react";
import { amount, resourceName, resourcesOf, show, span } from "../amounts";
import { Empty, ResourcePicker } from "../bits";
import { Chart, palette, stacked } from "../chart";
import { causeOf, since, standOf, waiting } from "../derive";
import { inUnits, useHistory, useQueueHistory } from "../history";
import { useWorld } from "../store";
import type { Point } from "../types";
import { address, usePlace } from "../url";
import { codeName, t } from "../words";
import { Tile } from "./cluster";
import { EvictedLately, lastHour as evictedLately, useEvictions } from "./evictions";

const mostHolders = 7;
const none: string[] = [];

export function Pulse() {
  const world = useWorld();
  const place = usePlace();
  const points = useHistory();
  const resources = resourcesOf([...world.nodes.values()].map((n) => n.allocatable)).filter((r) => r !== "pods");
  const resource = resources.includes(place.get("res")) ? place.get("res") : resources[0] ?? "cpu";
  const now = world.state.play?.now ?? points.at(-1)?.seconds ?? 0;
  const at = points.findLast((p) => p.seconds <= now + 0.5) ?? points.at(-1);

  const { reasons, waits, never, running, oldest, median } = useMemo(() => {
    const reasons = new Map<string, number>();
    const ages: number[] = [];
    let waits = 0, never = 0, running = 0, oldest = { seconds: 0, key: "" };
    for (const [key, j] of world.jobs) {
      const s = standOf(j);
      if (waiting(s)) {
        waits++;
        if (s === "never") never++;
        reasons.set(causeOf(j), (reasons.get(causeOf(j)) ?? 0) + 1);
        const age = since(j, world.at, world.state.simulated === true);
        if (Number.isFinite(age)) ages.push(age);
        if (age > oldest.seconds) oldest = { seconds: age, key };
      }
      if (s === "runs" || s === "partly") running++;
    }
    return { reasons: [...reasons].sort((a, b) => b[1] - a[1]), waits, never, running, oldest, median: Float64Array.from(ages).sort()[ages.length >> 1] ?? 0 };
  }, [world.jobs, world.at]);

  const seconds = useMemo(() => points.map((p) => p.seconds), [points]);
  const history = useQueueHistory(resource, none, mostHolders);
  const held = history?.seconds ?? none as never[];
  const use = useMemo(() => {
    if (!history) return [];
    const rooms = new Map(points.map((p) => [p.seconds, p]));
    let last = points[0];
    const at = history.seconds.map((s) => (last = rooms.get(s) ?? last)); // both were asked for at another time
    const parts = history.queues.filter((q) => q.held.some((v) => v)).map((q, i) => ({ label: q.name, color: palette[i % palette.length]!, values: q.held.map((v) => inUnits(v ?? 0, resource)) }));
    const others = history.seconds.map((_, i) => Math.max(0, inUnits(at[i]?.used[resource], resource) - parts.reduce((sum, p) => sum + p.values[i]!, 0)));
    if (others.some((v) => v > 0)) parts.push({ label: t("others"), color: palette[7]!, values: others });
    return [{ label: t("capacity"), color: "--ink-2", dash: true, values: at.map((p) => inUnits(p?.room[resource], resource)) }, ...stacked(parts)];
  }, [history, points, resource, place.get("lang")]);
  const why = useMemo(() => {
    const codes = [...new Set(points.flatMap((p) => Object.keys(p.waiting)))].sort();
    return stacked(codes.slice(0, 8).map((c, i) => ({ label: codeName(c), color: palette[(i + 1) % palette.length]!, values: points.map((p) => p.waiting[c] ?? 0) })));
  }, [points, place.get("lang")]);

  const used = inUnits(at?.used[resource], resource), room = inUnits(at?.room[resource], resource);
  const hour = lastHour(points, at);
  const evictions = useEvictions();
  const evicted = useMemo(() => (evictions.data ? evictedLately(evictions.data.items, world) : undefined), [evictions.data, world.at]);
  const others = evictions.data?.hidden?.count ?? 0;
  const top = Math.max(1, ...reasons.map(([, n]) => n));
  return (
    <section className="view page" aria-label={t("Pulse")}>
      <div className="tools"><ResourcePicker view="pulse" value={resource} all={resources} /></div>
      <div className="tiles">
        <Tile label={t("Jobs waiting")} value={String(waits)} more={never > 0 ? `${never} ${t(never === 1 ? "of which never starts" : "of which never start")}` : ""} tone={waits > 0 ? "waits" : ""} href={address("jobs", { state: "waiting" })} />
        <Tile label={t("Oldest wait")} value={waits > 0 && oldest.seconds > 0 ? span(oldest.seconds) : "–"} more={median > 0 ? `${t("half wait longer than")} ${span(median)}` : ""} {...(oldest.key && { href: address("jobs", { job: oldest.key, state: "waiting" }) })} />
        <Tile label={t("Jobs running")} value={String(running)} href={address("jobs", { state: "running" })} />
        <Tile label={`${resourceName(resource)} ${t("in use")}`} value={room > 0 ? `${Math.round((100 * used) / room)} %` : "–"} more={`${show(used, resource)} ${t("of")} ${show(room, resource)}`} href={address("cluster", { res: resource })} />
        {hour && <Tile label={t("Pods started")} value={String(hour.pods)} more={`${t("in the last")} ${span(hour.seconds)}`} />}
        <Tile label={t("Evictions")} value={evicted ? String(evicted.pods) : "–"} more={[t("in the last hour"), others > 0 ? `+ ${others} ${t("of others")}` : "", world.state.play ? `${at?.evicted ?? 0} ${t("so far")}` : ""].filter((x) => x).join(" · ")} href={address("recorder", { show: "evictions" })} />
      </div>
      <div className="cards">
        <article className="card wide"><h2>{t("Who holds it")} <span>{resourceName(resource)}</span></h2>
          {held.length < 2 ? <Holders resource={resource} room={room} /> : <Chart seconds={held} curves={use} now={now} show={(v) => show(v, resource)} label={`${t("In use over time")}: ${resourceName(resource)} ${show(used, resource)} ${t("of")} ${show(room, resource)}`} height={220} />}</article>
        <article className="card"><h2>{t("What waits for what")}</h2>
          {reasons.length === 0 ? <Empty title={t("Nothing waits")}>{t("Every job has its place.")}</Empty> : (
            <ul className="ranking">{reasons.slice(0, 9).map(([code, n]) => (
              <li key={code}><a href={address("jobs", { code, state: "waiting" })} title={code}><span>{codeName(code)}</span><b>{n}</b><i style={{ width: `${(100 * n) / top}%` }} /></a></li>
            ))}</ul>
          )}</article>
        <article className="card"><h2>{t("Jobs that wait, by reason")}</h2>
          {seconds.length < 2 ? <p className="note">{t("The curve begins now, and is drawn from the next moment on.")}</p> : <Chart seconds={seconds} curves={why} now={now} show={(v) => String(Math.round(v))} label={`${t("Jobs that wait, by reason")}: ${waits}`} />}</article>
        <EvictedLately {...evictions} />
      </div>
    </section>
  );
}

/** lastHour is how many pods started in the hour before a moment, or in as much of it as is known. */
function lastHour(points: Point[], at: Point | undefined): { pods: number; seconds: number } | undefined {
  const old = at && points.findLast((p) => p.seconds <= at.seconds - 3600);
  const begin = old ?? points[0]; // of all that is known the pods that started by its first moment are a part
  return at && begin && begin.seconds < at.seconds ? { pods: at.bound - (old?.bound ?? 0), seconds: at.seconds - begin.seconds } : undefined;
}

/** Who holds a resource now, the most first: before there are two moments to draw a curve between. */
function Holders({ resource, room }: { resource: string; room: number }) {
  const { queues } = useWorld();
  const parents = new Set([...queues.values()].map((q) => q.parent));
  const held = [...queues.values()].filter((q) => !parents.has(q.name)).map((q) => [q.name, amount(q.allocated[resource])] as const)
    .filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  if (held.length === 0) return <p className="note">{t("No queue holds any of it.")}</p>;
  return (
    <ul className="ranking held">{held.slice(0, 8).map(([q, n]) => (
      <li key={q}><a href={address("queues", { queue: q, res: resource })}><span>{q}</span><b>{show(n, resource)}</b><i style={{ width: `${room > 0 ? Math.min(100, (100 * n) / room) : 0}%` }} /></a></li>
    ))}</ul>
  );
}
