import { useMemo, useRef, useEffect } from "react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { amount, resourceName, show } from "../amounts";
import { Bullet, Empty, ResourcePicker, useResource, toDrawer } from "../bits";
import { borrowed, lacking, tree } from "../derive";
import { useWorld } from "../store";
import type { Queue } from "../types";
import { go, usePlace } from "../url";
import { t } from "../words";
import { QueueDrawer } from "./queue";
import { QueuesOverTime } from "./queuetime";

export function Queues() {
  const world = useWorld();
  const place = usePlace();
  const all = [...world.queues.values()];
  const [resource, resources] = useResource([...all.map((q) => q.deserved), ...all.map((q) => q.allocated), ...all.map((q) => q.request)]);
  const folded = place.get("fold").split(",");
  const rows = useMemo(() => tree(world.queues.values(), (name) => !folded.includes(name)), [world.queues, place.get("fold")]);
  const lent = useMemo(() => { // by parent: what queues below it hold above what they deserve
    const out = new Map<string, number>();
    for (const q of world.queues.values()) if (q.name !== "root") out.set(q.parent, (out.get(q.parent) ?? 0) + borrowed(q, resource));
    return out;
  }, [world.queues, resource]);
  const scale = Math.max(1, ...all.map((q) => Math.max(amount(q.allocated[resource]), amount(q.deserved[resource]))), roomOf(world.queues.get("root"), resource));
  const box = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => 60, overscan: 10 });
  const open = place.get("queue");
  const overTime = place.get("as") === "time";
  useEffect(() => {
    const at = rows.findIndex((r) => r.queue.name === open);
    if (at >= 0) list.scrollToIndex(at, { align: "auto" });
  }, [open]);
  const fold = (name: string) => {
    const now = folded.filter((f) => f !== "");
    go("queues", { fold: (now.includes(name) ? now.filter((f) => f !== name) : [...now, name]).join(",") }, true);
  };
  return (
    <div className="split">
      <section className="view" aria-label={t("Queues")}>
        <div className="tools">
          <ResourcePicker view="queues" value={resource} all={resources.filter((r) => r !== "pods")} />
          <div className="segments" role="group" aria-label={t("Show")}>
            <button aria-pressed={!overTime} onClick={() => go("queues", { as: "" }, true)}>{t("Now")}</button>
            <button aria-pressed={overTime} onClick={() => go("queues", { as: "time" }, true)}>{t("Over time")}</button>
          </div>
          {!overTime && <Key />}
        </div>
        {rows.length === 0 ? <Empty title={t("No queues")} /> : overTime ? <QueuesOverTime resource={resource} /> : (
          <div className="queues rows"><div className="queue head" aria-hidden="true"><div className="label">{t("Queue")}</div><div /><div className="figures">{t("Allocated of deserved")}</div></div>
          <div className="scroll" ref={box} role="tree" aria-label={t("Queues")} tabIndex={0} onKeyDown={(e) => {
            if (toDrawer(e)) return;
            const folds = { ArrowLeft: false, ArrowRight: true }[e.key];
            if (folds !== undefined) { // of the queue that is open: a queue is unfolded to the right
              if (rows.some((r) => r.queue.name === open && r.children > 0) && folded.includes(open) === folds) fold(open);
              return;
            }
            const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
            if (!step) return;
            e.preventDefault();
            const at = rows.findIndex((r) => r.queue.name === open);
            const to = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
            if (to) go("queues", { queue: to.queue.name }, true);
          }}>
            <div className="tall" style={{ height: list.getTotalSize() }}>
              {list.getVirtualItems().map((item) => {
                const { queue, depth, children } = rows[item.index]!;
                return (
                  <div key={queue.name} role="treeitem" aria-level={depth + 1} aria-selected={queue.name === open}
                    {...(children > 0 && { "aria-expanded": !folded.includes(queue.name) })}
                    className="queue" style={{ transform: `translateY(${item.start}px)` }} onClick={() => go("queues", { queue: queue.name }, true)}>
                    <div className="label" style={{ paddingLeft: Math.min(depth, 10) * 18 }}>
                      {children > 0 ? <button className="fold" tabIndex={-1} aria-hidden="true" onClick={(e) => { e.stopPropagation(); fold(queue.name); }}>{folded.includes(queue.name) ? "▸" : "▾"}</button> : <span className="fold" />}
                      <div className="title"><b>{queue.name}</b><small>{notes(queue, resource, depth, lent.get(queue.parent) ?? 0)}</small></div>
                    </div>
                    <Bullet queue={queue} resource={resource} scale={scale} />
                    <div className="figures"><b>{show(amount(queue.allocated[resource]), resource)}</b><span> {t("of")} {show(amount(queue.deserved[resource]), resource)}</span></div>
                  </div>
                );
              })}
            </div>
          </div></div>
        )}
        <p className="unseen">{resourceName(resource)}</p>
      </section>
      {open !== "" && <QueueDrawer name={open} resource={resource} onClose={() => go("queues", { queue: "" }, true)} />}
    </div>
  );
}

const roomOf = (root: Queue | undefined, resource: string) => (root ? amount(root.realCapability[resource]) || amount(root.deserved[resource]) : 0);

function notes(q: Queue, resource: string, depth: number, lent: number): string {
  const out: string[] = [];
  if (depth > 10) out.push(`↳ ${depth}`);
  if (q.state !== "Open") out.push(t("closed"));
  if (q.name !== "root") out.push(`${t("Weight")} ${q.weight}`);
  const more = borrowed(q, resource);
  if (more > 0 && q.name !== "root") out.push(`${t("borrows")} ${show(more, resource)}`);
  const lends = Math.min(lacking(q, resource), lent);
  if (lends > 0 && q.name !== "root") out.push(`${t("lends up to")} ${show(lends, resource)}`);
  if (q.waiting) out.push(`${q.waiting} ${t(q.waiting === 1 ? "job waits" : "jobs wait")}`);
  if (q.turn === 1) out.push(t("served next"));
  return out.join(" · ");
}

/** What the marks of a bar mean. */
function Key() {
  return (
    <ul className="key" aria-hidden="true">
      <li><i className="held" />{t("Allocated")}</li><li><i className="over" />{t("borrows")}</li><li><i className="tick" />{t("Deserved")}</li>
      <li><i className="asked" />{t("Requested")}</li><li><i className="sure" />{t("Guaranteed")}</li><li><i className="limit" />{t("At most")}</li>
    </ul>
  );
}
