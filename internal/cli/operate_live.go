//go:build !simulator

package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/inspect"
)

// run carries an operation out.
func (p operator) run(o operation) error {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	c, err := p.clients(&o.source)
	if err != nil {
		return onlyClusters(err)
	}
	do := &commander{Clients: c, process: p.Process, operation: o}
	if o.weight > 0 {
		return do.reweigh(ctx)
	}
	target, err := do.target(ctx)
	if err != nil || target == nil {
		return err
	}
	return do.ask(ctx, target)
}

// commander makes one Command and sees what becomes of it.
type commander struct {
	operation
	inspect.Clients

	process Process
}

func (d *commander) say(format string, args ...any) {
	fmt.Fprintln(d.process.Out, explain.Printable(fmt.Sprintf(format, args...)))
}

// hint says something beside the output.
func (d *commander) hint(format string, args ...any) {
	fmt.Fprintln(d.process.Err, explain.Printable(fmt.Sprintf(format, args...)))
}

// target reads what the Command is about. nil without an error: it is so already, which was said.
func (d *commander) target(ctx context.Context) (*metav1.OwnerReference, error) {
	if d.kind == "queue" {
		return d.targetQueue(ctx)
	}
	return d.targetJob(ctx)
}

func (d *commander) targetQueue(ctx context.Context) (*metav1.OwnerReference, error) {
	q, err := d.Volcano.SchedulingV1beta1().Queues().Get(ctx, d.name, metav1.GetOptions{})
	if err != nil {
		return nil, d.cannotRead(err, "queues.scheduling.volcano.sh", func() []string {
			return inspect.Names(ctx, d.Clients, "queue", "")
		})
	}
	state := q.Status.State
	if state == "" {
		state = schedulingv1beta1.QueueStateOpen
	}
	closing := d.action == busv1alpha1.CloseQueueAction
	switch {
	case q.Name == "root":
		return nil, badInput("error: queue root is the cluster: it is neither opened nor closed")
	case !closing && state == schedulingv1beta1.QueueStateOpen,
		closing && (state == schedulingv1beta1.QueueStateClosed || state == schedulingv1beta1.QueueStateClosing):
		d.say("queue %s is %s already: nothing is done", q.Name, strings.ToLower(string(state)))
		return nil, nil
	}
	return metav1.NewControllerRef(q, schedulingv1beta1.SchemeGroupVersion.WithKind("Queue")), nil
}

func (d *commander) targetJob(ctx context.Context) (*metav1.OwnerReference, error) {
	jobs := d.Volcano.BatchV1alpha1().Jobs(d.namespace)
	j, err := jobs.Get(ctx, d.name, metav1.GetOptions{})
	if err != nil {
		return nil, d.cannotRead(err, "jobs.batch.volcano.sh", func() (names []string) {
			if list, err := jobs.List(ctx, metav1.ListOptions{Limit: mostEvents}); err == nil {
				for i := range list.Items {
					names = append(names, list.Items[i].Name)
				}
			}
			return names
		})
	}
	phase, suspends := j.Status.State.Phase, d.action == busv1alpha1.AbortJobAction
	suspended := phase == batchv1alpha1.Aborted || phase == batchv1alpha1.Aborting
	switch phase {
	case batchv1alpha1.Completed, batchv1alpha1.Failed, batchv1alpha1.Terminated, batchv1alpha1.Completing,
		batchv1alpha1.Terminating:
		return nil, badInput(fmt.Sprintf("error: job %s/%s is over (%s): it can be neither suspended nor resumed",
			j.Namespace,
			j.Name, phase))
	}
	switch {
	case suspends && suspended:
		d.say("job %s/%s is suspended already (%s): nothing is done", j.Namespace, j.Name, phase)
		return nil, nil
	case !suspends && !suspended:
		d.say("job %s/%s is not suspended: nothing is done", j.Namespace, j.Name)
		return nil, nil
	}
	return metav1.NewControllerRef(j, batchv1alpha1.SchemeGroupVersion.WithKind("Job")), nil
}

// cannotRead says why what the Command is to be about was not read.
func (d *commander) cannotRead(err error, resource string, names func() []string) error {
	switch {
	case apierrors.IsForbidden(err):
		return badInput(fmt.Sprintf("error: no right to get %s: %s", resource, d.name))
	case !apierrors.IsNotFound(err):
		return onlyClusters(err)
	case unserved(err):
		return badInput("error: this API server does not serve " + resource + ": Volcano is not installed")
	case d.kind == "queue":
		return badInput("error: " + explain.NoSuch("queue", "", d.name, names()))
	}
	return badInput("error: "+explain.NoSuch("Job of Volcano", d.namespace, d.name, names()),
		"Commands are for Jobs of batch.volcano.sh. A Job of Kubernetes is suspended by kubectl patch job NAME --type=merge "+
			`-p '{"spec":{"suspend":true}}', other kinds as their operators have it.`)
}

