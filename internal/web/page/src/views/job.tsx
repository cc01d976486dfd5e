import { useAnswer } from "../api";
import { span } from "../amounts";
import { Drawer, Empty, StandMark } from "../bits";
import { causeOf, evictionsEach, members, parts, placed, since, standOf, waiting, type Stand } from "../derive";
import { useWorld } from "../store";
import type { Answer, Evicting, Eviction, Job, Pod, Start, Step } from "../types";
import { address } from "../url";
import { codeName, t } from "../words";
import { Past } from "./past";

const verdict: Record<Stand, string> = {
  never: "It can never start as it is", waits: "It waits", partly: "It runs, with members missing", starts: "It is starting",
  runs: "It runs", ends: "It is ending", over: "It is over",
};

export function JobDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  const world = useWorld();
  const job = world.jobs.get(name);
  const [namespace = "", plain = ""] = name.split("/");
  if (!job) return <Drawer kind={t("Job")} title={plain} onClose={onClose}><Empty title={t("No such job at this moment")} /></Drawer>;
  return <Known job={job} namespace={namespace} onClose={onClose} />;
}

function Known({ job, namespace, onClose }: { job: Job; namespace: string; onClose: () => void }) {
  const world = useWorld();
  const stand = standOf(job);
  const age = since(job, world.at, world.state.simulated === true);
  const [lead = "", ...rest] = parts(job.reason);
  const { asks, live, way, tried } = useWay(job);
  return (
    <Drawer kind={`${t("Job")} · ${namespace}`} title={job.name} onClose={onClose}>
      <section className={`verdict ${stand}`}>
        <p className="eyebrow"><StandMark stand={stand} />{job.reason.code && <span className="chip quiet" title={job.reason.code}>{codeName(job.reason.never || causeOf(job))}</span>}</p>
        <p className="sentence">{waiting(stand) ? capital(lead) : `${t(verdict[stand])}: ${placed(job)} ${t("of")} ${Math.max(members(job), job.minMember)}.`}</p>
      </section>
      {rest.length > 0 && <section><h3>{t("What stands in the way")}</h3><ul className="plain">{rest.map((p, i) => <li key={i}>{p}</li>)}</ul></section>}
      {asks && <When start={way.data?.start ?? job.start} />}
      {asks && (live || (tried.data?.wouldRunIf.length ?? 0) > 0) && <Would {...tried} />}
      {job.reason.evicting && <section><h3>{t("Why nothing is evicted for it")}</h3><ul className="plain">{chain(job.reason.evicting).map((e) => <li key={e.action}><code>{e.action}</code> {e.message}</li>)}</ul></section>}
      <section>
        <dl className="facts">
          <div><dt>{t("Queue")}</dt><dd><a href={address("queues", { queue: job.queue, job: "" })}>{job.queue}</a></dd></div>
          <div><dt>{t("Needs")}</dt><dd>{job.minMember} {t("of")} {Math.max(members(job), job.minMember)}</dd></div>
          <div><dt>{t("Priority")}</dt><dd>{job.priority}</dd></div>
          {Number.isFinite(age) && <div><dt>{t("Age")}</dt><dd>{span(age)}</dd></div>}
          {job.hyperNode && <div><dt>{t("in the domain")}</dt><dd>{job.hyperNode}</dd></div>}
          {job.owner && <div><dt>{t("of it")}</dt><dd>{job.owner.kind}</dd></div>}
        </dl>
        {world.state.whatIf && stand !== "over" && !job.owner && <p className="asks">
          {waiting(stand) && <a className="button" href={address("jobs", { whatif: "queue", wq: job.queue, run: "1" })}>{t("What if its queue had more weight?")}</a>}
          <a className="button" href={address("jobs", { whatif: "drop", wj: `${job.namespace}/${job.name}`, run: "1" })}>{t("What if it were gone?")}</a>
        </p>}
      </section>
      {job.subJobs && job.subJobs.length > 0 && <section><h3>{t("sub-groups")}</h3><ul className="plain">{job.subJobs.map((s) => <li key={s.name}><b>{s.name}</b> {s.placed}/{s.size} {s.hyperNode}</li>)}</ul></section>}
      <Members job={job} />
      {asks && way.data && <Path steps={way.data.path} />}
      <Past job={job} />
      <Evictions job={`${job.namespace}/${job.name}`} />
    </Drawer>
  );
}

const marks = { passed: "✓", refused: "✕", notReached: "·", told: "›" };
const verdicts = { passed: "passed", refused: "refused", notReached: "not reached", told: "" };

/** useWay asks what a job that waits passed on its way to a node, and what would make it run. */
function useWay(job: Job): { asks: boolean; live: boolean; way: { data?: Answer; error?: string }; tried: { data?: Answer; error?: string } } {
  const world = useWorld();
  const play = world.state.play;
  const latest = !play || play.now >= play.edge - 1 || play.playing;
  const asks = latest && waiting(standOf(job)) && !job.owner;
  const path = asks ? `/v1/why/job/${encodeURIComponent(job.namespace)}/${encodeURIComponent(job.name)}` : null;
  const live = world.state.source === "cluster"; // there changes take a while, and are asked for by themselves
  const way = useAnswer<Answer>(path, world.moment, 2500);
  const tried = useAnswer<Answer>(live && path !== null ? `${path}?wouldRun=6s` : null, world.moment, 15_000);
  return { asks, live, way, tried: live ? tried : way };
}

