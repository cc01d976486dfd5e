import { useMemo } from "react";
import { useAnswer } from "../api";
import { amount, resourceName, resourcesOf, show } from "../amounts";
import { Drawer, Empty } from "../bits";
import { beside, borrowed, lacking } from "../derive";
import { useQueueHistory } from "../history";
import { useWorld } from "../store";
import type { Answer, Arithmetic, Queue, Quantities } from "../types";
import { address } from "../url";
import { codeName, t } from "../words";
import { QueueChart } from "./queuetime";

export function QueueDrawer({ name, resource, onClose }: { name: string; resource: string; onClose: () => void }) {
  const world = useWorld();
  const queue = world.queues.get(name);
  const { data } = useAnswer<Answer>(queue ? `/v1/why/queue/${encodeURIComponent(name)}` : null, world.moment);
  if (!queue) return <Drawer kind={t("Queue")} title={name} onClose={onClose}><Empty title={t("No such queue at this moment")} /></Drawer>;
  const why = data?.queue?.why;
  const rows = resourcesOf([queue.allocated, queue.deserved, queue.request, queue.guarantee, queue.capability]).filter((r) => r !== "pods");
  return (
    <Drawer kind={t("Queue")} title={name} onClose={onClose}>
      <section>
        {why?.reason.message && <p className="sentence">{why.reason.message}</p>}
        <dl className="facts">
          <div><dt>{t("Weight")}</dt><dd>{queue.weight}</dd></div>
          <div><dt>{t("Jobs that wait")}</dt><dd><a href={address("jobs", { queue: name, state: "waiting" })}>{queue.waiting ?? 0}</a></dd></div>
          <div><dt>{t("Turn")}</dt><dd>{queue.turn || "–"}</dd></div>
          {queue.priority !== 0 && <div><dt>{t("Priority")}</dt><dd>{queue.priority}</dd></div>}
        </dl>
      </section>
      {data?.queue?.waits && data.queue.waits.length > 0 && <section><h3>{t("What its jobs wait for")}</h3>
        <ul className="ranking">{data.queue.waits.slice(0, 6).map((w) => (
          <li key={w.code}><a href={address("jobs", { queue: name, state: "waiting" })} title={w.message}><span>{codeName(w.code)}</span><b>{w.jobs}</b><i style={{ width: `${(100 * w.jobs) / data.queue!.waits![0]!.jobs}%` }} /></a></li>
        ))}</ul></section>}
      <section>
        <table className="figures-table">
          <thead><tr><th scope="col">{t("Resource")}</th><th scope="col">{t("Allocated")}</th><th scope="col">{t("Deserved")}</th><th scope="col">{t("Requested")}</th><th scope="col" className={narrow(queue.guarantee)}>{t("Guaranteed")}</th><th scope="col" className={narrow(queue.capability)}>{t("At most")}</th></tr></thead>
          <tbody>{rows.map((r) => <Figures key={r} q={queue} r={r} />)}</tbody>
        </table>
      </section>
      <Lent queue={queue} resource={resource} />
      <OverTime name={name} resource={resource} />
      {world.state.whatIf && name !== "root" && <section><a className="button" href={address("queues", { whatif: "queue", wq: name, ww: String(queue.weight + 1), run: "1" })}>{t("What if its weight were")} {queue.weight + 1}?</a></section>}
      {why && (
        <section>
          <h3>{t("How its share comes about")}</h3>
          {why.resources.length === 0 && <p className="note">{t("It takes no part in sharing.")}</p>}
          {[...why.resources].sort((a, b) => Number(b.resource === resource) - Number(a.resource === resource)).map((a) => <Sum key={a.resource} a={a} open={a.resource === resource} />)}
        </section>
      )}
    </Drawer>
  );
}

