// The cycles of the scheduler that decided something: what each decided, and how long it took where that is known.
import { useEffect, useState } from "react";
import { ask, useAnswer } from "../api";
import { clock } from "../amounts";
import { Cell, Drawer, Empty, VirtualRows } from "../bits";
import { current, useWorld } from "../store";
import { command } from "../transport";
import type { Cycle, CycleAnswer, CycleList } from "../types";
import { address, go } from "../url";
import { t } from "../words";
import { keyOf } from "./evictions";

const most = 20_000; // cycles that the page keeps

interface Known { list: Cycle[]; newest: Cycle[]; quiet: number; since: string; more: number; error: string; asked: boolean }
const none: Known = { list: [], newest: [], quiet: 0, since: "", more: 0, error: "", asked: false };

/** joined adds what came since to what is known. A scheduler that restarted counts its cycles anew. */
export function joined(had: Known, got: CycleList): Known {
  let list = got.items.length > 0 ? [...had.list, ...got.items] : had.list;
  if (got.since) { // what is recorded no more goes
    const old = list.findIndex((c) => c.time >= got.since!);
    if (old !== 0) list = old < 0 ? [] : list.slice(old);
  }
  if (list.length > most) list = list.slice(-most);
  return { list, newest: list === had.list ? had.newest : [...list].reverse(), quiet: got.quiet ?? 0, since: got.since ?? "", more: (got.more ?? 0) + (had.more && !got.more ? had.more : 0), error: "", asked: true };
}

/** useCycles asks for what came since, again and again. */
function useCycles(): Known {
  const { state } = useWorld();
  const [known, setKnown] = useState<Known>(none);
  const source = state.source;
  useEffect(() => {
    if (!source) return;
    let over = false, timer = 0, had = none;
    const each = source === "cluster" ? 2500 : 1000;
    const next = async () => {
      try {
        let got = await ask<CycleList>(`/v1/history/cycles?after=${had.list.at(-1)?.cycle ?? 0}`);
        if (got.last < (had.list.at(-1)?.cycle ?? 0)) { // another scheduler, or the same one anew
          had = none;
          got = await ask<CycleList>("/v1/history/cycles");
        }
        had = joined(had, got);
      } catch (e) { had = { ...had, asked: true, error: (e as Error).message }; }
      if (over) return;
      setKnown(had);
      timer = window.setTimeout(() => void next(), each);
    };
    void next();
    return () => { over = true; clearTimeout(timer); };
  }, [source]);
  return known;
}

/** went goes to the moment after a cycle, in a run that is played. */
function went(c: Cycle | undefined): void {
  const play = current().state.play;
  if (play && c?.seconds !== undefined) void command({ playing: false, seek: c.seconds + 0.001 });
}

const figures: ["bound" | "evicted" | "admitted" | "withdrawn" | "other", string, string][] = [
  ["bound", "pod bound", "pods bound"], ["evicted", "pod evicted", "pods evicted"], ["admitted", "job admitted", "jobs admitted"],
  ["withdrawn", "eviction taken back", "evictions taken back"], ["other", "other decision", "other decisions"],
];
const said = (c: Cycle) => figures.filter(([f]) => (c[f] ?? 0) > 0).map(([f, one, many]) => `${c[f]} ${t(c[f] === 1 ? one : many)}`);
const took = (c: Cycle) => (c.took ? (c.took < 0.0995 ? `${Number((c.took * 1000).toPrecision(2))} ms` : `${c.took.toFixed(1)} s`) : "");
const when = (c: Cycle) => (c.seconds === undefined ? c.time.slice(11, 19) : clock(c.seconds));

