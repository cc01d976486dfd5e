package explain

import "ashlar.sh/sched/trace"

// The steps of a job's path, in their order.
const (
	stepObject    = "object"
	stepPods      = "pods"
	stepQueue     = "queue"
	stepAdmission = "admission"
	stepOrder     = "order"
	stepShare     = "share"
	stepNodes     = "nodes"
	stepTopology  = "topology"
	stepGang      = "gang"
	stepEviction  = "eviction"
	stepStart     = "start"
)

// at is the step that a code stops a job at, and the state that it is then in.
type at struct {
	step  string
	state State
}

// stops says for every code of a reason where it stops a job. Codes of victims never stop one by themselves.
var stops = map[trace.Code]at{
	trace.InvalidObject:          {stepObject, WaitsForObjects},
	trace.PodGroupNotFound:       {stepObject, WaitsForObjects},
	trace.PodsOfOtherSchedulers:  {stepObject, Foreign},
	trace.TerminatingBeforePlace: {stepObject, WaitsForObjects},

	trace.NoPods:              {stepPods, WaitsForObjects},
	trace.NotEnoughTasks:      {stepPods, WaitsForObjects},
	trace.NotEnoughPodsOfTask: {stepPods, WaitsForObjects},
	trace.NotEnoughSubGroups:  {stepPods, WaitsForObjects},
	trace.SubGroupIncomplete:  {stepPods, WaitsForObjects},
	trace.SchedulingGated:     {stepPods, WaitsForObjects},
	trace.QueueGateShut:       {stepShare, WaitsForQueue},

	trace.QueueNotFound: {stepQueue, WaitsForQueue},
	trace.QueueInvalid:  {stepQueue, WaitsForQueue},
	trace.QueueNotOpen:  {stepQueue, WaitsForQueue},
	trace.QueueNotLeaf:  {stepQueue, WaitsForQueue},
	trace.QueueCyclic:   {stepQueue, WaitsForQueue},
	trace.QueueOrphaned: {stepQueue, WaitsForQueue},

	trace.QueueQuotaInsufficient: {stepAdmission, WaitsForQueue},
	trace.NamespaceQuotaExceeded: {stepAdmission, WaitsForQueue},
	trace.ClusterOvercommitted:   {stepAdmission, WaitsForRoom},

	trace.WaitsForTurn:    {stepOrder, WaitsForQueue},
	trace.BehindJob:       {stepOrder, WaitsForQueue},
	trace.MinimumsFirst:   {stepOrder, WaitsForQueue},
	trace.LostMemberFirst: {stepOrder, WaitsForRoom},

	trace.QueueOverused:   {stepShare, WaitsForQueue},
	trace.QueueDeserved:   {stepShare, WaitsForQueue},
	trace.QueueCapability: {stepShare, WaitsForQueue},
	trace.QueueDevices:    {stepShare, WaitsForQueue},

	trace.PodTooLarge:   {stepNodes, Never},
	trace.NoNodeMatches: {stepNodes, Never},
	trace.QueueTooSmall: {stepShare, Never},
	trace.GangTooLarge:  {stepGang, Never},

	trace.GangIncomplete: {stepGang, WaitsForRoom},

	trace.NoNodes:              {stepNodes, WaitsForRoom},
	trace.NotEnoughResources:   {stepNodes, WaitsForRoom},
	trace.NodesRefuse:          {stepNodes, WaitsForRoom},
	trace.NodeUnschedulable:    {stepNodes, WaitsForRoom},
	trace.NodeFeatures:         {stepNodes, WaitsForRoom},
	trace.NodeTaint:            {stepNodes, WaitsForRoom},
	trace.NodeAffinity:         {stepNodes, WaitsForRoom},
	trace.NodeBooked:           {stepNodes, WaitsForRoom},
	trace.NodeSelector:         {stepNodes, WaitsForRoom},
	trace.NodeGroup:            {stepNodes, WaitsForRoom},
	trace.NodeGroupLimit:       {stepNodes, WaitsForRoom},
	trace.NodeRevocable:        {stepNodes, WaitsForRoom},
	trace.NodePorts:            {stepNodes, WaitsForRoom},
	trace.NodeVolume:           {stepNodes, WaitsForRoom},
	trace.VolumeInUse:          {stepNodes, WaitsForRoom},
	trace.NodeDevices:          {stepNodes, WaitsForRoom},
	trace.ClaimSearchExhausted: {stepNodes, WaitsForRoom},
	trace.ClaimElsewhere:       {stepNodes, WaitsForRoom},
	trace.NodeNUMAPolicy:       {stepNodes, WaitsForRoom},
	trace.NodeNUMA:             {stepNodes, WaitsForRoom},
	trace.PodAffinity:          {stepNodes, WaitsForRoom},
	trace.PodAntiAffinity:      {stepNodes, WaitsForRoom},
	trace.PodRepelled:          {stepNodes, WaitsForRoom},
	trace.PodTopologySpread:    {stepNodes, WaitsForRoom},
	trace.TopologyKeyMissing:   {stepNodes, WaitsForRoom},
	trace.NodeKept:             {stepNodes, WaitsForRoom},
	trace.InsufficientResource: {stepNodes, WaitsForRoom},
	trace.PipelinedOnReleasing: {stepStart, WaitsForRoom},
	trace.Reserved:             {stepStart, WaitsForRoom},
	trace.RoomKept:             {stepStart, WaitsForRoom},
	trace.StartPlanned:         {stepStart, WaitsForRoom},
	trace.BindInFlight:         {stepStart, Starts},
	trace.BindRefused:          {stepStart, WaitsForObjects},

	trace.PodAffinityNoRoom:  {stepTopology, WaitsForRoom},
	trace.TopologyNoRoom:     {stepTopology, WaitsForRoom},
	trace.TopologySpread:     {stepTopology, WaitsForRoom},
	trace.HyperNodesNotReady: {stepTopology, WaitsForRoom},
	trace.SearchExhausted:    {stepNodes, WaitsForRoom},

	trace.PrePredicateFailed:  {stepPods, WaitsForObjects},
	trace.ClaimNotFound:       {stepPods, WaitsForObjects},
	trace.ClaimUnusable:       {stepPods, WaitsForObjects},
	trace.ClaimCompiling:      {stepPods, WaitsForObjects},
	trace.ClaimBudgetSpent:    {stepPods, WaitsForObjects},
	trace.DeviceClassNotFound: {stepPods, WaitsForObjects},
	trace.ResourceOfClass:     {stepNodes, WaitsForRoom},
	trace.ActionNotConfigured: {stepOrder, WaitsForObjects},
}

// stopOf is where a reason stops a job: its innermost cause counts, except that a gang's own step comes with it.
func stopOf(r trace.Reason) at {
	if r.Never != nil {
		if s, known := stops[r.Never.Code]; known {
			return s
		}
	}
	for c := &r; c != nil; c = c.Cause {
		if c.Cause == nil || !c.Cause.Is() {
			if s, known := stops[c.Code]; known {
				return s
			}
			break
		}
	}
	if s, known := stops[r.Code]; known {
		return s
	}
	return at{stepNodes, Unclear}
}

// StateOf is the state of a job that waits for a code, as it is written in a PodGroup's condition: the codes of a
// reason and its causes, the outermost first, separated by dots.
func StateOf(codes []string) State {
	for i := len(codes) - 1; i >= 0; i-- {
		if s, known := stops[trace.Code(codes[i])]; known {
			return s.state
		}
	}
	return Unclear
}
