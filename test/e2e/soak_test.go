package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/test/e2e/faults"
)

// The environment of the soak: for how long things happen, and from which seed they are drawn.
const (
	soakFor  = "ASHLAR_E2E_SOAK"      // a duration; 6 s without
	soakSeed = "ASHLAR_E2E_SOAK_SEED" // a number; the time without
)

// Much happens at once to a cluster: gangs, lone pods and PodGroups come, go and come again under
// their names, evict each other, queues change, nodes are cordoned, vanish and come, schedulers are
// killed, and the network and the API server misbehave. Meanwhile no pod is bound twice, no node is
// overfull, and no gang stands half for longer than it may. When all that stops, everything that can
// run runs, all else says why not, the scheduler knows what the API server knows, a fresh one would
// decide nothing more, and nothing is written any more.
func TestSoak(t *testing.T) {
	s := newSoak(t)
	for s.began = time.Now(); time.Since(s.began) < s.lasts; {
		s.something()
		s.controllers()
		pause := time.NewTimer(time.Duration(10+s.random.IntN(120)) * time.Millisecond)
		<-pause.C
	}
	s.calm()
	s.settle()
	s.testify()
	t.Logf("%d operations: %v", s.count(), s.did)
}

// soak is what a run is made of. The driver is one goroutine: all that it draws follows from the seed,
// though not when it meets what the scheduler does.
type soak struct {
	world
	random *rand.Rand
	lasts  time.Duration
	began  time.Time
	seen   *witness
	conf   soakProfile
	file   string // of the configuration

	owner  *corev1.ConfigMap // of all pods that are made anew
	queues []string
	nodes  map[string]bool // whether it is there
	gangs  map[string]*soakGang
	lives  int
	spared map[string]bool // gangs, by life, that the test itself has taken something from
	did    map[string]int

	scheduler *soakScheduler
	logs      []string // of all schedulers
	injected  []*faults.Injection
	held      []heldWatch
	cared     time.Time // when controllers last had their turn
	changed   time.Time // when they last did something
}

// soakScheduler is a scheduler in a process of its own, behind a proxy of its own.
type soakScheduler struct {
	cmd   *exec.Cmd
	proxy *faults.Proxy
	dumps string
	ended chan error
}

// heldWatch is a kind of object that the scheduler does not hear of until then.
type heldWatch struct {
	until time.Time
	letGo func()
}

// Of the soak's cluster.
const (
	soakNodes = 5
	soakCores = 8
	mostGangs = 16
)

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{world: sharedWorld(t), lasts: 6 * time.Second, nodes: map[string]bool{}, gangs: map[string]*soakGang{},
		spared: map[string]bool{}, did: map[string]int{}}
	seed := uint64(time.Now().UnixNano())
	var err error
	if text := os.Getenv(soakSeed); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if text := os.Getenv(soakFor); text != "" {
		if s.lasts, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	s.random = rand.New(rand.NewPCG(seed, 0))
	s.conf = soakProfiles[seed%uint64(len(soakProfiles))]
	t.Logf("%s=%d for %v with %s", soakSeed, seed, s.lasts, s.conf.actions)
	s.file = filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(s.file, []byte(s.conf.text()), 0o600); err != nil {
		t.Fatal(err)
	}
	cores := map[string]int64{}
	for i := range soakNodes {
		name := fmt.Sprintf("%s-%d", s.ns, i)
		node(t, name, fmt.Sprint(soakCores))
		s.nodes[name], cores[name] = true, soakCores
	}
	if s.owner, err = s.kube.CoreV1().ConfigMaps(s.ns).Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.makeQueues()
	priority(t, s.ns+"-high", 1000)
	priority(t, s.ns+"-low", 10)
	s.seen = s.watchGangs(cores, leastOf)
	s.start()
	t.Cleanup(s.clear)
	return s
}

// clear removes the pods, so that no later test meets them.
func (s *soak) clear() {
	zero := int64(0)
	_ = s.kube.CoreV1().Pods(s.ns).DeleteCollection(context.Background(), metav1.DeleteOptions{GracePeriodSeconds: &zero},
		metav1.ListOptions{})
}

