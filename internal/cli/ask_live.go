//go:build !simulator

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/api/client"
	"ashlar.sh/internal/kube/inspect"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/lint"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// patience is how long one request to the API server may take.
const patience = time.Minute

// person is the cluster that a kubeconfig names, and the namespace of its context.
func (p questions) person(s source) (*rest.Config, string, error) {
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: s.kubeconfig}
	if paths := p.Env("KUBECONFIG"); paths != "" {
		rules.Precedence = filepath.SplitList(paths)
	} else if home := cmp.Or(p.Env("HOME"), p.Env("USERPROFILE")); home != "" { // the second one on Windows
		rules.Precedence = []string{filepath.Join(home, ".kube", "config")}
	}
	chosen := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{
		CurrentContext: s.context})
	c, err := chosen.ClientConfig()
	if err != nil {
		if clientcmd.IsEmptyConfig(err) {
			err = errors.New("there is no kubeconfig: neither --kubeconfig nor $KUBECONFIG nor ~/.kube/config")
		}
		return nil, "", err
	}
	namespace, _, err := chosen.Namespace()
	if err != nil {
		return nil, "", err
	}
	c.QPS, c.Burst, c.Timeout = -1, 0, patience // the API server's own priority and fairness is enough
	return c, namespace, nil
}

// clients reach the cluster of a source; s gets the namespace of its context where none was given.
func (p questions) clients(s *source) (c inspect.Clients, err error) {
	reach, namespace, err := p.person(*s)
	if err != nil {
		return c, err
	}
	if s.namespace == "" {
		s.namespace = namespace
	}
	if c.Volcano, err = versioned.NewForConfig(reach); err != nil { // custom resources have no protobuf
		return c, err
	}
	if c.Bookings, err = client.NewForConfig(reach); err != nil {
		return c, err
	}
	reach = rest.CopyConfig(reach)
	reach.ContentType, reach.AcceptContentTypes = "application/vnd.kubernetes.protobuf",
		"application/vnd.kubernetes.protobuf,application/json"
	c.Kube, err = kubernetes.NewForConfig(reach)
	return c, err
}

// noCluster is the failure to reach one, for a verb that may ask files instead.
func noCluster(err error) error {
	return badInput("error: no cluster to ask: "+err.Error(),
		"Name one with --kubeconfig and --context, or ask files (see --help).")
}

// onlyClusters is noCluster for a verb that asks no files.
func onlyClusters(err error) error {
	return badInput("error: no cluster to ask: "+err.Error(), "Name one with --kubeconfig and --context.")
}

// ofCluster answers from a live cluster, which it only reads.
func (p questions) ofCluster(s source) (*situation, error) {
	live, err := p.lookNow(s)
	if err != nil {
		return nil, err
	}
	return live.decided(p)
}

// lookNow reads the cluster that a source names, unless it is interrupted.
func (p questions) lookNow(s source) (*lived, error) {
	ctx, stop := whileReading(context.Background())
	defer stop()
	c, err := p.clients(&s)
	if err != nil {
		return nil, noCluster(err)
	}
	return p.look(ctx, c, &s)
}

// lived is what was read of a cluster.
type lived struct {
	s      source
	set    *manifest.Set
	read   *inspect.Read
	chosen *config.Scheduler
	text   string // of the configuration that was found, "" for none
	basis  explain.Basis
	now    time.Time
}

// look reads the cluster and the configuration of its scheduler. What is missing is told on stderr.
func (p questions) look(ctx context.Context, c inspect.Clients, s *source) (*lived, error) {
	out := &lived{set: manifest.NewSet(), now: p.Now()}
	found := inspect.Configuration{}
	done := p.working("the cluster is read")
	if s.config == "" || !s.schedulersGiven {
		found = inspect.Configured(ctx, c)
	}
	read, err := inspect.All(ctx, c, s.namespace)
	done()
	if err != nil {
		return nil, noCluster(err)
	}
	assumed := ""
	switch {
	case s.schedulersGiven:
	case len(found.Schedulers) > 0:
		s.schedulers = found.Schedulers
	default:
		assumed = s.assume(read.Objects, found.Why)
	}
	out.read, out.s = read, *s
	out.set.Take(lint.Cluster, read.Objects)
	out.basis = explain.Basis{Source: "cluster", Time: out.now.UTC().Format(time.RFC3339)}
	for _, m := range read.Missing {
		out.basis.Unknown = append(out.basis.Unknown, m.String())
	}
	if assumed != "" {
		out.basis.Unknown = append(out.basis.Unknown, assumed)
	}
	var lines []string
	switch {
	case s.config != "":
		out.basis.Configuration = s.config
		out.chosen, lines = p.configuration(s.simulation, nil)
	case found.Name == "":
		out.basis.Configuration = "Volcano's default"
		out.chosen = config.Default()
		out.basis.Unknown = append(out.basis.Unknown, "the scheduler's configuration: "+found.Why+
			"; Volcano's default is taken for it (--scheduler-conf names another)")
	default:
		out.basis.Configuration = lint.LiveConfiguration + found.Name
		out.text = found.Text
		out.chosen, lines = p.lenient(out.basis.Configuration, found.Text)
	}
	if len(lines) > 0 {
		return nil, badInput(lines...)
	}
	p.warnEach(out.basis.Unknown)
	return out, nil
}

