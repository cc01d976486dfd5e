import { memo, useMemo } from "react";
import { useAnswer } from "../api";
import { amount, resourceName, show } from "../amounts";
import { Cell, Drawer, Empty, ResourcePicker, useResource, VirtualRows } from "../bits";
import { useWorld } from "../store";
import type { Answer, Booking, Node, Pod } from "../types";
import { address, go, usePlace } from "../url";
import { t } from "../words";
import { BookedFor, BookingDrawer, Bookings, useBookings } from "./bookings";
import { Devices, DevicesOn, squareOf, standing, withDevices } from "./devices";
import { LargestGang } from "./gangs";

interface Domain { name: string; path: string[]; nodes: Node[] }

/** Nodes by the smallest HyperNode that they are in, these by the ones above. */
function domains(nodes: Iterable<Node>): Domain[] {
  const found = new Map<string, Domain>();
  for (const n of nodes) {
    const path = [...(n.hyperNodes ?? [])].reverse();
    const key = path.join("\n");
    const d = found.get(key);
    if (d) d.nodes.push(n);
    else found.set(key, { name: path.at(-1) ?? "", path, nodes: [n] });
  }
  const all = [...found.entries()].sort(([a], [b]) => Number(a === "") - Number(b === "") || (a < b ? -1 : 1)).map(([, d]) => d);
  const natural = new Intl.Collator("en", { numeric: true });
  for (const d of all) d.nodes.sort((a, b) => natural.compare(a.name, b.name));
  return all;
}

export function Cluster() {
  const world = useWorld();
  const place = usePlace();
  const nodes = useMemo(() => [...world.nodes.values()].map(withDevices), [world.nodes]);
  const [resource, resources] = useResource(nodes.map((n) => n.allocatable));
  const groups = useMemo(() => domains(nodes), [nodes]);
  const open = place.get("node");
  const booked = useBookings();
  const booking = place.get("booking");
  const as = ["table", "bookings", "devices"].includes(place.get("as")) ? place.get("as") : "";
  const panel = as === "bookings" || as === "devices";
  const off = nodes.reduce((s, n) => s + (standing(n, resource)?.unusable ?? 0), 0);
  const shared = nodes.some((n) => (standing(n, resource)?.shared ?? 0) > 0);
  const marked = useMemo(() => new Set(booked.list.find((b) => b.name === booking)?.nodes), [booked.list, booking]);
  const v = (n: Node, of: "used" | "allocatable" | "idle") => amount(n[of][resource]);
  const total = nodes.reduce((s, n) => s + v(n, "allocatable"), 0);
  const free = nodes.reduce((s, n) => s + v(n, "idle"), 0);
  const kept = nodes.reduce((s, n) => s + keptOf(n, resource), 0);
  const later = nodes.reduce((s, n) => s + pipelinedOrKept(n, resource), 0) - kept;
  const largest = nodes.reduce((m, n) => Math.max(m, v(n, "idle")), 0);
  if (nodes.length === 0) return <section className="view"><Empty title={t("No nodes")} /></section>;
  const tops = new Map<string, Domain[]>();
  for (const g of groups) {
    const top = g.path.length > 1 ? g.path.slice(0, -1).join(" › ") : "";
    tops.set(top, [...(tops.get(top) ?? []), g]);
  }
  return (
    <div className="split">
      <section className="view" aria-label={t("Cluster")}>
        <div className="tools">
          {!panel && <ResourcePicker view="cluster" value={resource} all={resources.filter((r) => r !== "pods")} />}
          <div className="segments" role="group" aria-label={t("Show")}>
            <button aria-pressed={as === ""} onClick={() => go("cluster", { as: "" }, true)}>{t("Map")}</button>
            <button aria-pressed={as === "table"} onClick={() => go("cluster", { as: "table" }, true)}>{t("Table")}</button>
            {(as === "devices" || nodes.some((n) => n.devices)) && <button aria-pressed={as === "devices"} onClick={() => go("cluster", { as: "devices" }, true)}>{t("Devices")}</button>}
            {(booked.list.length > 0 || booked.unknown.length > 0 || as === "bookings") && <button aria-pressed={as === "bookings"} onClick={() => go("cluster", { as: "bookings" }, true)}>{t("Bookings")} <b>{booked.list.length}</b></button>}
          </div>
        </div>
        {!panel && <div className="tiles">
          <Tile label={t("Free in all")} value={`${show(free, resource)}`} more={`${t("of")} ${show(total, resource)} ${resourceName(resource)}${kept > 0 ? ` · ${show(kept, resource)} ${t("kept for jobs that wait")}` : ""}${later > 0 ? ` · ${show(later, resource)} ${t("in use, then kept for jobs that wait")}` : ""}${off > 0 ? ` · ${off} ${t("cannot be used")}` : ""}`} />
          <Tile label={t("Largest on one node")} value={show(largest, resource)} more={resourceName(resource)} />
          <FreeHistogram nodes={nodes} resource={resource} />
          {as === "" && <LargestGang nodes={nodes} resource={resource} />}
        </div>}
        {as === "" && <ul className="key slots-key" aria-hidden="true"><li><i className="full" />{t("used")}</li><li><i className="going" />{t("being freed")}</li><li><i className="kept" />{t("kept for jobs that wait")}</li><li><i />{t("free")}</li>{shared && <li><i className="part" />{t("shared")}</li>}{off > 0 && <li><i className="off" />{t("cannot be used")}</li>}{marked.size > 0 && <li><i className="booked" />{t("Booking")} {booking}</li>}</ul>}
        {as === "bookings" ? <Bookings {...booked} open={booking} /> : as === "devices" ? <Devices /> : as === "table" ? (
          <VirtualRows rows={nodes} height={40} label={t("Nodes")} columns="nodes" keyOf={(n) => n.name} selected={open} onOpen={(node) => go("cluster", { node }, true)}
            head={<><div role="columnheader">{t("Node")}</div><div role="columnheader" className="number">{t("used")}</div><div role="columnheader" className="number">{t("free")}</div><div role="columnheader" className="wide">HyperNode</div></>}
            render={(n) => <><Cell className="title"><b>{n.name}</b></Cell><Cell className="number">{show(v(n, "used"), resource)}</Cell><Cell className="number">{show(v(n, "idle"), resource)}</Cell><Cell className="wide" title={n.hyperNodes?.join(" ‹ ") ?? ""}>{n.hyperNodes?.join(" ‹ ")}</Cell></>} />
        ) : (
          <div className="scroll map" tabIndex={0} role="group" aria-label={t("Nodes")}>
            {[...tops].map(([top, inside]) => (
              <div key={top} className={top ? "hall named" : "hall"}>
                {top && <h2>{top}</h2>}
                <div className="racks">{inside.map((d) => <Rack key={d.path.join("/")} d={d} Heading={top ? "h3" : "h2"} resource={resource} open={open} marked={marked} />)}</div>
              </div>
            ))}
          </div>
        )}
      </section>
      {open !== "" ? <NodeDrawer name={open} bookings={booked.list} onClose={() => go("cluster", { node: "" }, true)} />
        : booking !== "" && <BookingDrawer name={booking} list={booked.list} onClose={() => go("cluster", { booking: "" }, true)} />}
    </div>
  );
}

