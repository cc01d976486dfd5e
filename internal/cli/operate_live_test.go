//go:build !simulator

package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	volcanofake "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/inspect"
)

// A person that ends the wait for Volcano's controllers is not told that they did not take the Command in time.
func TestAWaitThatAPersonEnds(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end()
	var out, errs bytes.Buffer
	volcano := volcanofake.NewSimpleClientset()
	d := &commander{Clients: inspect.Clients{Volcano: volcano}, process: Process{Out: &out, Err: &errs},
		operation: operation{action: busv1alpha1.CloseQueueAction, kind: "queue", name: "q", dryRun: "none",
			wait: time.Minute, source: source{namespace: "default"}}}
	err := d.ask(ctx, &metav1.OwnerReference{Kind: "Queue", Name: "q"})
	left, listed := volcano.BusV1alpha1().Commands("default").List(t.Context(), metav1.ListOptions{})
	if err == nil || listed != nil || len(left.Items) > 0 || strings.Contains(err.Error(), "1m0s") ||
		!strings.Contains(err.Error(), "the wait was ended") {
		t.Errorf("it says %v; left are %v, %v", err, left, listed)
	}
}