// unserved says that the API server does not have the kind: where an object is missing it names the object.
func unserved(err error) bool {
	return apierrors.IsNotFound(err) && strings.Contains(err.Error(), "could not find the requested resource")
}

// effect says what will happen.
func (d *commander) effect() string {
	switch d.action {
	case busv1alpha1.CloseQueueAction:
		return "queue " + d.name + " and those below it start no job any more; what runs there runs on"
	case busv1alpha1.OpenQueueAction:
		return "queue " + d.name + " takes jobs again, unless a queue above it is closed"
	case busv1alpha1.AbortJobAction:
		return "the pods of job " + d.namespace + "/" + d.name + " are deleted, and no new ones are made until it is resumed"
	}
	return "the pods of job " + d.namespace + "/" + d.name + " are made anew, and wait for room"
}

// instead is what to do where no controller takes the Command.
func (d *commander) instead() string {
	if d.kind == "job" {
		return "Jobs of Volcano are run by its controllers: without them neither this nor vcctl can suspend or resume one."
	}
	state := "Open"
	if d.action == busv1alpha1.CloseQueueAction {
		state = "Closed"
	}
	return "Without Volcano's controllers the scheduler heeds the state itself: kubectl patch " +
		"queues.scheduling.volcano.sh " +
		d.name + ` --subresource=status --type=merge -p '{"status":{"state":"` + state + `"}}'`
}

// ask makes the Command, and waits until it is taken.
func (d *commander) ask(ctx context.Context, target *metav1.OwnerReference) error {
	c := &busv1alpha1.Command{TypeMeta: metav1.TypeMeta{APIVersion: busv1alpha1.SchemeGroupVersion.String(),
		Kind: "Command"},
		ObjectMeta: metav1.ObjectMeta{GenerateName: target.Name + "-" + strings.ToLower(string(d.action)) + "-",
			Namespace: d.namespace, OwnerReferences: []metav1.OwnerReference{*target}},
		TargetObject: target, Action: string(d.action)}
	if d.dryRun == "client" {
		text, err := yaml.Marshal(c)
		if err != nil {
			return err
		}
		d.say("%s", strings.TrimSpace(string(text)))
		d.hint("dry run: nothing was made. It would mean: %s", d.effect())
		return nil
	}
	commands, options := d.Volcano.BusV1alpha1().Commands(d.namespace), metav1.CreateOptions{}
	if d.dryRun == "server" {
		options.DryRun = []string{metav1.DryRunAll}
	}
	made, err := commands.Create(ctx, c, options)
	switch {
	case apierrors.IsForbidden(err):
		return badInput(fmt.Sprintf("error: no right to create commands.bus.volcano.sh in namespace %s", d.namespace))
	case unserved(err):
		return badInput("error: this API server does not serve commands.bus.volcano.sh: Volcano's controllers are not "+
			"installed", d.instead())
	case err != nil:
		return badInput("error: making the Command: " + err.Error())
	case d.dryRun == "server":
		d.say("command.bus.volcano.sh/%s* accepted (server dry run); it would mean: %s", c.GenerateName, d.effect())
		return nil
	case d.wait == 0:
		d.say("command.bus.volcano.sh/%s in namespace %s made; once Volcano's controllers take it: %s", made.Name,
			d.namespace,
			d.effect())
		return nil
	}
	if d.taken(ctx, made) {
		d.say("Volcano's controllers have taken it: %s", d.effect())
		return nil
	}
	return d.takeBack(ctx, made)
}

// look is how often it is looked whether the Command is still there.
const look = 250 * time.Millisecond

// taken says that the Command went within the time: controllers delete it before they act.
func (d *commander) taken(ctx context.Context, c *busv1alpha1.Command) bool {
	ctx, stop := context.WithTimeout(ctx, d.wait)
	defer stop()
	for {
		_, err := d.Volcano.BusV1alpha1().Commands(c.Namespace).Get(ctx, c.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(look):
		}
	}
}

// takeBack deletes the Command that no controller took: it would act whenever one came. A person may have
// ended the wait, by the context of it.
func (d *commander) takeBack(waited context.Context, c *busv1alpha1.Command) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(waited), patience)
	defer stop()
	err := d.Volcano.BusV1alpha1().Commands(c.Namespace).Delete(ctx, c.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &c.UID}})
	switch {
	case apierrors.IsNotFound(err):
		d.say("Volcano's controllers have taken it: %s", d.effect())
		return nil
	case err != nil:
		return badInput(fmt.Sprintf("error: no controller took the Command, and it could not be removed: %s", err),
			fmt.Sprintf("It acts as soon as one comes: kubectl -n %s delete commands.bus.volcano.sh %s", c.Namespace, c.Name))
	}
	if waited.Err() != nil {
		return badInput("error: the wait was ended before a controller took the Command: it is removed again, and nothing " +
			"has changed")
	}
	return badInput(fmt.Sprintf("error: no controller of Volcano took the Command in %s: it is removed again, and "+
		"nothing has changed", d.wait), d.instead())
}