/** pipelinedOrKept is what jobs that wait are to get of a node; keptOf is what of it is free already. */
const pipelinedOrKept = (n: Node, r: string) => amount(n.claimed?.[r]) + amount(n.pipelined[r]);
const keptOf = (n: Node, r: string) => Math.max(0, Math.min(amount(n.allocatable[r]) - amount(n.used[r]), pipelinedOrKept(n, r)));

export function Tile({ label, value, more, tone = "", href }: { label: string; value: string; more?: string; tone?: string; href?: string }) {
  const inside = <><span className="label">{label}</span><span className="value">{value}</span>{more && <span className="more">{more}</span>}</>;
  return href ? <a className={`tile ${tone}`} href={href}>{inside}</a> : <div className={`tile ${tone}`}>{inside}</div>;
}

/** How many nodes have how much free: what a gang of large pods finds. */
function FreeHistogram({ nodes, resource }: { nodes: Node[]; resource: string }) {
  const most = nodes.reduce((m, n) => Math.max(m, amount(n.allocatable[resource])), 0);
  const whole = most <= 16 && most > 0 && Number.isInteger(most);
  const bins = whole ? most + 1 : 9;
  const counts = Array.from({ length: bins }, () => 0);
  for (const n of nodes) {
    const idle = amount(n.idle[resource]);
    const at = whole ? Math.floor(idle) : Math.floor((idle / (most || 1)) * 8.0001);
    counts[Math.min(bins - 1, Math.max(0, at))]!++;
  }
  const top = Math.max(1, ...counts);
  return (
    <div className="tile histogram"><span className="label">{t("Nodes by what is free")}</span>
      <div className="bars" role="img" aria-label={counts.map((c, i) => `${c}: ${i}`).join(", ")}>
        {counts.map((c, i) => <span key={i} title={`${c} ${t("Nodes")}`}><em>{c || ""}</em><i style={{ height: `${(100 * c) / top}%` }} /><small>{whole ? i : i === 0 ? "0" : show((most * i) / 8, resource)}</small></span>)}
      </div>
    </div>
  );
}

function Rack({ d, Heading, resource, open, marked }: { d: Domain; Heading: "h2" | "h3"; resource: string; open: string; marked: Set<string> }) {
  const free = d.nodes.reduce((s, n) => s + amount(n.idle[resource]), 0);
  const dense = d.nodes.length > 120;
  return (
    <div className="rack">
      <Heading>{d.name || t("In no HyperNode")}<span>{show(free, resource)} {t("free")}</span></Heading>
      <div className={dense ? "cells dense" : "cells"}>
        {d.nodes.map((n) => <NodeCell key={n.name} n={n} resource={resource} on={n.name === open} dense={dense} booked={marked.has(n.name)} />)}
      </div>
    </div>
  );
}

