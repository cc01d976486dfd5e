// Devices of resource claims (DRA): counted on nodes, summed up by driver and class, and one by one.
import { useMemo } from "react";
import { useAnswer } from "../api";
import { amount } from "../amounts";
import { useWorld } from "../store";
import type { DeviceCounts, DeviceGroup, DeviceRow, Node, Pod, Quantities } from "../types";
import { address } from "../url";
import { t } from "../words";

const stateWords: Record<string, string> = { Free: "free", Allocated: "allocated", Shared: "shared", Unusable: "cannot be used" };
const marks: { [state: string]: string } = { Free: "", Allocated: "full", Shared: "part", Unusable: "off" };

/** keys are the resources as which a group is shown on the map: its classes, or its driver where no class selects it. */
const keys = (g: DeviceGroup): string[] => (g.classes.length > 0 ? g.classes.map((c) => `deviceclass/${c}`) : [`driver/${g.driver}`]);

const none: DeviceCounts = { total: 0, free: 0, allocated: 0, shared: 0, unusable: 0 };

const summed = (list: DeviceCounts[]): DeviceCounts => list.reduce((s, g) => ({
  total: s.total + g.total, free: s.free + g.free, allocated: s.allocated + g.allocated, shared: s.shared + g.shared,
  unusable: s.unusable + g.unusable, shares: (s.shares ?? 0) + (g.shares ?? 0),
}), none);