export function Cycles({ open }: { open: string }) {
  const { state } = useWorld();
  const known = useCycles();
  const now = state.play?.now ?? Infinity;
  const empty = known.newest.length === 0;
  return (
    <>
      {known.error !== "" && !empty && <p className="note">{known.error}</p>}
      <VirtualRows rows={known.newest} height={48} label={t("Cycles")} columns="cycles" keyOf={(c) => String(c.cycle)} selected={open}
        onOpen={(key) => {
          go("recorder", { cycle: key, eviction: "" }, true);
          went(known.newest.find((c) => String(c.cycle) === key));
        }}
        none={known.error ? <Empty title={t("Cycles")}>{known.error}</Empty> : <Empty title={t(known.asked ? "No cycle has decided anything yet" : "Connecting…")}>{t("Cycles are listed here with what each decided.")}</Empty>}
        head={<><div role="columnheader">{t("Time")}</div><div role="columnheader" className="number">{t("Cycle")}</div><div role="columnheader" className="number">{t("bound")}</div><div role="columnheader" className="number">{t("evicted")}</div>
          <div role="columnheader" className="number">{t("admitted")}</div><div role="columnheader" className="number wide">{t("other")}</div><div role="columnheader" className="number wide">{t("took")}</div></>}
        render={(c) => <>
          <Cell className={c.seconds !== undefined && c.seconds > now + 0.5 ? "later" : ""}><time title={c.time}>{when(c)}</time></Cell>
          <Cell className="number"><span title={c.quiet ? `${c.quiet} ${t("before it decided nothing")}` : ""}>{c.cycle}</span></Cell>
          <Cell className="number">{c.bound || "–"}</Cell><Cell className="number">{c.evicted ? <b className="evicted">{c.evicted}</b> : "–"}</Cell>
          <Cell className="number">{c.admitted || "–"}</Cell><Cell className="number wide">{(c.other ?? 0) + (c.withdrawn ?? 0) || "–"}</Cell><Cell className="number wide">{c.panicked ? t("panicked") : took(c)}</Cell>
        </>} />
      {!empty && <p className="note below">{known.newest.length} {t("cycles decided something")}{known.more > 0 ? ` · + ${known.more} ${t("earlier ones")}` : ""}{known.quiet > 0 ? ` · ${known.quiet} ${t("since then decided nothing")}` : ""}{known.since ? ` · ${t("known since")} ${known.since.slice(0, 19).replace("T", " ")} UTC` : ""}</p>}
    </>
  );
}

/** What one cycle decided. */
export function CycleDrawer({ cycle, onClose }: { cycle: string; onClose: () => void }) {
  const { state } = useWorld();
  const { data, error } = useAnswer<CycleAnswer>(state.source && /^[0-9]+$/.test(cycle) ? `/v1/history/cycle/${cycle}` : null, 0);
  if (!data) return <Drawer kind={t("Cycle")} title={cycle} onClose={onClose}>{error ? <Empty title={t("No such cycle is known")}>{error}</Empty> : <p className="note trying">{t("Connecting…")}</p>}</Drawer>;
  return (
    <Drawer kind={t("Cycle")} title={cycle} onClose={onClose}>
      <section><dl className="facts">
        <div><dt>{t("Time")}</dt><dd><time title={data.time}>{when(data)}</time></dd></div>
        {took(data) && <div><dt>{t("took")}</dt><dd>{took(data)}</dd></div>}
        {(data.quiet ?? 0) > 0 && <div><dt>{t("before it decided nothing")}</dt><dd>{data.quiet}</dd></div>}
      </dl>
      <p className="outcome">{data.panicked && <span className="chip warn">{t("panicked")}</span>}{said(data).map((x) => <span key={x} className="chip">{x}</span>)}</p></section>
      {data.evictions.length > 0 && <section><h3>{t("Evictions")} <span className="note">{data.evictions.length}</span></h3>
        <ul className="plain">{data.evictions.slice(0, 50).map((e) => <li key={keyOf(e)}><a href={address("recorder", { show: "evictions", eviction: keyOf(e), cycle: "", rule: "", of: "" })} onClick={() => went(data)}>{e.name}</a> {e.for && <>{t("evicted for")} <a href={address("jobs", { job: e.for })}>{e.for}</a></>} <small>{e.action}</small></li>)}</ul></section>}
      <section><h3>{t("Decisions")}</h3>
        <ol className="plain decisions">{data.decisions.map((d, i) => <li key={i}>{d.what}{d.job && !d.job.startsWith("*") && <> <a href={address("jobs", { job: d.job })}>{d.job.split("/")[1]}</a></>}</li>)}</ol>
        {(data.more ?? 0) > 0 && <p className="note">+ {data.more}</p>}
        {(data.hidden ?? 0) > 0 && <p className="note">+ {data.hidden} {t("about jobs that you may not see")}</p>}</section>
      {state.source === "cluster" && <OfThatMoment cycle={cycle} />}
    </Drawer>
  );
}

const file = "ashlar-recording.jsonl.gz";

/** A live scheduler is shown as it is now. Its recording has the cluster of each cycle. */
function OfThatMoment({ cycle }: { cycle: string }) {
  const [said, say] = useState("");
  const save = async () => {
    say(t("The recording is being read…"));
    try {
      const answer = await fetch("/v1/recording", { cache: "no-store" });
      if (!answer.ok) throw new Error(((await answer.json().catch(() => undefined)) as { message?: string } | undefined)?.message ?? `${answer.status}`);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = file;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // it has been saved by then
      say(`${t("It is saved as")} ${file}`);
    } catch (e) { say((e as Error).message); }
  };
  return (
    <section className="of-moment"><h3>{t("The cluster at that moment")}</h3>
      <p className="note">{t("The scheduler's recording has it. Save it, open it with this command, and choose the cycle there:")} {cycle}</p>
      <pre>ashlar web {file}</pre>
      <p><button className="button" onClick={() => void save()}>{t("Save the recording")}</button></p>
      <p className="note" role="status">{said}</p></section>
  );
}