const NodeCell = memo(function NodeCell({ n, resource, on, dense, booked }: { n: Node; resource: string; on: boolean; dense: boolean; booked: boolean }) {
  const all = amount(n.allocatable[resource]), used = amount(n.used[resource]), going = amount(n.releasing[resource]);
  const kept = keptOf(n, resource), devices = standing(n, resource);
  const label = `${n.name}: ${show(used, resource)} ${t("of")} ${show(all, resource)} ${resourceName(resource)}${kept > 0 ? `, ${show(kept, resource)} ${t("kept for jobs that wait")}` : ""}${devices?.unusable ? `, ${devices.unusable} ${t("cannot be used")}` : ""}${booked ? `, ${t("booked")}` : ""}`;
  const slots = all > 0 && all <= 16 && Number.isInteger(all) && !dense;
  return (
    <button className={`cell${on ? " on" : ""}${booked ? " booked" : ""}`} title={label} aria-label={label} onClick={() => go("cluster", { node: n.name }, true)}>
      {slots ? (
        <span className="slots">{Array.from({ length: all }, (_, i) => <i key={i} className={devices ? squareOf(devices, i) : i < Math.floor(used - going) ? "full" : i < used ? (i < used - going ? "part" : "going") : i < used + kept ? "kept" : ""} />)}</span>
      ) : <span className="fill"><i style={{ height: `${all > 0 ? Math.min(100, (100 * used) / all) : 0}%` }} /></span>}
      {!dense && <Short name={n.name} />}
    </button>
  );
});

/** Short is a name of which the middle is left out where it is too long: names of nodes often differ at their ends. */
function Short({ name }: { name: string }) {
  return name.length > 9 ? <small><span>{name.slice(0, -4)}</span><span>{name.slice(-4)}</span></small> : <small>{name}</small>;
}

function NodeDrawer({ name, bookings, onClose }: { name: string; bookings: Booking[]; onClose: () => void }) {
  const world = useWorld();
  const n = world.nodes.get(name);
  const { data } = useAnswer<{ items: Pod[]; continue?: string }>(n ? `/v1/pods?node=${encodeURIComponent(name)}&limit=500` : null, world.moment);
  const { data: why } = useAnswer<Answer>(n && world.state.source === "cluster" ? `/v1/why/node/${encodeURIComponent(name)}` : null, world.moment, 2500);
  if (!n) return <Drawer kind={t("Node")} title={name} onClose={onClose}><Empty title={t("No such node at this moment")} /></Drawer>;
  const rows = Object.keys(n.allocatable).filter((r) => r !== "pods").sort();
  const pods = (data?.items ?? []).filter((p) => p.status !== "Succeeded" && p.status !== "Failed");
  const cell = (q: string | undefined, r: string) => show(amount(q), r);
  return (
    <Drawer kind={t("Node")} title={name} onClose={onClose}>
      {(n.hyperNodes || why?.node?.cordoned || (why?.node?.taints.length ?? 0) > 0) && <section><p className="places">
        {why?.node?.cordoned && <span className="chip warn">{t("cordoned")}</span>}
        {why?.node?.taints.map((x) => <span key={x} className="chip" title={t("Taint")}>{x}</span>)}
        {n.hyperNodes?.map((h) => <span key={h} className="chip">{h}</span>)}</p></section>}
      <section><table className="figures-table">
        <thead><tr><th scope="col">{t("Resource")}</th><th scope="col">{t("used")}</th><th scope="col">{t("free")}</th><th scope="col">{t("being freed")}</th><th scope="col">{t("pipelined")}</th></tr></thead>
        <tbody>{rows.map((r) => <tr key={r}><th scope="row" title={r}>{resourceName(r)}</th><td>{cell(n.used[r], r)} {t("of")} {cell(n.allocatable[r], r)}</td><td>{cell(n.idle[r], r)}</td><td>{cell(n.releasing[r], r)}</td><td>{cell(n.pipelined[r], r)}</td></tr>)}</tbody>
      </table></section>
      <DevicesOn node={n} pods={pods} />
      <BookedFor node={name} list={bookings} />
      {why?.node && why.node.keptFor.length > 0 && <section><h3>{t("Room is kept for")} <span className="note">{why.node.keptFor.length}</span></h3>
        <ul className="plain pods">{why.node.keptFor.slice(0, 50).map((p) => <li key={`${p.namespace}/${p.name}`}><b>{p.name}</b> <small>{p.queue}</small>{p.job && <><br /><a href={address("jobs", { job: `${p.namespace}/${p.job}`, node: "" })}>{p.job}</a></>}</li>)}</ul></section>}
      <section><h3>{t("Pods on it")} <span className="note">{pods.length}{data?.continue ? "+" : ""}</span></h3>
        <ul className="plain pods">{pods.map((p) => <li key={`${p.namespace}/${p.name}`}><b>{p.name}</b> <small>{p.status}</small><br />{p.job && <a href={address("jobs", { job: `${p.namespace}/${p.job}${p.jobOwner ? `/${p.jobOwner.kind}/${p.jobOwner.uid ?? ""}` : ""}`, node: "" })}>{p.job}</a>}</li>)}</ul></section>
    </Drawer>
  );
}
