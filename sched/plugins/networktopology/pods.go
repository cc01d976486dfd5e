package networktopology

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/topology"
)

// Network is the tree, nil where pods are not scored or there is no domain but the root.
func (p *plugin) Network() *topology.Map {
	if !p.pods || p.hypers.Fresh().Flat() {
		return nil
	}
	return p.hypers
}

// ConcernsTask says that neither the task's job nor its sub-group asks for a topology: those that do are
// placed by domains.
func (p *plugin) ConcernsTask(t ledger.TaskID) bool {
	task := p.l.Task(t)
	if task.Job == ledger.NoJob {
		return true
	}
	job := p.l.Job(task.Job)
	switch {
	case job.Group == nil:
		return true
	case job.Group.Topology != nil:
		return false
	default:
		return task.Sub < 0 || job.Of(&job.Subs[task.Sub]).Topology == nil
	}
}

// NetworkScores are the scores for pods of a class.
func (p *plugin) NetworkScores(c *ledger.Class) policy.NetworkScores {
	return &podScores{u: p.usage, weight: p.weight, needs: c.Need}
}

// podScores is how full the domains would be with one more pod of a class. Only domains with changed sums are
// computed again.
type podScores struct {
	u       *usage
	weight  int64
	needs   []ledger.Need
	wants   []want
	seen    uint64  // see usage.now
	recount uint64  // see usage.recount
	full    []int64 // by domain, in MaxNodeScore
	sums    []int64 // by domain: over all tiers, the weight of the tier times MaxNodeScore
	scores  []int64
}

// want is what a pod asks for of a resource, by its index in usage.named.
type want struct {
	at     int
	amount int64
}

// Fresh implements policy.NetworkScores.
func (s *podScores) Fresh() []int64 {
	u := s.u
	u.follow()
	if s.seen == u.now {
		return s.scores
	}
	all := s.recount != u.recount
	if all {
		s.begin()
	}
	for d := range s.full {
		if all || u.changed[d] > s.seen {
			s.full[d] = s.fullness(topology.ID(d))
		}
	}
	s.seen = u.now
	s.sum()
	return s.scores
}

// begin finds the pod's resources among those that are counted now.
func (s *podScores) begin() {
	s.wants, s.recount = s.wants[:0], s.u.recount
	for _, need := range s.needs {
		for i, r := range s.u.named {
			if r.dim == need.Dim {
				s.wants = append(s.wants, want{i, need.Amount})
			}
		}
	}
	domains := s.u.tree.Len()
	s.full, s.sums, s.scores = make([]int64, domains), make([]int64, domains), make([]int64, domains)
}

// fullness is the mean, weighted by resource, of what would be held of a domain.
func (s *podScores) fullness(d topology.ID) int64 {
	sum, weights := int64(0), int64(0)
	for _, w := range s.wants {
		weight := s.u.named[w.at].weight
		weights += weight
		sum += weight * s.u.share(d, w.at, w.amount)
	}
	if weights == 0 {
		return 0
	}
	return sum / weights
}

// sum computes the scores from the root down. A tier in which no HyperNode holds a node counts as full: so
// what a domain adds is what it lacks of that.
func (s *podScores) sum() {
	u, root := s.u, topology.Root
	s.sums[root] = u.whole*policy.MaxNodeScore + u.tiers[root]*(s.full[root]-policy.MaxNodeScore)
	for d := len(s.sums) - 1; d > 0; d-- { // a domain's number is below that of the one that it is in
		s.sums[d] = s.sums[u.tree.Domain(topology.ID(d)).Up] + u.tiers[d]*(s.full[d]-policy.MaxNodeScore)
	}
	for d, sum := range s.sums {
		s.scores[d] = s.weight * (sum / u.whole)
	}
}