function Path({ steps }: { steps: Step[] }) {
  if (steps.length === 0) return null;
  return (
    <section><h3>{t("Its way to a node")}</h3><ol className="way">{steps.map((s) => (
      <li key={s.name} className={s.verdict}><i aria-hidden="true">{marks[s.verdict]}</i><div><b>{s.name}</b>{verdicts[s.verdict] && <span className="unseen"> {t(verdicts[s.verdict])}</span>} <span>{s.text}</span></div></li>
    ))}</ol></section>
  );
}

/** The changes after which it would run, in the words of `ashlar why`. */
function Would({ data, error }: { data?: Answer; error?: string }) {
  return (
    <section aria-live="polite"><h3>{t("It would run if")}</h3>
      {data && data.wouldRunIf.length > 0 ? <ul className="plain would">{data.wouldRunIf.slice(0, 6).map((c) => <li key={c.text}>{c.text}</li>)}</ul>
        : data ? <p className="note">{t("None of the changes that were tried would make it run.")}</p>
          : error ? <p className="note">{t("No changes could be tried now:")} {error}</p>
            : <p className="note trying">{t("Changes are being tried on a copy…")}</p>}
      {data?.notes.filter((n) => n.startsWith("what would make it run")).map((n) => <p key={n} className="note">{capital(n)}.</p>)}
    </section>
  );
}

const sourceWords: Record<string, string> = {
  enforced: "by limits of how long pods run", declared: "by what their authors say", predicted: "by how long such pods ran before",
};

function When({ start }: { start: Start | undefined }) {
  const { at } = useWorld();
  if (!start) return null;
  const end = (label: string, text: string | undefined, by: string) => text && (
    <div><dt>{t(label)}</dt><dd>{t("in")} {span(Math.max(0, (Date.parse(text) - at) / 1000))}<small>{text.slice(11, 19)} UTC{by && `, ${by}`}</small></dd></div>
  );
  return (
    <section className="when"><h3>{t("When it starts")}</h3>
      {(start.earliest || start.latest) && <dl className="facts">{end("Earliest", start.earliest, t(sourceWords[start.source ?? ""] ?? start.source ?? ""))}{end("Latest", start.latest, t("by limits of how long pods run"))}</dl>}
      <p className="note">{capital(start.message)}.</p>
    </section>
  );
}

/** A sentence begins with a capital, unless it begins with the name of an object. */
const capital = (s: string) => (/^\S*\/\S*:/.test(s) ? s : s.charAt(0).toUpperCase() + s.slice(1));

function chain(e: Evicting): Evicting[] {
  const out: Evicting[] = [];
  for (let x: Evicting | undefined = e; x && out.length < 10; x = x.next) out.push(x);
  return out;
}

const podWords: Record<string, Stand> = {
  Running: "runs", Bound: "runs", Binding: "starts", Allocated: "starts", Pipelined: "starts", Pending: "waits", Releasing: "ends", Succeeded: "over", Failed: "never", Unknown: "never",
};
const most = 300;

/** The members as squares by state, and where they are. */
function Members({ job }: { job: Job }) {
  const world = useWorld();
  const { data } = useAnswer<{ items: Pod[]; continue?: string }>(
    `/v1/pods?namespace=${encodeURIComponent(job.namespace)}&job=${encodeURIComponent(job.name)}&limit=${most}`, world.moment);
  const pods = data?.items ?? [];
  const all = members(job);
  if (all === 0) return null;
  const places = new Map<string, number>();
  for (const p of pods) if (p.node) places.set(p.node, (places.get(p.node) ?? 0) + 1);
  return (
    <section>
      <h3>{t("Members")}</h3>
      <ul className="counts">{Object.entries(job.tasks).sort().map(([status, n]) => <li key={status}><i className={`square ${podWords[status] ?? "waits"}`} aria-hidden="true" />{status} <b>{n}</b></li>)}</ul>
      <div className="squares" aria-hidden="true">{pods.map((p) => <i key={p.name} className={`square ${podWords[p.status] ?? "waits"}`} title={`${p.name}: ${p.status}${p.node ? ` · ${p.node}` : ""}`} />)}</div>
      {all > pods.length && pods.length > 0 && <p className="note">+ {all - pods.length} {t("more members")}</p>}
      {places.size > 0 && <p className="places">{[...places].slice(0, 24).map(([node, n]) => <a key={node} className="chip" href={address("cluster", { node, job: "" })}>{node}{n > 1 ? ` ×${n}` : ""}</a>)}{places.size > 24 && <span className="note">+ {places.size - 24}</span>}</p>}
    </section>
  );
}

function Evictions({ job }: { job: string }) {
  const world = useWorld();
  const { data } = useAnswer<{ items: Eviction[] }>(world.state.source ? `/v1/evictions?job=${encodeURIComponent(job)}` : null, world.moment, evictionsEach(world.state));
  const list = data?.items ?? [];
  if (list.length === 0) return null;
  return (
    <section>
      <h3>{t("Evictions")}</h3>
      <ul className="plain">{list.slice(0, 30).map((e, i) => (
        <li key={i}><time>{e.at?.slice(11, 19) ?? e.time}</time> <b>{e.name}</b> {e.for === job ? t("made room") : <>{t("evicted for")} <a href={address("jobs", { job: e.for })}>{e.for}</a></>}<br /><small>{e.reason}</small></li>
      ))}</ul>
    </section>
  );
}
