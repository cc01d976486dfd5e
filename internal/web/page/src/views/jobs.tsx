import { useDeferredValue, useEffect, useMemo, useRef } from "react";
import { span } from "../amounts";
import { Cell, Empty, Mark, toList, VirtualRows } from "../bits";
import { causeOf, members, placed, short, since, standOf, stands, startOf, waiting, type Stand } from "../derive";
import { useWorld } from "../store";
import type { Job } from "../types";
import { go, usePlace } from "../url";
import { codeName, t } from "../words";
import { JobDrawer } from "./job";

interface Line { job: Job; key: string; stand: Stand; age: number; has: number }
type Sort = "name" | "queue" | "state" | "age" | "members";

const compare: Record<Sort, (a: Line, b: Line) => number> = {
  name: (a, b) => text(a.key, b.key),
  queue: (a, b) => text(a.job.queue, b.job.queue),
  state: (a, b) => stands.indexOf(a.stand) - stands.indexOf(b.stand),
  age: (a, b) => b.age - a.age || text(a.key, b.key),
  members: (a, b) => members(b.job) - members(a.job),
};
const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const groups: { id: string; label: string; has: (s: Stand) => boolean }[] = [
  { id: "", label: "All", has: () => true },
  { id: "waiting", label: "Waiting", has: waiting },
  { id: "running", label: "Running", has: (s) => s === "runs" || s === "partly" || s === "starts" },
  { id: "over", label: "Over", has: (s) => s === "over" || s === "ends" },
];

export function Jobs() {
  const world = useWorld();
  const place = usePlace();
  const search = useRef<HTMLInputElement>(null);
  const jobs = useDeferredValue(world.jobs);
  const at = world.at;
  const words = useDeferredValue(place.get("q").toLowerCase());
  const [queue, code, group] = [place.get("queue"), place.get("code"), place.get("state")];
  const sort = (Object.keys(compare).find((s) => s === place.get("sort").replace("-", "")) ?? "state") as Sort;
  const backwards = place.get("sort").startsWith("-");

  const lines = useMemo(() => {
    const out: Line[] = [];
    const simulated = world.state.simulated === true;
    for (const [key, job] of jobs) out.push({ job, key, stand: standOf(job), age: since(job, at, simulated), has: placed(job) });
    return out;
    // The time changes with each moment; the jobs are the ones that matter.
  }, [jobs, at]);
  const filtered = useMemo(() => lines.filter((l) =>
    (!words || l.key.toLowerCase().includes(words)) && (!queue || l.job.queue === queue) && (!code || causeOf(l.job) === code)), [lines, words, queue, code]);
  const shown = useMemo(() => {
    const g = groups.find((x) => x.id === group) ?? groups[0]!;
    const list = filtered.filter((l) => g.has(l.stand));
    const by = compare[sort];
    list.sort((a, b) => (backwards ? -1 : 1) * by(a, b) || by2(a, b));
    return list;
  }, [filtered, group, sort, backwards]);
  const queues = useMemo(() => [...new Set(lines.map((l) => l.job.queue))].sort(), [lines]);
  const codes = useMemo(() => [...new Set(lines.map((l) => causeOf(l.job)))].filter((c) => c !== "").sort(), [lines]);

  useEffect(() => {
    const listen = (e: KeyboardEvent) => {
      if (e.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test((e.target as HTMLElement).tagName)) return;
      e.preventDefault();
      search.current?.focus();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);

  const starts = useMemo(() => lines.some((l) => l.job.start), [lines]); // they are estimated
  const open = place.get("job");
  const head = (id: Sort, label: string, className = "") => (
    <div role="columnheader" className={className} aria-sort={sort === id ? (backwards ? "descending" : "ascending") : "none"}>
      <button onClick={() => go("jobs", { sort: sort === id && !backwards ? `-${id}` : id }, true)}>{t(label)}<i aria-hidden="true">{sort === id ? (backwards ? "↑" : "↓") : ""}</i></button>
    </div>
  );
  return (
    <div className="split">
      <section className="view" aria-label={t("Jobs")}>
        <div className="tools">
          <input ref={search} type="search" placeholder={`${t("Search jobs")}  /`} aria-label={t("Search jobs")} value={place.get("q")}
            onChange={(e) => go("jobs", { q: e.currentTarget.value }, true)} />
          <div className="segments" role="group" aria-label={t("State")}>
            {groups.map((g) => (
              <button key={g.id} aria-pressed={group === g.id} onClick={() => go("jobs", { state: g.id }, true)}>
                {t(g.label)} <b>{filtered.reduce((n, l) => n + (g.has(l.stand) ? 1 : 0), 0)}</b>
              </button>
            ))}
          </div>
          <select aria-label={t("Queue")} value={queue} onChange={(e) => go("jobs", { queue: e.currentTarget.value }, true)}>
            <option value="">{t("All queues")}</option>
            {queues.map((q) => <option key={q}>{q}</option>)}
          </select>
          <select aria-label={t("Why")} value={code} onChange={(e) => go("jobs", { code: e.currentTarget.value }, true)}>
            <option value="">{t("All reasons")}</option>
            {codes.map((c) => <option key={c} value={c}>{codeName(c)}</option>)}
          </select>
        </div>
        <VirtualRows rows={shown} height={48} label={t("Jobs")} columns={starts ? "jobs starts" : "jobs"} keyOf={(l) => l.key} selected={open}
          onOpen={(key) => go("jobs", { job: key }, true)}
          none={lines.length === 0 ? <Empty title={t("No jobs yet")}>{t("Jobs appear here as soon as they are submitted.")}</Empty>
            : <Empty title={t("No job matches")}><button className="link" onClick={() => { toList(); go("jobs", { q: "", queue: "", code: "", state: "" }); }}>{t("Clear the filters")}</button></Empty>}
          head={<>{head("name", "Job")}{head("queue", "Queue", "wide")}{head("state", "State")}{head("members", "Members", "number")}
            {starts && <div role="columnheader" className="wide">{t("Starts")}</div>}<div role="columnheader" className="wide">{t("Why")}</div>{head("age", "Age", "number")}</>}
          render={(l) => (<>
            <Cell className="title"><b>{l.job.name}</b><small>{l.job.namespace}{l.job.reason.code && <span className="phone"> · {codeName(l.job.reason.never || causeOf(l.job))}</span>}</small></Cell>
            <Cell className="wide" title={l.job.queue}>{l.job.queue}</Cell>
            <Cell><Mark job={l.job} /></Cell>
            <Cell className="number"><Gang job={l.job} has={l.has} /></Cell>
            {starts && <Cell className="wide" title={l.job.start?.message ?? ""}>{startOf(l.job.start, at)}</Cell>}
            <Cell className="wide why" title={l.job.reason.message}>{short(l.job.reason)}</Cell>
            <Cell className="number">{l.stand === "over" ? "" : span(l.age)}</Cell>
          </>)} />
      </section>
      {open !== "" && <JobDrawer name={open} onClose={() => go("jobs", { job: "" }, true)} />}
    </div>
  );
}

const by2 = (a: Line, b: Line) => b.age - a.age || text(a.key, b.key);

/** How many members have a place, of how many there are; the minimum is a tick. */
function Gang({ job, has }: { job: Job; has: number }) {
  const all = Math.max(members(job), job.minMember, 1);
  return (
    <span className="gang"><span className="meter" aria-hidden="true"><i style={{ width: `${(100 * has) / all}%` }} />
      {job.minMember < all && <u style={{ left: `${(100 * job.minMember) / all}%` }} />}</span>{has}/{all}</span>
  );
}
