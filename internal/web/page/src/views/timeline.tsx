import { useMemo } from "react";
import { useAnswer } from "../api";
import { clock, duration, resourceName, resourcesOf, show, amount } from "../amounts";
import { Cell, Empty, VirtualRows } from "../bits";
import { Chart, type Curve } from "../chart";
import { evictionsEach } from "../derive";
import { useHistory } from "../history";
import { useWorld } from "../store";
import { command } from "../transport";
import type { Eviction, Quantities } from "../types";
import { address, go, usePlace } from "../url";
import { t } from "../words";
import { Compare } from "./compare";

const held = (q: Quantities | undefined) => resourcesOf([q ?? {}]).filter((r) => r !== "pods").map((r) => `${show(amount(q?.[r]), r)} ${resourceName(r)}`).join(", ");
const keyOf = (e: Eviction) => `${e.at ?? e.time}/${e.namespace}/${e.name}`;

export function Timeline() {
  const world = useWorld();
  const place = usePlace();
  const points = useHistory();
  const { data, error } = useAnswer<{ items: Eviction[]; total: number; unknown?: string[] }>(world.state.source ? "/v1/evictions" : null, world.moment, evictionsEach(world.state));
  const now = world.state.play?.now ?? 0;
  const seconds = useMemo(() => points.map((p) => p.seconds), [points]);
  const curves = useMemo<Curve[]>(() => [
    { label: t("Jobs waiting"), color: "--wait", values: points.map((p) => Object.values(p.waiting).reduce((a, b) => a + b, 0)) },
    { label: t("Jobs running"), color: "--run", values: points.map((p) => p.running) },
    { label: t("Evictions so far"), color: "--never", values: points.map((p) => p.evicted), dash: true },
  ], [points, place.get("lang")]);
  const list = data?.items ?? [];
  const open = place.get("eviction");
  const comparing = place.get("compare") !== "" && world.state.whatIf === true;
  return (
    <section className={comparing ? "view page" : "view"} aria-label={t("Timeline")}>
      {world.state.whatIf && <div className="tools"><div className="segments" role="group" aria-label={t("Timeline")}>
        <button aria-pressed={!comparing} onClick={() => go("timeline", { compare: "" }, true)}>{t("What happened")}</button>
        <button aria-pressed={comparing} onClick={() => go("timeline", { compare: "1" }, true)}>{t("Two configurations")}</button>
      </div></div>}
      {comparing ? <Compare /> : <>
      <article className="card"><Chart seconds={seconds} curves={curves} now={now} show={(v) => String(Math.round(v))} label={t("Timeline")} height={170} /></article>
      <h2 className="over">{t("Who was evicted for whom")} {data && <span>{data.total}</span>}</h2>
      {data?.unknown?.map((u) => <p key={u} className="note">{u}</p>)}
      {list.length === 0 ? error ? <Empty title={t("Evictions")}>{error}</Empty> : <Empty title={t(data ? "Nothing was evicted" : "Connecting…")}>{t(world.state.source === "cluster" ? "The API server has no event of an eviction that you may read. It keeps events for an hour." : "Evictions are listed here with the job that got the room.")}</Empty> : (
        <VirtualRows rows={list} height={64} label={t("Evictions")} columns="evictions" keyOf={keyOf} selected={open}
          onOpen={(key) => {
            go("timeline", { eviction: key }, true);
            const e = list.find((x) => keyOf(x) === key);
            if (e && world.state.play) void command({ playing: false, seek: duration(e.time) + 1 });
          }}
          head={<><div role="columnheader">{t("Time")}</div><div role="columnheader">{t("Victim")}</div><div role="columnheader">{t("For")}</div><div role="columnheader" className="wide">{t("Rule")}</div></>}
          render={(e) => <>
            <Cell><time title={e.at ?? ""}>{e.at?.slice(11, 19) ?? clock(duration(e.time))}</time></Cell>
            <Cell className="title"><b>{e.name}</b><small>{e.queue}{e.record ? ` · ${held(e.record.held)}` : ""}</small></Cell>
            <Cell className="title"><a href={address("jobs", { job: e.for })} onClick={(x) => x.stopPropagation()}>{e.for.split("/")[1] ?? e.for}</a><small>{e.action}</small></Cell>
            <Cell className="wide why two" title={e.reason}>{e.reason}</Cell>
          </>} />
      )}
      </>}
    </section>
  );
}
