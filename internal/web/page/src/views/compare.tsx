// Two configurations side by side: two copies of the world, one by each, run for the same time.
import { useEffect, useMemo, useState } from "react";
import { resourceName, show, span } from "../amounts";
import { ask } from "../api";
import { useResource } from "../bits";
import { Chart, type Curve } from "../chart";
import { inUnits } from "../history";
import { useWorld } from "../store";
import type { Sample, WhatIf as Answer } from "../types";
import { usePlace } from "../url";
import { t } from "../words";
import { Result } from "./whatif";

export function Compare() {
  const world = useWorld();
  const play = world.state.play;
  const [held, setHeld] = useState<{ text: string; fromStart?: boolean }>({ text: "" });
  const [text, setText] = useState<string | null>(null);
  const [start, setStart] = useState(true);
  const [ahead, setAhead] = useState(86_400);
  const [answer, setAnswer] = useState<{ data?: Answer; error?: string; busy?: boolean; from: number }>({ from: 0 });
  useEffect(() => { ask<{ text: string; fromStart?: boolean }>("/v1/configuration").then(setHeld, () => undefined); }, [world.state.source]);
  const fromStart = start && held.fromStart === true;
  const other = text ?? held.text;
  const compute = () => {
    const from = fromStart || !play ? 0 : play.edge;
    setAnswer({ busy: true, from });
    ask<Answer>("/v1/whatif", { configuration: other, seconds: ahead, fromStart }).then((data) => setAnswer({ data, from }), (e: Error) => setAnswer({ error: e.message, from }));
  };
  return (
    <>
      <p className="note">{t("Nothing is written: two copies run, the left one by the configuration that holds, the right one by this one.")}</p>
      <textarea spellCheck={false} rows={12} aria-label={t("The other configuration")} placeholder="volcano-scheduler.conf" value={other} onChange={(e) => setText(e.currentTarget.value)}
        onDragOver={(e) => e.preventDefault()} onDrop={(e) => { e.preventDefault(); void e.dataTransfer.files[0]?.text().then(setText); }} />
      <div className="knobs">
        {held.fromStart && <label>{t("From")}<select value={fromStart ? "start" : "now"} onChange={(e) => setStart(e.currentTarget.value === "start")}><option value="start">{t("the beginning")}</option><option value="now">{t("the latest moment")}</option></select></label>}
        <label>{t("For")}<select value={ahead} onChange={(e) => setAhead(Number(e.currentTarget.value))}>
          {[3600, 21_600, 86_400, 604_800].map((s) => <option key={s} value={s}>{span(s)}</option>)}
        </select></label>
        <button className="button primary" disabled={answer.busy === true || other.trim() === ""} onClick={compute}>{answer.busy ? t("Computing…") : t("Compute")}</button>
        {text !== null && text !== held.text && <button className="button" onClick={() => setText(null)}>{t("As it is")}</button>}
      </div>
      <div aria-live="polite" className="compared">
        {answer.error && <p className="fault">{answer.error}</p>}
        {answer.data && <Sides a={answer.data} from={answer.from} />}
        {answer.data && <Result a={answer.data} />}
      </div>
    </>
  );
}

function Sides({ a, from }: { a: Answer; from: number }) {
  const world = useWorld();
  const [resource] = useResource([...world.nodes.values()].map((n) => n.allocatable));
  const top = Math.max(1, ...[...a.without, ...a.with].map((s) => Math.max(s.waiting, s.running)));
  return (
    <>
      <div className="sides">
        <Side name={t("The one that holds")} list={a.without} top={top} from={from} />
        <Side name={t("The other configuration")} list={a.with} top={top} from={from} />
      </div>
      <table className="figures-table"><thead><tr><th scope="col"><span className="unseen">{t("Figure")}</span></th><th scope="col">{t("The one that holds")}</th><th scope="col">{t("The other configuration")}</th></tr></thead>
        <tbody>
          {([["Jobs waiting on average", (l) => show(Math.round(10 * mean(l, (s) => s.waiting)) / 10, "")], ["Jobs waiting in the end", (l) => String(l.at(-1)?.waiting ?? 0)],
            ["Evictions in all", (l) => String(l.at(-1)?.evicted ?? 0)], [`${resourceName(resource)} ${t("in use on average")}`, (l) => show(inUnits(mean(l, (s) => s.used[resource] ?? 0), resource), resource)]] as [string, (l: Sample[]) => string][])
            .map(([name, of]) => <tr key={name}><th scope="row">{t(name)}</th><td>{of(a.without)}</td><td><b>{of(a.with)}</b></td></tr>)}
        </tbody></table>
    </>
  );
}

/** mean is over time: each sample holds until the next. */
function mean(list: Sample[], of: (s: Sample) => number): number {
  let sum = 0;
  for (let i = 1; i < list.length; i++) sum += of(list[i - 1]!) * (list[i]!.seconds - list[i - 1]!.seconds);
  const time = (list.at(-1)?.seconds ?? 0) - (list[0]?.seconds ?? 0);
  return time > 0 ? sum / time : list[0] ? of(list[0]) : 0;
}

function Side({ name, list, top, from }: { name: string; list: Sample[]; top: number; from: number }) {
  const lang = usePlace().get("lang");
  const seconds = useMemo(() => list.map((s) => from + s.seconds), [list, from]);
  const curves = useMemo<Curve[]>(() => [
    { label: t("Jobs waiting"), color: "--wait", values: list.map((s) => s.waiting) },
    { label: t("Jobs running"), color: "--run", values: list.map((s) => s.running) },
  ], [list, lang]);
  return (
    <article className="card"><h2>{name}</h2>
      <Chart seconds={seconds} curves={curves} now={NaN} show={(v) => String(Math.round(v))} top={top} label={`${name}: ${t("Jobs waiting")}, ${t("Jobs running")}`} height={190} /></article>
  );
}