// start starts a scheduler; the one before has ended, or is to.
func (s *soak) start() {
	s.t.Helper()
	p, err := faults.Start(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(p.Close)
	next := &soakScheduler{proxy: p, dumps: s.t.TempDir(), ended: make(chan error, 1)}
	next.cmd = s.process(p.Config(), fmt.Sprintf("soak-%02d", len(s.logs)), func(c *childScheduler) {
		c.ConfigFile, c.Dump = s.file, next.dumps
	})
	s.logs = append(s.logs, next.cmd.Stdout.(*os.File).Name())
	go func() { next.ended <- next.cmd.Wait() }()
	s.scheduler = next
}

// kill kills the scheduler, and starts another, for which the lease is free.
func (s *soak) kill() {
	s.t.Helper()
	_ = s.scheduler.cmd.Process.Kill() // it may just have ended
	<-s.scheduler.ended
	s.scheduler.proxy.Close()
	s.freeLease()
	s.start()
}

func (s *soak) freeLease() {
	s.t.Helper()
	err := s.kube.CoordinationV1().Leases(s.ns).Delete(s.t.Context(), "volcano", metav1.DeleteOptions{})
	if err != nil && !errors.IsNotFound(err) {
		s.t.Fatal(err)
	}
}

// replace asks the scheduler to end, with or without another one standing by.
func (s *soak) replace(standby bool) {
	s.t.Helper()
	old := s.scheduler
	if standby {
		s.start()
	}
	_ = old.cmd.Process.Signal(syscall.SIGTERM) // it may just have ended
	select {
	case err := <-old.ended:
		if err != nil {
			s.t.Logf("asked to end, the scheduler ended with %v", err) // it may have lost its lease before
		}
	case <-time.After(patience):
		s.t.Error("asked to end, the scheduler goes on")
		_ = old.cmd.Process.Kill()
		<-old.ended
	}
	old.proxy.Close()
	if !standby {
		s.start()
	}
}

// alive starts a scheduler that ended by itself anew, as a kubelet would: one that cannot renew its
// lease has to.
func (s *soak) alive() {
	s.t.Helper()
	select {
	case err := <-s.scheduler.ended:
		s.did["it ended by itself"]++
		if err == nil {
			s.t.Error("the scheduler ended as if it had been asked to")
		}
		s.scheduler.proxy.Close()
		s.start()
	default:
	}
}

// calm ends all that disturbs: faults, cordons, missing nodes.
func (s *soak) calm() {
	s.t.Helper()
	for _, i := range s.injected {
		i.Remove()
	}
	for _, h := range s.held {
		h.letGo()
	}
	s.injected, s.held = nil, nil
	for name := range s.nodes {
		s.comes(name)
		s.cordon(name, false)
	}
	s.alive()
}

// count is how many operations there were.
func (s *soak) count() (n int) {
	for _, times := range s.did {
		n += times
	}
	return n
}

// testify fails the test for what the witness saw, and for bugs that schedulers told of.
func (s *soak) testify() {
	s.t.Helper()
	for _, path := range s.logs {
		log, err := os.ReadFile(path)
		if err != nil {
			s.t.Error(err)
		}
		if strings.Contains(string(log), "bug in ashlar") {
			s.t.Errorf("%s tells of a bug in ashlar", filepath.Base(path))
		}
	}
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	s.t.Logf("%d times a pod that had ended was called something else again", s.seen.risen)
	for _, o := range s.seen.full {
		s.t.Error(o.said)
	}
	for _, wrong := range s.seen.wrong {
		spared := false
		for life := range s.spared {
			spared = spared || strings.Contains(wrong, "gang "+life+" ")
		}
		if !spared {
			s.t.Error(wrong)
		}
	}
	for gang, since := range s.seen.half {
		if took := time.Since(since); took > halfBound+halfSlack && !s.spared[gang] {
			s.t.Errorf("gang %s stands half since %v", gang, took)
		}
	}
}
