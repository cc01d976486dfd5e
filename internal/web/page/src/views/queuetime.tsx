// What queues held over time beside what they deserved: those that hold the most, or those that a person chooses.
import { useMemo, useState } from "react";
import { resourceName, show } from "../amounts";
import { Empty } from "../bits";
import { Chart, type Curve } from "../chart";
import { inUnits, useQueueHistory } from "../history";
import { useWorld } from "../store";
import type { QueueHistory } from "../types";
import { go, usePlace } from "../url";
import { t } from "../words";

const most = 6, mostChosen = 16;

/** chosenIn are the queues that an address names. */
export const chosenIn = (text: string): string[] => text.split(",").filter((q) => q !== "").map(decodeURIComponent);
const written = (list: string[]) => list.map(encodeURIComponent).join(",");

export function QueuesOverTime({ resource }: { resource: string }) {
  const place = usePlace();
  const world = useWorld();
  const text = place.get("qs");
  const chosen = useMemo(() => chosenIn(text), [text]);
  const history = useQueueHistory(resource, chosen, chosen.length > 0 ? 0 : most);
  const set = (list: string[]) => go("queues", { qs: written(list) }, true);
  return (
    <div className="scroll overtime" tabIndex={0} role="group" aria-label={t("Over time")}>
      <div className="knobs">
        <Adder names={[...world.queues.keys()].filter((q) => !chosen.includes(q))} full={chosen.length >= mostChosen} onAdd={(q) => set([...chosen, q])} />
        {chosen.map((q) => <button key={q} className="chip" onClick={() => set(chosen.filter((x) => x !== q))}>{q} <span aria-hidden="true">✕</span><span className="unseen"> {t("Take it away")}</span></button>)}
        {chosen.length === 0 && <span className="note">{t("The queues that held the most. Choose others by name.")}</span>}
      </div>
      {!history ? <Empty title={t("Connecting…")} /> : history.seconds.length < 2 ? <Empty title={t("Over time")}>{t("The curve begins now, and is drawn from the next moment on.")}</Empty>
        : <div className="sides">{history.queues.map((q) => <article key={q.name} className="card"><h2><button className="link" onClick={() => go("queues", { queue: q.name }, true)}>{q.name}</button> <span>{resourceName(resource)}</span></h2>
          <QueueChart history={history} name={q.name} /></article>)}</div>}
    </div>
  );
}

/** A queue by its name, of as many as there are. */
function Adder({ names, full, onAdd }: { names: string[]; full: boolean; onAdd: (queue: string) => void }) {
  const [text, setText] = useState("");
  const found: string[] = [];
  for (const name of names) if (name.includes(text) && found.push(name) === 40) break;
  const add = (name: string) => { setText(""); onAdd(name); };
  return (
    <>
      <input type="search" list="queues-there" aria-label={t("Add a queue")} placeholder={t("Add a queue")} spellCheck={false} autoComplete="off" disabled={full} value={text}
        onChange={(e) => (e.nativeEvent as InputEvent).inputType === undefined && names.includes(e.currentTarget.value) ? add(e.currentTarget.value) : setText(e.currentTarget.value)}
        onKeyDown={(e) => { if (e.key === "Enter") { const name = names.includes(text) ? text : found.length === 1 ? found[0] : undefined; if (name !== undefined) add(name); } }} />
      <datalist id="queues-there">{found.map((q) => <option key={q} value={q} />)}</datalist>
    </>
  );
}

/** One queue of a history: what it held, and deserved. */
export function QueueChart({ history, name, height = 140 }: { history: QueueHistory; name: string; height?: number }) {
  const { state } = useWorld();
  const lang = usePlace().get("lang");
  const { resource, seconds } = history;
  const curves = useMemo<Curve[]>(() => {
    const q = history.queues.find((x) => x.name === name);
    const of = (list: (number | null)[] | undefined) => (list ?? []).map((v) => (v === null ? null : inUnits(v, resource)));
    return [{ label: t("Allocated"), color: "--c1", values: of(q?.held) }, { label: t("Deserved"), color: "--ink-2", dash: true, values: of(q?.deserved) }];
  }, [history, name, lang]);
  const last = (c: Curve) => { const v = c.values.findLast((x) => x !== null); return `${c.label} ${v === undefined || v === null ? "–" : show(v, resource)}`; };
  return <Chart seconds={seconds} curves={curves} now={state.play?.now ?? seconds.at(-1) ?? 0} show={(v) => show(v, resource)} label={`${name}: ${curves.map(last).join(", ")}`} height={height} />;
}
