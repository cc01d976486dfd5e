// The documents of the read API, as far as the page shows them. They are internal/explain's.

export type Quantities = Record<string, string>;

export interface Evicting { action: string; code: string; message: string; next?: Evicting }
export interface Reason { code: string; cause?: string; never?: string; message: string; evicting?: Evicting }
export interface Owner { kind: string; uid?: string }
export interface SubJob { name: string; size: number; placed: number; hyperNode?: string }

export interface Job {
  namespace: string; name: string; queue: string; phase: string; minMember: number; priority: number;
  tasks: Record<string, number>; reason: Reason; created?: string; owner?: Owner;
  hyperNode?: string; subJobs?: SubJob[]; start?: Start;
}

/** When a job starts if nothing new comes; times are RFC 3339, absent where they are not known. */
export interface Start { earliest?: string; latest?: string; source?: string; unknown?: string; message: string }

export interface Queue {
  name: string; parent: string; state: string; weight: number; priority: number; share: number; overused: boolean;
  deserved: Quantities; allocated: Quantities; request: Quantities; inqueue: Quantities; elastic: Quantities;
  guarantee: Quantities; capability: Quantities; realCapability: Quantities;
  closedBy?: string; turn?: number; waiting?: number;
}

export interface Node {
  name: string; allocatable: Quantities; used: Quantities; idle: Quantities; releasing: Quantities;
  pipelined: Quantities; futureIdle: Quantities; claimed?: Quantities; hyperNodes?: string[];
  cordoned?: boolean; taints?: string[];
  devices?: DeviceGroup[];
}

/** Devices of resource claims: how many stand in which state. A device is in one group. */
export interface DeviceCounts { total: number; free: number; allocated: number; shared: number; unusable: number; shares?: number }
export interface DeviceGroup extends DeviceCounts { driver: string; pool?: string; classes: string[] }
export interface DeviceRow {
  driver: string; pool: string; node?: string; classes: string[]; name: string; state: string; why?: string; taints?: string[];
  attributes?: Quantities; capacity?: Quantities; used?: Quantities;
  holders?: { namespace: string; claim: string; pods?: string[]; share?: string; consumes?: Quantities; adminAccess?: boolean }[];
}

export interface Pod {
  namespace: string; name: string; job: string; status: string; node: string; nominatedNode: string; jobOwner?: Owner;
}

export interface Eviction {
  cycle: number; time: string; namespace: string; name: string; job: string; queue: string; action: string; for: string;
  reason: string; at?: string; record?: EvictionRecord;
}

/** The audit of an eviction; of an event it has only what the event says. */
export interface EvictionRecord {
  forPod: string; forQueue: string; forPriority: number; forNode: string; priority: number; whole: boolean;
  tier: number; plugins: string[]; alsoPermitted?: { tier: number; plugins: string[] }[];
  queueHeld?: Quantities; queueDeserved?: Quantities; forQueueHeld?: Quantities; forQueueDeserved?: Quantities;
  held: Quantities; ran: string; lostSeconds: Quantities; nodesTried: number; nodesRuledOut: number; exhausted: boolean;
  alternatives: { node: string; why: string }[]; ofEvent?: boolean;
}
export interface Evictions {
  items: Eviction[]; total: number; unknown?: string[]; since?: string;
  hidden?: { count: number; byAction: Record<string, number> }; // of the last hour
}

/** What a cycle decided, in figures. Quiet are the cycles since the one before in the list, which decided nothing. */
export interface Cycle {
  cycle: number; time: string; seconds?: number; bound?: number; evicted?: number; admitted?: number; withdrawn?: number;
  other?: number; took?: number; panicked?: boolean; quiet?: number;
}
export interface CycleList { since?: string; items: Cycle[]; last: number; quiet?: number; more?: number }
export interface CycleAnswer extends Cycle {
  decisions: { job?: string; what: string }[]; evictions: Eviction[]; more?: number; hidden?: number;
}

/** What queues held and deserved over time; amounts in the units of a Point, null where a queue was not there. */
export interface QueueHistory {
  resource: string; seconds: number[]; queues: { name: string; held: (number | null)[]; deserved: (number | null)[] }[];
}

/** What happened to a job, the oldest first. */
export interface History { since?: string; moments: { cycle?: number; time: string; what: string[] }[]; now?: string; notes: string[] }

export interface Booking {
  name: string; for: string; phase: string; from?: string; to?: string; nodes: string[]; nodeCount?: number;
  overlaps?: string[]; conflicts?: { namespace: string; pod: string; node: string }[]; conflictCount: number;
  endedEarly?: string; message?: string;
}

export interface Problem { object: string; message: string }

export interface Play { playing: boolean; ended: boolean; speed: number; now: number; edge: number; frame: number; began: string }

export interface State {
  title?: string; source?: string; cycle: number; at?: string; simulated?: boolean; play?: Play; problems?: number;
  whatIf?: boolean; version?: string; scheduler?: string; // versions of the page and of the scheduler
}

export interface Event {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"; kind?: string; cycle: number; at: string;
  object?: unknown; state?: State;
}

export interface Point {
  number: number; cycle: number; seconds: number; waiting: Record<string, number>; jobs: number; running: number;
  pods: number; evicted: number; bound: number; oldest: number; room: Record<string, number>; used: Record<string, number>;
}

export interface Level { queue: string; above: string; childGuarantees: string; guarantee: string; capability: string; realCapability: string }
export interface Round {
  number: number; totalWeight: number; remaining: string; given: string; withinRealCapability: string;
  withinRequest: string; deserved: string; met: boolean; settling: boolean;
}
export interface Arithmetic {
  resource: string; levels: Level[]; weight: number; request: string; guarantee: string; named: string; rounds: Round[];
  deserved: string;
}
export interface Step { name: string; verdict: "passed" | "refused" | "notReached" | "told"; text: string; details?: string[] }
export interface Answer {
  summary: string; path: Step[]; wouldRunIf: { kind: string; text: string; evicts?: string[] }[]; notes: string[];
  wouldRunTried?: string; start?: Start;
  queue?: Queue & { why?: Why; waits?: { code: string; jobs: number; example: string; message: string }[] };
  node?: { cordoned: boolean; taints: string[]; keptFor: Holder[] };
}
export interface Holder { namespace: string; name: string; job: string; queue: string }
export interface Why { queue: string; reason: Reason; resources: Arithmetic[] }

export interface Fared { starts: number; evicted: number; reason: Reason }
export interface Move { namespace: string; name: string; queue: string; before: Fared | null; after: Fared | null }
export interface Sample { seconds: number; waiting: number; running: number; evicted: number; used: Record<string, number> }
export interface WhatIf {
  seconds: number; cut: boolean; queues: { name: string; before: Queue; after: Queue }[]; jobs: Move[]; more: number;
  evicted: Eviction[]; spared: Eviction[]; problems: Problem[]; without: Sample[]; with: Sample[];
}
