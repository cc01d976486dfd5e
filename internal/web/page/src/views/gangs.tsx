// The largest gang that fits into free room, by tier of the topology. Nodes that take no pods are left out, and those
// with taints unless the gang tolerates them.
import { useMemo } from "react";
import { amount, resourceName, show } from "../amounts";
import type { Node } from "../types";
import { go, usePlace } from "../url";
import { t } from "../words";

/** sizes are what a member may ask for: powers of two, up to what a whole node has. */
function sizes(nodes: Node[], resource: string): number[] {
  const most = nodes.reduce((m, n) => Math.max(m, amount(n.allocatable[resource])), 0);
  if (most <= 0) return [];
  const top = 2 ** Math.floor(Math.log2(most));
  return [32, 16, 8, 4, 2, 1].map((part) => top / part).filter((size) => size >= 1 || size === top);
}

/** room is what a pod may take of a node now: what is free, but for what is kept for jobs that wait. */
const room = (n: Node, r: string) => Math.max(0, Math.min(amount(n.idle[r]), amount(n.futureIdle[r]) - amount(n.claimed?.[r])));

const refuses = (taint: string) => !taint.endsWith(":PreferNoSchedule");
const ofNode = "node.kubernetes.io/"; // not-ready, unreachable, disk-pressure, unschedulable …: ordinary pods tolerate none

/** isShut says that a node takes no ordinary pods: it is cordoned, or Kubernetes has tainted it for what is wrong with it. */
const isShut = (n: Node) => n.cordoned === true || (n.taints ?? []).some((x) => refuses(x) && x.startsWith(ofNode));

/** taintsOf are the taints by which people keep a node for some pods. */
const taintsOf = (n: Node) => (n.taints ?? []).filter((x) => refuses(x) && !x.startsWith(ofNode));

interface Fit { where: string; members: number }

/** fits is the most members of a size: on one node, in one domain of each tier, and on all nodes. */
function fits(nodes: Node[], resource: string, size: number): Fit[] {
  const tiers: Map<string, number>[] = [];
  let all = 0;
  for (const n of nodes) {
    const members = Math.floor(room(n, resource) / size);
    all += members;
    [n.name, ...(n.hyperNodes ?? [])].forEach((name, tier) => {
      const sums = (tiers[tier] ??= new Map<string, number>());
      sums.set(name, (sums.get(name) ?? 0) + members);
    });
  }
  const best = (sums: Map<string, number>) => [...sums].reduce<Fit>((most, [where, members]) =>
    (members > most.members || members === most.members && members > 0 && where < most.where ? { where, members } : most), { where: "", members: 0 });
  return [...(tiers.length === 0 ? [{ where: "", members: 0 }] : tiers.map(best)), { where: "", members: all }];
}

export function LargestGang({ nodes, resource }: { nodes: Node[]; resource: string }) {
  const place = usePlace();
  const asked = Number(place.get("per")), tolerates = place.get("tolerates");
  const choices = useMemo(() => sizes(nodes, resource), [nodes, resource]);
  const size = choices.includes(asked) ? asked : choices[0];
  const { found, shut, tainted, taints } = useMemo(() => {
    const having = nodes.filter((n) => amount(n.allocatable[resource]) > 0);
    const up = having.filter((n) => !isShut(n));
    const takes = up.filter((n) => tolerates === "*" || taintsOf(n).every((x) => x === tolerates));
    return { shut: having.length - up.length, tainted: up.length - takes.length, taints: [...new Set(up.flatMap(taintsOf))].sort(),
      found: size === undefined ? [] : fits(takes, resource, size) };
  }, [nodes, resource, size, tolerates]);
  if (size === undefined) return null;
  const tier = (i: number) => (i === 0 ? t("one node") : i === found.length - 1 ? t("all nodes") : `${t("tier")} ${i}`);
  return (
    <div className="tile gangs"><span className="label">{t("Largest gang that fits now")}</span>
      <label className="more">{t("each member asks for")} <select value={size} onChange={(e) => go("cluster", { per: e.currentTarget.value }, true)}>
        {choices.map((c) => <option key={c} value={c}>{show(c, resource)} {resourceName(resource)}</option>)}
      </select></label>
      {taints.length > 0 && <label className="more">{t("and tolerates")} <select value={tolerates} onChange={(e) => go("cluster", { tolerates: e.currentTarget.value }, true)}>
        <option value="">{t("no taint")}</option><option value="*">{t("all taints")}</option>
        {[...new Set([...taints.slice(0, 50), ...(tolerates !== "" && tolerates !== "*" ? [tolerates] : [])])].map((x) => <option key={x}>{x}</option>)}
      </select></label>}
      <ul>{found.map((f, i) => <li key={i}><span>{tier(i)}{f.where && <small> {f.where}</small>}</span><b>{f.members}</b></li>)}</ul>
      {shut + tainted > 0 && <span className="more left-out">{t("Left out")}: {[shut > 0 ? `${shut} ${t("cordoned or not ready")}` : "", tainted > 0 ? `${tainted} ${t("with taints")}` : ""].filter((x) => x).join(", ")}</span>}
    </div>
  );
}
