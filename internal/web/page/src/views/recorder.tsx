// What the scheduler did: cycles and their decisions, evictions with their record, and two configurations side by side.
import { useMemo, type ReactNode } from "react";
import { Cell, Empty, VirtualRows } from "../bits";
import { Chart, type Curve } from "../chart";
import { duration } from "../amounts";
import { openedAt, useHistory } from "../history";
import { useWorld } from "../store";
import { command } from "../transport";
import type { Eviction, Point } from "../types";
import { address, go, usePlace } from "../url";
import { t } from "../words";
import { Compare } from "./compare";
import { CycleDrawer, Cycles } from "./cycles";
import { EvictionDrawer, heldBy, keyOf, Narrowed, timeOf, useEvictions } from "./evictions";

const panes = [["evictions", "Evictions"], ["cycles", "Cycles"]] as const;

export function Recorder() {
  const world = useWorld();
  const place = usePlace();
  const points = useHistory();
  const { data, error } = useEvictions();
  const comparing = place.get("compare") !== "" && world.state.whatIf === true;
  const cycles = !comparing && place.get("show") === "cycles";
  const [rule, of] = [place.get("rule"), place.get("of")];
  const all = data?.items ?? [];
  const list = useMemo(() => all.filter((e) => (!rule || e.action === rule) && (!of || e.queue === of)), [data, rule, of]);
  const eviction = place.get("eviction"), cycle = place.get("cycle");
  const hidden = data?.hidden?.count ?? 0;
  return (
    <div className="split">
      <section className={comparing ? "view page" : "view"} aria-label={t("Recorder")}>
        <div className="tools"><div className="segments" role="group" aria-label={t("Recorder")}>
          {panes.map(([pane, name]) => <button key={pane} aria-pressed={!comparing && (pane === "cycles") === cycles} onClick={() => go("recorder", { show: pane, compare: "", cycle: "", eviction: "" }, true)}>{t(name)}{pane === "evictions" && data ? <> <b>{data.total}</b></> : ""}</button>)}
          {world.state.whatIf && <button aria-pressed={comparing} onClick={() => go("recorder", { compare: "1", cycle: "", eviction: "" }, true)}>{t("Two configurations")}</button>}
        </div>{!comparing && !cycles && <Narrowed rule={rule} of={of} />}</div>
        {comparing ? <Compare /> : <>
          <article className="card"><Curves points={points} evicted={all} /></article>
          {cycles ? <Cycles open={cycle} /> : <>
            <h2 className="over">{t("Who was evicted for whom")} {data && <span>{rule || of ? list.length : data.total}</span>}</h2>
            {data?.unknown?.map((u) => <p key={u} className="note">{u}</p>)}
            {hidden > 0 && <p className="note">+ {hidden} {t("of others, in the last hour")}</p>}
            <Rows list={list} open={eviction} none={all.length > 0 ? <Empty title={t("No eviction matches")} /> : error ? <Empty title={t("Evictions")}>{error}</Empty>
              : <Empty title={t(data ? "Nothing was evicted" : "Connecting…")}>{t(world.state.source === "cluster" ? "The scheduler has recorded none that you may see, and the API server, which keeps events for an hour, has no event of one." : "Evictions are listed here with the job that got the room.")}</Empty>} />
          </>}
        </>}
      </section>
      {!comparing && (cycles ? cycle !== "" && <CycleDrawer cycle={cycle} onClose={() => go("recorder", { cycle: "" }, true)} />
        : eviction !== "" && data && <EvictionDrawer list={all} open={eviction} onClose={() => go("recorder", { eviction: "" }, true)} />)}
    </div>
  );
}

function Curves({ points, evicted }: { points: Point[]; evicted: Eviction[] }) {
  const { state } = useWorld();
  const lang = usePlace().get("lang");
  const seconds = useMemo(() => points.map((p) => p.seconds), [points]);
  const live = state.play === undefined;
  const curves = useMemo<Curve[]>(() => {
    const begin = openedAt(); // of a live scheduler they are counted since the page was opened
    const times = live ? evicted.map((e) => (Date.parse(e.at ?? "") - begin) / 1000).filter((s) => s >= 0).sort((a, b) => a - b) : [];
    let n = 0;
    const upTo = (s: number) => { while (n < times.length && times[n]! <= s) n++; return n; };
    return [
      { label: t("Jobs waiting"), color: "--wait", values: points.map((p) => Object.values(p.waiting).reduce((a, b) => a + b, 0)) },
      { label: t("Jobs running"), color: "--run", values: points.map((p) => p.running) },
      { label: t(live ? "Evictions since this page is open" : "Evictions so far"), color: "--never", values: points.map((p) => (live ? upTo(p.seconds) : p.evicted)), dash: true },
    ];
  }, [points, evicted, live, lang]);
  return <Chart seconds={seconds} curves={curves} now={state.play?.now ?? NaN} show={(v) => String(Math.round(v))} label={curves.map((c) => `${c.label}: ${c.values.at(-1) ?? 0}`).join(", ")} height={150} />;
}

function Rows({ list, open, none }: { list: Eviction[]; open: string; none: ReactNode }) {
  const { state } = useWorld();
  return (
    <VirtualRows rows={list} height={64} label={t("Evictions")} columns="evictions" keyOf={keyOf} selected={open}
      onOpen={(key) => {
        go("recorder", { eviction: key, show: "evictions" }, true);
        const e = list.find((x) => keyOf(x) === key);
        if (e && state.play) void command({ playing: false, seek: duration(e.time) + 1 });
      }}
      none={none}
      head={<><div role="columnheader">{t("Time")}</div><div role="columnheader">{t("Victim")}</div><div role="columnheader">{t("For")}</div><div role="columnheader" className="wide">{t("Rule")}</div></>}
      render={(e) => <>
        <Cell><time title={e.at ?? ""}>{timeOf(e)}</time></Cell>
        <Cell className="title"><b>{e.name}</b><small>{e.queue}{heldBy(e) ? ` · ${heldBy(e)}` : ""}</small></Cell>
        <Cell className="title"><a href={address("jobs", { job: e.for })} onClick={(x) => x.stopPropagation()}>{e.for.split("/")[1] ?? e.for}</a><small>{e.action}</small></Cell>
        <Cell className="wide why two" title={e.reason}>{e.reason}</Cell>
      </>} />
  );
}
