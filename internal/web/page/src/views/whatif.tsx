import { useEffect, useRef, useState } from "react";
import { amount, show, span } from "../amounts";
import { ask } from "../api";
import { useResource } from "../bits";
import { useWorld } from "../store";
import { command } from "../transport";
import type { Fared, Move, WhatIf as Answer } from "../types";
import { address, go, usePlace } from "../url";
import { codeName, t } from "../words";

const sample = (queue: string) => `apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: my-job, namespace: default}
spec:
  queue: ${queue}
  minAvailable: 4
  schedulerName: volcano
  tasks:
  - name: worker
    replicas: 4
    template:
      metadata: {annotations: {ashlar.sh/duration: 1h}}
      spec:
        containers:
        - name: main
          image: example.com/train
          resources: {requests: {cpu: "8", memory: 64Gi, nvidia.com/gpu: "4"}}
`;

/** What a change would move: a dialogue over the view. */
export function WhatIf() {
  const world = useWorld();
  const place = usePlace();
  const which = place.get("whatif");
  const names = [...world.queues.keys()].filter((q) => q !== "root").sort();
  const queue = names.includes(place.get("wq")) ? place.get("wq") : names.find((q) => (world.queues.get(q)?.waiting ?? 0) > 0) ?? names[0] ?? "";
  const weight = Number(place.get("ww")) || (world.queues.get(queue)?.weight ?? 1) + 1;
  const [text, setText] = useState("");
  const [ahead, setAhead] = useState(3600);
  const [answer, setAnswer] = useState<{ data?: Answer; error?: string; busy?: boolean }>({});
  const run = useRef(0); // an answer to what was asked before is not shown
  const anew = () => { run.current++; setAnswer({}); };
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current?.showModal();
    if (world.state.play?.playing) void command({ playing: false });
  }, []);
  const close = () => go(place.view, { whatif: "", wq: "", ww: "", wj: "", run: "" }, true);
  const job = place.get("wj");
  const compute = () => {
    const mine = ++run.current;
    const told = (a: typeof answer) => { if (mine === run.current) setAnswer(a); };
    setAnswer({ busy: true });
    const body = which === "job" ? { objects: text || sample(queue), seconds: ahead } : which === "drop" ? { job, seconds: ahead } : { queue, weight, seconds: ahead };
    ask<Answer>("/v1/whatif", body).then((data) => told({ data }), (e: Error) => told({ error: e.message }));
  };
  const weigh = (ww: string) => { anew(); go(place.view, { ww }, true); };
  const play = world.state.play;
  const past = play !== undefined && play.now < play.edge - 1;
  const ready = !past && !answer.busy && !(which === "drop" && !job.includes("/"));
  const asked = place.get("run") !== "" && !past; // a link that names the change asks at once
  useEffect(() => { if (asked) compute(); }, [asked]);
  return (
    <dialog ref={box} className="whatif" aria-label={t("What if")} onClose={close} onClick={(e) => { if (e.target === box.current) close(); }}>
      <div className="sheet">
        <header><h2>{t("What if")}</h2><button className="icon" onClick={close} aria-label={t("Close")}>✕</button></header>
        <p className="note">{t("Nothing is written: two copies of the world run on from this moment, one with the change.")}</p>
        <div className="segments" role="group" aria-label={t("What would be otherwise")}>
          {kinds.map(([kind, name]) => <button key={kind} aria-pressed={which === kind || kind === "queue" && which !== "job" && which !== "drop"} onClick={() => { anew(); go(place.view, { whatif: kind }, true); }}>{t(name)}</button>)}
        </div>
        {which === "job" ? (
          <textarea spellCheck={false} rows={14} aria-label={t("One more job")} value={text || sample(queue)} onChange={(e) => setText(e.currentTarget.value)}
            onDragOver={(e) => e.preventDefault()} onDrop={(e) => { e.preventDefault(); void e.dataTransfer.files[0]?.text().then(setText); }} />
        ) : which === "drop" ? <JobPicker value={job} onPick={(wj) => { anew(); go(place.view, { wj }, true); }} /> : (
          <div className="knobs">
            <label>{t("Queue")}<select value={queue} onChange={(e) => { anew(); go(place.view, { wq: e.currentTarget.value, ww: "" }, true); }}>{names.map((q) => <option key={q}>{q}</option>)}</select></label>
            <label>{t("Weight")} <span className="note">{world.queues.get(queue)?.weight} →</span><input type="number" min={1} max={1_000_000} value={weight} onChange={(e) => weigh(e.currentTarget.value)} onKeyDown={(e) => { if (e.key === "Enter" && ready) compute(); }} /></label>
          </div>
        )}
        <div className="knobs">
          <label>{t("Look ahead")}<select value={ahead} onChange={(e) => setAhead(Number(e.currentTarget.value))}>
            <option value={600}>10 {t("minutes")}</option><option value={3600}>1 {t("hour")}</option><option value={21600}>6 {t("hours")}</option><option value={86400}>24 {t("hours")}</option>
          </select></label>
          {past ? <button className="button" onClick={() => void command({ seek: 1e9, playing: false })}>{t("Go to the latest")}</button>
            : <button className="button primary" disabled={!ready} onClick={compute}>{answer.busy ? t("Computing…") : t("Compute")}</button>}
        </div>
        {past && <p className="note">{t("This moment is in the past: go to the latest one first.")}</p>}
        <div aria-live="polite">
          {answer.error && <p className="fault">{answer.error}</p>}
          {answer.data && <Result a={answer.data} />}
        </div>
      </div>
    </dialog>
  );
}

