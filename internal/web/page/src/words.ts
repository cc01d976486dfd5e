// The page's own words. What the scheduler says (reasons, problems) is in English, as in its events and logs.
import { here } from "./url";

const chinese: Record<string, string> = {
  Pulse: "概览", Jobs: "作业", Queues: "队列", Cluster: "集群", Recorder: "记录",
  "Skip to content": "跳到内容", "Main": "主导航",
  "never starts": "无法启动", waits: "等待中", "runs in part": "部分运行", starts: "启动中", runs: "运行中", ends: "结束中", "is over": "已结束",
  All: "全部", Waiting: "等待", Running: "运行", Over: "结束",
  "Search jobs": "搜索作业", "All queues": "所有队列", "All reasons": "所有原因", Job: "作业", Queue: "队列", State: "状态", Members: "成员", Why: "原因", Age: "时长",
  "No job matches": "没有匹配的作业", "Clear the filters": "清除筛选", "No jobs yet": "还没有作业",
  "Jobs appear here as soon as they are submitted.": "作业提交后会立即显示在这里。",
  Devices: "设备", "No devices": "没有设备", Class: "设备类", Driver: "驱动", allocated: "已分配", shared: "共享", shares: "份", "cannot be used": "不可用", "Devices that cannot be used": "不可用的设备", "for administration": "管理访问", "All of them": "全部",
  "You may not list ResourceSlices: devices are counted here, and not named.": "您无权列出 ResourceSlice：此处只计数设备，不列名称。",
  Close: "关闭", "What stands in the way": "阻碍因素", "Why nothing is evicted for it": "为什么没有为它驱逐", Needs: "需要", Priority: "优先级", "in the domain": "所在域",
  "more members": "个更多成员", "Evictions": "驱逐", "of it": "它的", "evicted for": "被驱逐，为", "made room": "腾出空间",
  "It can never start as it is": "按现状永远无法启动", "It waits": "正在等待", "It runs, with members missing": "运行中，缺少成员", "It is starting": "正在启动", "It runs": "正在运行", "It is ending": "正在结束", "It is over": "已经结束",
  "What if its queue had more weight?": "如果队列权重更高？", "sub-groups": "子组",
  Allocated: "已分配", Deserved: "应得", Requested: "请求", Guaranteed: "保证", "At most": "上限", Weight: "权重", "no limit": "无上限",
  borrows: "借用", "may have": "可得", "jobs wait": "个作业等待", "job waits": "个作业等待", "Jobs that wait": "等待的作业", "served next": "下一个服务", "Turn": "顺序", closed: "已关闭", "No queues": "没有队列",
  "How its share comes about": "份额如何得出", Round: "轮", "to share": "待分", "given by weight": "按权重分得", "within its limit": "限额内", "within its request": "请求内", result: "结果", met: "已满足",
  "What if its weight were": "如果权重为", "It takes no part in sharing.": "它不参与共享。", "Level": "层级",
  "Show": "显示", "Free in all": "总空闲", "Largest on one node": "单节点最大空闲", "Nodes by what is free": "按空闲统计的节点", "Nodes": "节点", "In no HyperNode": "不属于任何 HyperNode", "of": "/",
  "Pods started": "已启动的 Pod", "in the last": "最近", "half wait longer than": "半数等待超过",
  "Largest gang that fits now": "现在放得下的最大成组", "each member asks for": "每个成员请求", "one node": "单个节点", "all nodes": "所有节点", tier: "层级",
  "in use, then kept for jobs that wait": "使用中，之后为等待的作业保留", After: "经过", "without the change → with it": "不更改 → 更改后",
  "free": "空闲", used: "已用", "being freed": "释放中", pipelined: "已预留", "Pods on it": "其上的 Pod", "No nodes": "没有节点", "kept for jobs that wait": "为等待的作业保留", Table: "表格", Map: "地图", Node: "节点",
  "Jobs waiting": "等待的作业", "Jobs running": "运行的作业", "Oldest wait": "最长等待", "in use": "使用中", "Evictions so far": "累计驱逐", "of which never start": "其中无法启动", "of which never starts": "其中无法启动",
  "In use over time": "使用量随时间变化", "Jobs that wait, by reason": "等待的作业，按原因", "What waits for what": "谁在等什么", "Nothing waits": "没有等待的作业", "Every job has its place.": "每个作业都有位置。", "Who holds it": "谁占用", "capacity": "容量",
  "Who was evicted for whom": "谁为谁被驱逐", "Nothing was evicted": "没有驱逐", "Evictions are listed here with the job that got the room.": "驱逐会在此列出，以及获得空间的作业。", "Time": "时间", "Victim": "被驱逐者", "For": "为", "Rule": "规则",
  "What if…": "假设…", "What if": "假设分析", "Another weight": "更改队列权重", "One more job": "再加一个作业", "Look ahead": "向前看", "Compute": "计算", "Computing…": "计算中…", "minutes": "分钟", hour: "小时", hours: "小时",
  "Nothing is written: two copies of the world run on from this moment, one with the change.": "不写入任何内容：从此刻起运行世界的两份副本，其中一份带有更改。",
  "Nothing moves in this time.": "这段时间内没有变化。", "job starts earlier": "个作业更早启动", "jobs start earlier": "个作业更早启动", "job starts later": "个作业更晚启动", "jobs start later": "个作业更晚启动", "more pod evicted": "个 Pod 额外被驱逐", "more pods evicted": "个 Pod 额外被驱逐", "pod fewer evicted": "个 Pod 免于驱逐", "pods fewer evicted": "个 Pod 免于驱逐", "Without": "不变", "With": "更改后", "waits at the end": "最终仍等待", "starts after": "启动于", "had started": "已启动", "not there": "不存在", "starts now": "立即启动", "pods evicted": "个 Pod 被驱逐", "pod evicted": "个 Pod 被驱逐",
  "It took too long: both were run only so far:": "耗时过长：两者都只运行到：", "This moment is in the past: go to the latest one first.": "此刻是过去：请先回到最新时刻。", "Go to the latest": "回到最新",
  "lends up to": "最多借出", "Borrowed and lent": "借入与借出", "It holds more than it deserves": "它占用的超过应得", "These have less than they deserve, and may take it back": "以下队列少于应得，可以收回",
  "It holds less than it deserves": "它占用的少于应得", "These hold more than they deserve": "以下队列超过应得",
  "One job less": "去掉一个作业", "What if it were gone?": "如果没有它？", "What would be otherwise": "更改什么", "Two configurations": "两个配置",
  "Nothing is written: two copies run, the left one by the configuration that holds, the right one by this one.": "不写入任何内容：运行两份副本，左边按当前配置，右边按这个配置。",
  "The other configuration": "另一个配置", "The one that holds": "当前配置", From: "从", "the beginning": "开头", "the latest moment": "最新时刻", "As it is": "恢复原样", Figure: "指标",
  "Jobs waiting on average": "平均等待的作业", "Jobs waiting in the end": "最终等待的作业", "Evictions in all": "驱逐总数", "in use on average": "平均使用",
  Play: "播放", Pause: "暂停", "One step back": "后退一步", "One step on": "前进一步", "To the latest": "到最新", Speed: "速度", "Position in time": "时间位置", "the past": "过去", "the run has ended": "运行已结束",
  "The connection is broken. What is shown may be old; it is tried again.": "连接已断开。显示的内容可能已过时；正在重试。", "Connecting…": "连接中…", "The scheduler is of another version": "调度器是另一个版本",
  "This page is open elsewhere": "此页面已在别处打开", "End “ashlar web” and start it again to open it here.": "结束 “ashlar web” 并重新启动，即可在此打开。",
  "problem in the input": "个输入问题", "problems in the input": "个输入问题", Problems: "问题", "Light or dark": "浅色或深色", "中文": "English", "Simulation": "模拟", "Saved state": "保存的状态", Recording: "录制", "Live cluster": "实时集群",
  "No such job at this moment": "此刻没有这个作业", "No such queue at this moment": "此刻没有这个队列", "No such node at this moment": "此刻没有这个节点",
  "Resource": "资源", "It would run if": "满足以下条件即可运行", "Its way to a node": "通往节点的路径", passed: "通过", refused: "被拒绝", "not reached": "未到达",
  "When it starts": "何时启动", Earliest: "最早", Latest: "最晚", Starts: "启动", in: "还需", never: "不会",
  "by limits of how long pods run": "依据 Pod 运行时限", "by what their authors say": "依据作者声明", "by how long such pods ran before": "依据此类 Pod 以往的时长",
  "None of the changes that were tried would make it run.": "尝试过的更改都不能使其运行。", "No changes could be tried now:": "现在无法尝试更改：", "Changes are being tried on a copy…": "正在副本上尝试更改…",
  "What happened to it": "发生过什么", "Its history is being read…": "正在读取历史…", "Nothing is known of it.": "没有相关记录。", "earlier moments": "个更早的时刻", Cycle: "周期",
  Bookings: "预订", Booking: "预订", booked: "已预订", "It is booked": "已被预订", "Booked for": "预订用途", To: "至", now: "现在", "to come": "未开始", invalid: "无效", maintenance: "维护", node: "个节点", nodes: "个节点", conflict: "个冲突", conflicts: "个冲突", "ends in": "结束还需",
  "No nodes are booked": "没有预订节点", "A Booking keeps nodes free for a time: for maintenance, or for an owner.": "预订会在一段时间内空出节点：用于维护或某个所有者。", "No such booking at this moment": "此刻没有这个预订",
  "Its window was ended early: it was idle, from": "时间窗因空闲而提前结束，起于", "It overlaps": "重叠于", "Pods that may run on into it": "可能运行到该时间窗内的 Pod", "None: its nodes are free in time.": "没有：节点会及时空出。", "Nothing is evicted for a booking.": "不会为预订驱逐任何 Pod。", "Show them on the map": "在地图上显示",
  cordoned: "已封锁", Taint: "污点", "Room is kept for": "空间保留给", "What its jobs wait for": "它的作业在等什么",
 
  Cycles: "周期", Eviction: "驱逐", "Evictions in the last hour": "最近一小时的驱逐", "by rule and queue": "按规则和队列", "in the last hour": "最近一小时", "of others": "属于他人", "of others, in the last hour": "个属于他人，最近一小时", "so far": "累计",
  "No such eviction at this moment": "此刻没有这次驱逐", "No eviction matches": "没有匹配的驱逐", Held: "占用", "Ran for": "已运行", "Its job": "它的作业", "goes as a whole": "整体离开", "keeps its minimum": "保留最少成员", "Permitted by": "许可者", Tier: "层",
  "What the queues held before, and deserved": "队列此前的占用与应得", "The search": "搜索", "node tried": "个节点已尝试", "nodes tried": "个节点已尝试", "ruled out": "个已排除", "the search was given up early": "搜索提前结束",
  "This is what the pod's event says: the scheduler has recorded no more of it.": "以上来自 Pod 的事件：调度器没有更多记录。",
  "The scheduler has recorded none that you may see, and the API server, which keeps events for an hour, has no event of one.": "调度器没有记录您可查看的驱逐；API 服务器的事件保留一小时，其中也没有。",
  "Evictions since this page is open": "打开页面以来的驱逐", "pod bound": "个 Pod 已绑定", "pods bound": "个 Pod 已绑定", "job admitted": "个作业已准入", "jobs admitted": "个作业已准入", "eviction taken back": "个驱逐已撤回", "evictions taken back": "个驱逐已撤回", "other decision": "个其他决定", "other decisions": "个其他决定",
  "No cycle has decided anything yet": "还没有周期做出决定", "Cycles are listed here with what each decided.": "周期及其决定会在此列出。", bound: "绑定", evicted: "驱逐", admitted: "准入", other: "其他", others: "其他", took: "耗时", panicked: "崩溃", "cycles decided something": "个周期做出了决定", "earlier ones": "个更早的",
  "The cluster at that moment": "当时的集群", "The scheduler's recording has it. Save it, open it with this command, and choose the cycle there:": "调度器的录制中有它。保存录制，用此命令打开，然后选择周期：", "Save the recording": "保存录制", "The recording is being read…": "正在读取录制…", "It is saved as": "已保存为",
  "since then decided nothing": "个之后没有决定", "before it decided nothing": "个之前没有决定", "known since": "记录始于", "No such cycle is known": "没有这个周期的记录", Decisions: "决定", "about jobs that you may not see": "个关于您无权查看的作业",
  Now: "现在", "Over time": "随时间变化", "The queues that held the most. Choose others by name.": "占用最多的队列。可按名称选择其他队列。", "Add a queue": "添加队列", "Take it away": "移除",
  "and tolerates": "并容忍", "no taint": "无污点", "all taints": "所有污点", "Left out": "未计入", "cordoned or not ready": "个已封锁或未就绪", "with taints": "个有污点",
  "The curve begins now, and is drawn from the next moment on.": "曲线从现在开始，从下一时刻起绘制。", "Allocated of deserved": "已分配 / 应得", "No queue holds any of it.": "没有队列占用它。",
};