/** Who has what this queue deserves and does not hold, or whose it is that this one holds above its share. */
function Lent({ queue, resource }: { queue: Queue; resource: string }) {
  const world = useWorld();
  if (queue.name === "root") return null;
  const more = borrowed(queue, resource), less = lacking(queue, resource);
  const { over, under } = beside(world.queues.values(), queue.parent, resource);
  const list = more > 0 ? under : less > 0 ? over : [];
  if (list.length === 0) return null;
  const unit = resourceName(resource);
  return (
    <section>
      <h3>{t("Borrowed and lent")}</h3>
      <p className="note">{more > 0 ? `${t("It holds more than it deserves")}: ${show(more, resource)} ${unit}. ${t("These have less than they deserve, and may take it back")}:`
        : `${t("It holds less than it deserves")}: ${show(less, resource)} ${unit}. ${t("These hold more than they deserve")}:`}</p>
      <ul className="counts lent">{list.slice(0, 12).map(([q, n]) => <li key={q}><a href={address("queues", { queue: q })}>{q}</a> <b>{show(n, resource)}</b></li>)}{list.length > 12 && <li>+ {list.length - 12}</li>}</ul>
    </section>
  );
}

/** What the queue held over time, and deserved. */
function OverTime({ name, resource }: { name: string; resource: string }) {
  const names = useMemo(() => [name], [name]);
  const history = useQueueHistory(resource, names, 0);
  if (!history || history.seconds.length < 2) return null;
  return (
    <section className="of-time"><h3>{t("Over time")} <span className="note">{resourceName(resource)}</span></h3>
      <QueueChart history={history} name={name} height={120} /></section>
  );
}

function Figures({ q, r }: { q: Queue; r: string }) {
  const cell = (text: string | undefined) => (text === undefined ? "–" : show(amount(text), r));
  return (
    <tr><th scope="row" title={r}>{resourceName(r)}</th><td>{cell(q.allocated[r] ?? "0")}</td><td>{cell(q.deserved[r])}</td><td>{cell(q.request[r])}</td><td className={narrow(q.guarantee)}>{cell(q.guarantee[r])}</td>
      <td className={narrow(q.capability)}>{cell(q.capability[r])}</td></tr>
  );
}

/** narrow leaves a column that says nothing out on a phone, where not all have room. */
const narrow = (column: Quantities) => (Object.keys(column).length === 0 ? "unless-phone" : "");

/** bound says what kept a round from giving all that the weight gives. */
function bound(a: Arithmetic, i: number): string {
  const r = a.rounds[i]!;
  const before = i > 0 ? amount(a.rounds[i - 1]!.deserved) : 0;
  if (amount(r.withinRealCapability) < before + amount(r.given)) return t("within its limit");
  if (amount(r.withinRequest) < amount(r.withinRealCapability)) return t("within its request");
  if (amount(r.deserved) > amount(r.withinRequest)) return t("Guaranteed");
  return r.met ? t("met") : "";
}

/** The arithmetic of one resource: rounds of sharing by weight, or levels of the tree. */
function Sum({ a, open }: { a: Arithmetic; open: boolean }) {
  const n = (q: string) => show(amount(q), a.resource);
  return (
    <details className="sum" open={open}>
      <summary>{resourceName(a.resource)} <b>{n(a.deserved)}</b></summary>
      {a.rounds.length > 0 && (
        <div className="sideways"><table>
          <thead><tr><th>{t("Round")}</th><th>{t("to share")}</th><th>{t("given by weight")}</th><th>{t("result")}</th></tr></thead>
          <tbody>{a.rounds.map((r, i) => (
            <tr key={r.number}><td>{r.number}</td><td>{n(r.remaining)}</td><td>{a.weight}/{r.totalWeight} → {n(r.given)}</td><td><b>{n(r.deserved)}</b><small>{bound(a, i)}</small></td></tr>
          ))}</tbody>
        </table></div>
      )}
      {a.levels.length > 0 && (
        <div className="sideways"><table>
          <thead><tr><th>{t("Level")}</th><th>{t("may have")}</th><th>{t("Guaranteed")}</th><th>{t("At most")}</th><th>{t("result")}</th></tr></thead>
          <tbody>{a.levels.map((l) => <tr key={l.queue}><td>{l.queue}</td><td>{n(l.above)}</td><td>{n(l.guarantee)}</td><td>{l.capability ? n(l.capability) : t("no limit")}</td><td><b>{n(l.realCapability)}</b></td></tr>)}</tbody>
        </table></div>
      )}
    </details>
  );
}