const kinds = [["queue", "Another weight"], ["job", "One more job"], ["drop", "One job less"]] as const;

/** A job by its name, of as many as there are. */
function JobPicker({ value, onPick }: { value: string; onPick: (job: string) => void }) {
  const world = useWorld();
  const found: string[] = [];
  for (const key of world.jobs.keys()) if (key.includes(value) && found.push(key) === 40) break;
  return (
    <div className="knobs">
      <label>{t("Job")}<input type="search" className="long" list="jobs-there" spellCheck={false} autoComplete="off" placeholder="namespace/name" value={value} onChange={(e) => onPick(e.currentTarget.value)} /></label>
      <datalist id="jobs-there">{found.map((k) => <option key={k} value={k} />)}</datalist>
    </div>
  );
}

export function Result({ a }: { a: Answer }) {
  const [resource] = useResource(a.queues.flatMap((q) => [q.before.deserved, q.after.deserved, q.after.allocated]));
  const earlier = a.jobs.filter((m) => sooner(m) > 0).length, later = a.jobs.filter((m) => sooner(m) < 0).length;
  const words = [[earlier, "job starts earlier", "jobs start earlier"], [later, "job starts later", "jobs start later"],
    [a.evicted.length, "more pod evicted", "more pods evicted"], [a.spared.length, "pod fewer evicted", "pods fewer evicted"]] as const;
  const moved = a.queues.filter((q) => q.name !== "root" && (q.before.deserved[resource] !== q.after.deserved[resource] || q.before.allocated[resource] !== q.after.allocated[resource]));
  const n = (q: Record<string, string>) => show(amount(q[resource]), resource);
  return (
    <div className="result">
      {a.cut && <p className="fault">{t("It took too long: both were run only so far:")} {span(a.seconds)}</p>}
      {a.problems.map((p, i) => <p key={i} className="fault"><b>{p.object}</b> {p.message}</p>)}
      {a.jobs.length + moved.length + a.evicted.length + a.spared.length === 0 ? <p className="sentence">{t("Nothing moves in this time.")}</p>
        : <p className="outcome">{words.filter(([k]) => k > 0).map(([k, one, many]) => <span key={one} className="chip">{k} {t(k === 1 ? one : many)}</span>)}</p>}
      {moved.length > 0 && <p className="note">{t("After")} {span(a.seconds)}, {t("without the change → with it")}:</p>}
      {moved.length > 0 && (
        <table className="figures-table"><thead><tr><th scope="col">{t("Queue")}</th><th scope="col">{t("Deserved")}</th><th scope="col">{t("Allocated")}</th></tr></thead>
          <tbody>{moved.map((q) => <tr key={q.name}><th scope="row">{q.name}</th><td>{n(q.before.deserved)} → <b>{n(q.after.deserved)}</b></td><td>{n(q.before.allocated)} → <b>{n(q.after.allocated)}</b></td></tr>)}</tbody></table>
      )}
      {a.jobs.length > 0 && (
        <table className="figures-table jobs-moved"><thead><tr><th scope="col">{t("Job")}</th><th scope="col">{t("Without")}</th><th scope="col">{t("With")}</th></tr></thead>
          <tbody>{a.jobs.slice(0, 60).map((m) => <tr key={`${m.namespace}/${m.name}`}><th scope="row"><a href={address("jobs", { job: `${m.namespace}/${m.name}`, whatif: "" })}>{m.name}</a><small>{m.queue}</small></th><td><Fate f={m.before} /></td><td><Fate f={m.after} /></td></tr>)}</tbody></table>
      )}
      {a.jobs.length > 60 && <p className="note">+ {a.jobs.length - 60 + a.more}</p>}
      {a.evicted.length > 0 && <ul className="plain">{a.evicted.slice(0, 20).map((e, i) => <li key={i}><b>{e.name}</b> {t("evicted for")} {e.for} <small>{e.action}</small></li>)}</ul>}
    </div>
  );
}

/** sooner is above 0 for a job that starts earlier with the change, below 0 for one that starts later. */
function sooner(m: Move): number {
  if (!m.before || !m.after) return 0;
  const end = (f: Fared) => (f.starts >= 0 ? f.starts : f.reason.code ? Infinity : -1);
  const [b, a] = [end(m.before), end(m.after)];
  return b === a ? 0 : b > a ? 1 : -1;
}

function Fate({ f }: { f: Fared | null }) {
  if (!f) return <span className="note">{t("not there")}</span>;
  const evicted = f.evicted > 0 ? ` · ${f.evicted} ${t(f.evicted === 1 ? "pod evicted" : "pods evicted")}` : "";
  if (f.starts >= 0) return <>{f.starts < 2 ? t("starts now") : `${t("starts after")} ${span(f.starts)}`}{evicted}</>;
  if (f.reason.code) return <span title={f.reason.message}>{t("waits at the end")}: {codeName(f.reason.never || f.reason.code)}{evicted}</span>;
  return <>{t("had started")}{evicted}</>;
}
