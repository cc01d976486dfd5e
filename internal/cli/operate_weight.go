//go:build !simulator

package cli

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/inspect"
)

// reweigh gives a queue another weight. No controller takes part: it is a patch of the queue, as with vcctl.
func (d *commander) reweigh(ctx context.Context) error {
	queues := d.Volcano.SchedulingV1beta1().Queues()
	q, err := queues.Get(ctx, d.name, metav1.GetOptions{})
	if err != nil {
		return d.cannotRead(err, "queues.scheduling.volcano.sh", func() []string {
			return inspect.Names(ctx, d.Clients, "queue", "")
		})
	}
	if q.Spec.Weight == d.weight {
		d.say("queue %s has weight %d already: nothing is done", q.Name, d.weight)
		return nil
	}
	effect := fmt.Sprintf("queue %s has weight %d instead of %d", q.Name, d.weight, q.Spec.Weight)
	patch, options := fmt.Sprintf(`{"spec":{"weight":%d}}`, d.weight), metav1.PatchOptions{}
	switch d.dryRun {
	case "client":
		d.say("%s", patch)
		d.hint("dry run: nothing was changed. It would mean: %s", effect)
		return nil
	case "server":
		options.DryRun = []string{metav1.DryRunAll}
	}
	_, err = queues.Patch(ctx, q.Name, types.MergePatchType, []byte(patch), options)
	switch {
	case apierrors.IsForbidden(err):
		return badInput("error: no right to patch queues.scheduling.volcano.sh: " + q.Name)
	case err != nil:
		return badInput("error: changing the weight of queue " + q.Name + ": " + err.Error())
	case d.dryRun == "server":
		d.say("accepted (server dry run); it would mean: %s", effect)
	default:
		d.say("%s", effect)
	}
	return nil
}
