package loop

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/fake"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/observe"
)

// A scheduler that is asked to end, or has lost the lease, runs no cycle more, whatever else has come. Before,
// it ran none, one or several, by chance.
func TestNothingIsDecidedAfterTheEnd(t *testing.T) {
	seen, err := observe.New(observe.Options{Kube: fake.NewClientset(), Volcano: volcano.NewSimpleClientset()})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	lost := make(chan struct{})
	close(lost)
	for _, end := range []struct {
		what string
		ctx  context.Context
		lost chan struct{}
		want error
	}{{"asked to end", over, make(chan struct{}), nil}, {"without the lease", t.Context(), lost, errLost}} {
		for range 30 { // each of them was a toss of a coin
			l := (&loop{observer: seen, executor: execute.New(t.Context(), execute.Options{}), metrics: newMetrics(),
				lead: &leadership{won: make(chan struct{}, 1), lost: end.lost}}).wire()
			l.lead.won <- struct{}{}
			l.o.Period = time.Hour
			l.o.Simulated.BeforeCycle = func() { t.Fatalf("%s: another cycle begins", end.what) }
			if err := l.cycles(end.ctx); !errors.Is(err, end.want) {
				t.Fatalf("%s: it ends with %v, want %v", end.what, err, end.want)
			}
		}
	}
}