/** standing is how the devices of a node stand that are shown as a resource; undefined: it is no such resource. */
export function standing(n: Node, resource: string): DeviceCounts | undefined {
  if (!n.devices || !/^(deviceclass|driver)\//.test(resource)) return undefined;
  return summed(n.devices.filter((g) => keys(g).includes(resource)));
}

const extended = new WeakMap<Node, Node>(); // rows are replaced, never changed

/** withDevices is a node with its devices among its resources. */
export function withDevices(n: Node): Node {
  if (!n.devices?.length) return n;
  let out = extended.get(n);
  if (!out) {
    const more: Record<"allocatable" | "used" | "idle" | "futureIdle", Quantities> = { allocatable: {}, used: {}, idle: {}, futureIdle: {} };
    for (const key of new Set(n.devices.flatMap(keys))) {
      const of = standing(n, key)!;
      more.allocatable[key] = String(of.total);
      more.used[key] = String(of.allocated + of.shared);
      more.idle[key] = more.futureIdle[key] = String(of.free);
    }
    out = { ...n, allocatable: { ...more.allocatable, ...n.allocatable }, used: { ...more.used, ...n.used }, idle: { ...more.idle, ...n.idle }, futureIdle: { ...more.futureIdle, ...n.futureIdle } };
    extended.set(n, out);
  }
  return out;
}

/** squareOf is how the ith square of a node is drawn. */
export const squareOf = (c: DeviceCounts, i: number): string =>
  (i < c.allocated ? "full" : i < c.allocated + c.shared ? "part" : i < c.allocated + c.shared + c.free ? "" : "off");

/** countsText is "6 of 8, 1 shared, 1 cannot be used". */
export const countsText = (c: DeviceCounts): string => [`${c.allocated} ${t("of")} ${c.total} ${t("allocated")}`,
  ...(c.shared > 0 ? [`${c.shared} ${t("shared")} (${c.shares ?? 0} ${t("shares")})`] : []),
  ...(c.unusable > 0 ? [`${c.unusable} ${t("cannot be used")}`] : []), `${c.free} ${t("free")}`].join(", ");

const part = (n: number, c: DeviceCounts) => ({ width: `${c.total > 0 ? (100 * n) / c.total : 0}%` });

/** All devices by driver and class, and those that cannot be used. */
export function Devices() {
  const world = useWorld();
  const { data, error } = useAnswer<{ items: DeviceGroup[] }>("/v1/list/devices", world.moment);
  const { data: faulty } = useAnswer<{ items: DeviceRow[]; continue?: string }>("/v1/devices?state=unusable&limit=100", world.moment, 3000);
  const groups = data?.items ?? [];
  return (
    <div className="scroll devices" tabIndex={0} role="group" aria-label={t("Devices")}>
      {error && <p className="note">{error}</p>}
      {data && groups.length === 0 && <p className="note">{t("No devices")}</p>}
      {groups.length > 0 && <table className="figures-table">
        <thead><tr><th scope="col">{t("Class")}</th><th scope="col" className="unless-phone">{t("Driver")}</th><th scope="col" className="share">{t("in use")}</th><th scope="col">{t("allocated")}</th><th scope="col" className="unless-phone">{t("shared")}</th><th scope="col" className="unless-phone">{t("cannot be used")}</th><th scope="col">{t("free")}</th></tr></thead>
        <tbody>{groups.map((g) => <tr key={`${g.driver}\n${g.classes.join("\n")}`}>
          <th scope="row">{keys(g).map((key) => <a key={key} href={address("cluster", { as: "", res: key })} title={g.driver}>{key.slice(key.indexOf("/") + 1)}</a>)}</th>
          <td className="unless-phone">{g.driver}</td>
          <td className="share"><span className="stack" role="img" aria-label={countsText(g)}><i className="full" style={part(g.allocated, g)} /><i className="part" style={part(g.shared, g)} /><i style={part(g.free, g)} /><i className="off" style={part(g.unusable, g)} /></span></td>
          <td>{g.allocated} {t("of")} {g.total}</td>
          <td className="unless-phone">{g.shared}{g.shares ? <small> {g.shares} {t("shares")}</small> : null}</td>
          <td className="unless-phone">{g.unusable}</td><td>{g.free}</td></tr>)}</tbody>
      </table>}
      {faulty && faulty.items.length > 0 && <section><h2>{t("Devices that cannot be used")} <span className="note">{faulty.items.length}{faulty.continue ? "+" : ""}</span></h2>
        <ul className="plain">{faulty.items.map((d) => <li key={`${d.driver}/${d.pool}/${d.node ?? ""}/${d.name}`}><b>{d.name}</b> {d.node ? <a href={address("cluster", { node: d.node })}>{d.node}</a> : <small>{d.pool}</small>}<br /><small>{d.why}</small></li>)}</ul></section>}
    </div>
  );
}

/** DevicesOn lists the devices of a node, with the claims and pods that have them. */
export function DevicesOn({ node, pods }: { node: Node; pods: Pod[] }) {
  const world = useWorld();
  const { data, error } = useAnswer<{ items: DeviceRow[]; hidden?: object }>(node.devices?.length ? `/v1/devices?node=${encodeURIComponent(node.name)}&limit=500` : null, world.moment);
  if (!node.devices?.length) return null;
  const rows = data?.items ?? [];
  return (
    <section className="devices-on"><h3>{t("Devices")}</h3>
      {error && <p className="note">{error}</p>}
      {data && rows.length === 0 && <p className="note">{t("You may not list ResourceSlices: devices are counted here, and not named.")}</p>}
      {node.devices.map((g) => <Group key={`${g.driver}\n${g.pool}\n${g.classes.join("\n")}`} g={g} pods={pods}
        rows={rows.filter((d) => d.driver === g.driver && d.pool === g.pool && d.classes.join("\n") === g.classes.join("\n"))} />)}
    </section>
  );
}

function Group({ g, rows, pods }: { g: DeviceGroup; rows: DeviceRow[]; pods: Pod[] }) {
  const common = useMemo(() => Object.entries(rows[0]?.attributes ?? {}).filter(([name, value]) =>
    rows.every((d) => d.attributes?.[name] === value)), [rows]);
  return (
    <>
      <p className="note"><b>{g.classes.join(", ") || g.driver}</b> {countsText(g)}</p>
      {rows.length > 1 && common.length > 0 && <p className="places" title={t("All of them")}>{common.map(([name, value]) => <Value key={name} name={name} value={value} />)}</p>}
      <ul className="plain">{rows.map((d) => <li key={d.name}>
        <i className={`device-mark ${marks[d.state] ?? ""}`} aria-hidden="true" /><b>{d.name}</b> <small>{t(stateWords[d.state] ?? d.state)}</small>
        {d.holders?.map((h) => <div key={`${h.namespace}/${h.claim}/${h.share ?? ""}`}>{h.adminAccess ? `${t("for administration")}: ` : ""}{h.namespace}/{h.claim} {h.pods?.map((p, i) => <Held key={i} pod={pods.find((x) => x.namespace === h.namespace && x.name === p)} name={p} />)}
          {Object.entries(h.consumes ?? {}).map(([name, q]) => <Value key={name} name={name} value={`${q} ${t("of")} ${d.capacity?.[name] ?? "?"}`} />)}</div>)}
        {d.why && <div className="wrong">{d.why}</div>}
        <p className="places">{d.taints?.map((x) => <span key={x} className="chip warn" title={t("Taint")}>{x}</span>)}
          {Object.entries(d.capacity ?? {}).map(([name, q]) => <Value key={name} name={name} value={d.used?.[name] && amount(d.used[name]) > 0 ? `${d.used[name]} ${t("of")} ${q}` : q} />)}
          {Object.entries(d.attributes ?? {}).filter(([name]) => rows.length === 1 || !common.some(([n]) => n === name)).map(([name, value]) => <Value key={name} name={name} value={value} />)}</p>
      </li>)}</ul>
    </>
  );
}

const Value = ({ name, value }: { name: string; value: string }) => <span className="chip" title={name}>{name.split("/").pop()} {value}</span>;

function Held({ pod, name }: { pod: Pod | undefined; name: string }) {
  return pod?.job ? <><a href={address("jobs", { job: `${pod.namespace}/${pod.job}${pod.jobOwner ? `/${pod.jobOwner.kind}/${pod.jobOwner.uid ?? ""}` : ""}`, node: "" })}>{name}</a> </> : <>{name} </>;
}