// assume takes the schedulerName that most pods with a PodGroup name for the one that the scheduler serves, where no
// deployment says it; without any, Volcano's. It returns how that is told.
func (s *source) assume(objects []metav1.Object, why string) string {
	counts := map[string]int{}
	for _, o := range objects {
		p, is := o.(*corev1.Pod)
		if is && translate.GroupOf(p) != "" && p.Spec.SchedulerName != corev1.DefaultSchedulerName {
			counts[cmp.Or(p.Spec.SchedulerName, translate.DefaultScheduler)]++
		}
	}
	what := strings.Join(s.schedulers, ", ")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[what] {
			what = name
		}
	}
	if counts[what] > 0 {
		s.schedulers, what = []string{what}, what+", which most pods with a PodGroup name,"
	}
	return fmt.Sprintf("the schedulerName that the scheduler serves: %s; %s is taken for it (--scheduler-name names "+
		"another)", why, what)
}

// lenient reads a configuration as the live scheduler does.
func (p questions) lenient(name, text string) (*config.Scheduler, []string) {
	chosen, problems := config.Parse(config.Source{File: name}, []byte(text), p.catalog(), config.Lenient)
	var lines []string
	for _, problem := range problems {
		lines = append(lines, problem.String())
	}
	if chosen == nil {
		return nil, lines
	}
	p.warnEach(lines)
	return chosen, nil
}

// decided runs the cycle on what was read, or takes what objects say where too little could be read.
func (l *lived) decided(p questions) (*situation, error) {
	out := &situation{source: l.s, set: l.set, groups: l.set.Groups()}
	out.asking = explain.Asking{Basis: l.basis, Now: l.now.UnixNano()}
	if l.read.Partial {
		out.asking.Basis.Source = "written"
		out.written = writtenBy(l.read.Objects)
		return out, nil
	}
	in := inputOf(l.set.Expand(l.s.schedulers...), l.chosen, l.now.UnixNano())
	options, err := in.engine(p.Process)
	if err != nil {
		return nil, err
	}
	if out.engine, err = sched.New(in.profile, options...); err != nil {
		return nil, badInput(in.chosen.Locate(err).Error())
	}
	out.engine.Apply(in.facts()...)
	plan, _, _ := out.engine.Decide(in.at)
	out.asking.Evicted, out.summary.Cycles = evictionsOf(plan), 1
	return out, nil
}

// facts are those of a live cluster, each as if it were seen for the first time. The queues that the scheduler makes
// where they are missing are there.
func (in input) facts() (out []model.Fact) {
	missing := map[string]bool{model.RootQueue: true, model.DefaultQueue: true}
	for _, i := range in.items {
		f := i.Fact
		f.Version = 1
		out = append(out, f)
		if f.Ref.Kind == model.KindQueue {
			delete(missing, f.Ref.Name)
		}
	}
	for name := range missing { // order-free: the order of facts makes no difference
		out = append(out, model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: name}, UID: name, Version: 1,
			Object: &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1, Reclaimable: name != model.RootQueue}})
	}
	return out
}

// liveGround is the live cluster as it is now.
func (p planner) liveGround(a planning) (*ground, error) {
	live, err := p.lookNow(a.source)
	if err != nil {
		return nil, err
	}
	if live.read.Partial {
		return nil, badInput("error: what would happen cannot be found out: " + strings.Join(live.basis.Unknown, "; "))
	}
	return &ground{set: live.set, chosen: live.chosen, basis: live.basis, now: live.now.UnixNano(), s: live.s}, nil
}