const codesChinese: Record<string, string> = {
  GangIncomplete: "成组成员不足", QueueDeserved: "超出队列应得", QueueOverused: "队列已超用", QueueCapability: "超出队列上限", QueueQuotaInsufficient: "队列配额不足",
  NotEnoughResources: "资源不足", NodesRefuse: "节点拒绝", WaitsForTurn: "等待轮到", NoPods: "尚无 Pod", NotEnoughTasks: "Pod 数不足", ClusterOvercommitted: "集群已超额", TopologyNoRoom: "拓扑域无空间",
  Pipelined: "等待释放中的空间", QueueNotOpen: "队列未开放", QueueNotFound: "队列不存在", Reserved: "空间已预留", RoomKept: "空间为他人保留",
  InvalidObject: "对象无效", PodGroupNotFound: "PodGroup 不存在", QueueInvalid: "队列无效", QueueNotLeaf: "队列不是叶子队列", QueueCyclic: "队列成环", QueueOrphaned: "队列的上级不存在", QueueGateShut: "队列暂不接收作业",
  NotEnoughPodsOfTask: "某任务的 Pod 数不足", NotEnoughSubGroups: "子组不足", SubGroupIncomplete: "子组成员不足", SchedulingGated: "调度门未打开", NamespaceQuotaExceeded: "超出命名空间配额", QueueDevices: "超出队列设备上限",
  PodTooLarge: "Pod 大于任何节点", NoNodeMatches: "没有匹配的节点", QueueTooSmall: "大于队列上限", GangTooLarge: "成组大于集群", NoNodes: "没有节点", NodeUnschedulable: "节点已封锁", NodeTaint: "节点有污点", NodeAffinity: "节点亲和性不符", NodeSelector: "节点选择器不符",
  NodeBooked: "节点已预订", NodePorts: "节点端口被占用", NodeVolume: "节点无法挂载卷", NodeDevices: "节点设备不足", NodeNUMA: "NUMA 无空间", NodeKept: "节点空间为他人保留", PodAffinity: "Pod 亲和性不符", PodAntiAffinity: "Pod 反亲和性", PodTopologySpread: "拓扑分布限制",
  InsufficientResource: "资源不足", HyperNodesNotReady: "HyperNode 未就绪", StartPlanned: "已计划启动", BehindJob: "排在其他作业之后", BindInFlight: "正在绑定", BindRefused: "绑定被拒绝", ClaimNotFound: "资源声明不存在", NoVictims: "没有可驱逐的 Pod", SearchExhausted: "搜索已达上限",
};
const codes: Record<string, string> = {
  GangIncomplete: "Not room for the whole gang", QueueDeserved: "Above its queue's share", QueueOverused: "Its queue has its share already",
  QueueCapability: "Above its queue's limit", QueueQuotaInsufficient: "Its queue's quota is used up", NotEnoughResources: "No node has room",
  NodesRefuse: "No node takes it", WaitsForTurn: "Waits for its turn", NoPods: "No pods yet", NotEnoughTasks: "Pods are missing",
  ClusterOvercommitted: "The cluster has admitted enough", TopologyNoRoom: "No rack or domain has room", Pipelined: "Room is being freed for it",
  QueueNotOpen: "Its queue is closed", QueueNotFound: "Its queue does not exist", RoomKept: "Room is kept for another job",
};

export const isChinese = (): boolean => (here().get("lang") || navigator.language).startsWith("zh");

/** t is a word of the page in the reader's language; the English one is its name. */
export const t = (english: string): string => (isChinese() ? chinese[english] ?? english : english);

/** codeName is a reason's code, as people would say it. */
export function codeName(code: string): string {
  if (isChinese()) return codesChinese[code] ?? code;
  return codes[code] ?? code.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/^./, (c) => c.toUpperCase()).replace(/ [A-Z](?=[a-z])/g, (c) => c.toLowerCase());
}
