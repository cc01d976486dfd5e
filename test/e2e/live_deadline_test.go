package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/loop"
)

// deadlines are Jobs of Kubernetes that wait for a pod which may run for an hour.
type deadlines struct {
	*testing.T
	ns, admin string
	answer    told
}

// job makes a Job that is ended after so many seconds; 0: it is not.
func (d *deadlines) job(name string, seconds int64, annotations map[string]string) *batchv1.Job {
	d.Helper()
	one, hour := int32(1), int64(3600) // so that it is known when those behind it start
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Parallelism: &one, Completions: &one, Template: template(d.ns, name, "3")}}
	j.Spec.Template.Spec.ActiveDeadlineSeconds = &hour
	if j.Spec.Template.Annotations = annotations; seconds > 0 {
		j.Spec.ActiveDeadlineSeconds = &seconds
	}
	j, err := shared.kube.BatchV1().Jobs(d.ns).Create(d.Context(), j, metav1.CreateOptions{})
	if err != nil {
		d.Fatal(err)
	}
	return j
}

func (d *deadlines) patch(name, spec string) {
	d.Helper()
	if _, err := shared.kube.BatchV1().Jobs(d.ns).Patch(d.Context(), name, types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{%s}}`, spec), metav1.PatchOptions{}); err != nil {
		d.Fatal(err)
	}
}

// ends is when a Job's controller ends it, by what the API server has; zero: it does not.
func (d *deadlines) ends(name string) (at time.Time) {
	d.Helper()
	j, err := shared.kube.BatchV1().Jobs(d.ns).Get(d.Context(), name, metav1.GetOptions{})
	if err != nil {
		d.Fatal(err)
	}
	if s := j.Spec.ActiveDeadlineSeconds; s != nil && j.Status.StartTime != nil {
		at = j.Status.StartTime.Add(time.Duration(*s) * time.Second).UTC()
	}
	return at
}

// awaitSuspended waits until a Job is known to be suspended and has no pods. One that is resumed before its controller
// wrote the condition was never suspended for it, and keeps its deadline.
func (d *deadlines) awaitSuspended(name string) {
	d.Helper()
	var j *batchv1.Job
	eventually(d.T, "the Job to be suspended", func(ctx context.Context) (suspended bool, err error) {
		if j, err = shared.kube.BatchV1().Jobs(d.ns).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return false, err
		}
		for _, c := range j.Status.Conditions {
			suspended = suspended || c.Type == batchv1.JobSuspended && c.Status == corev1.ConditionTrue
		}
		return suspended && len(list(d.T, d.ns, name)) == 0, nil
	}, func() string { return fmt.Sprint(j.Status) })
}

// told is when a job ends according to why; false while it has no estimate.
func (d *deadlines) told(job string) (string, bool) {
	d.answer = ask(d.admin, "why", "job", job, "-n", d.ns, "--from", "scheduler", "-o", "json")
	var answer explain.Answer
	if d.answer.code != 0 || json.Unmarshal([]byte(d.answer.out), &answer) != nil || answer.Start == nil ||
		answer.Start.Latest == "" {
		return "", false
	}
	return answer.Start.Deadline, true
}

// awaitTold waits until the job of a Job is told to be ended when the Job is, or, with late false, not to be.
func (d *deadlines) awaitTold(name, job string, late bool) {
	d.Helper()
	eventually(d.T, "the deadline of "+name, func(context.Context) (bool, error) {
		at := d.ends(name)
		got, estimated := d.told(job)
		if !late {
			return estimated && got == "", nil
		}
		return estimated && !at.IsZero() && got == at.Format(time.RFC3339), nil
	}, func() string { return fmt.Sprintf("%s %s", d.ends(name), d.answer.out+d.answer.err) })
}

// A Job of Kubernetes that is ended before it is estimated to start is told so, whatever its pods say of their queue
// and gang, with a PodGroup or without. Once it is resumed its deadline counts anew, and one that is added or taken
// away while the pods wait is noticed.
func TestLiveAJobsDeadline(t *testing.T) {
	installed(t)
	d := &deadlines{T: t, ns: namespace(t), admin: shared.Kubeconfig}
	forwarding(t, d.ns) // a node of four cores
	schedulersPod(t, d.ns+"-1", d.ns)
	noneLeaves(t)
	queue(t, d.ns)
	installedScheduler(t, d.ns, d.ns+"-1", func(o *loop.Options) { o.DefaultQueue, o.Read.Estimates = d.ns, time.Second })
	create(t, timed(d.ns, "busy", "4", 3600, ""))
	awaitPhase(t, d.ns, "busy", corev1.PodRunning)

	d.job("edited", 0, nil)
	d.job("freed", 600, nil)
	d.job("resumed", 600, nil)
	d.job("says", 600, gangOfOwner(d.ns, 1))
	owner := *metav1.NewControllerRef(d.job("grouped", 600, map[string]string{
		schedulingv1beta1.KubeGroupNameAnnotationKey: "grouped"}), batchv1.SchemeGroupVersion.WithKind("Job"))
	g := object("PodGroup", "grouped", map[string]any{"minMember": int64(1), "queue": d.ns})
	g.SetOwnerReferences([]metav1.OwnerReference{owner})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(d.ns).Create(t.Context(), g,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	d.awaitTold("freed", "freed", true)
	d.patch("freed", `"activeDeadlineSeconds":null`)
	d.patch("edited", `"activeDeadlineSeconds":900`)
	for _, name := range []string{"resumed", "says", "grouped"} {
		d.awaitTold(name, name, true)
	}
	at := d.ends("says").Format(time.RFC3339)
	text := unwrapped(ask(d.admin, "why", "job", "says", "-n", d.ns, "--from", "scheduler").out)
	if want := "its Job ends before that: at " + at + ", by spec.activeDeadlineSeconds"; !strings.Contains(text, want) {
		t.Errorf("why says\n%s\nwant %q", text, want)
	}
	all := unwrapped(ask(d.admin, "jobs", "-n", d.ns, "--from", "scheduler", "-o", "json").out)
	if want := `"deadline": "` + at + `"`; !strings.Contains(all, want) {
		t.Errorf("the list lacks %s:\n%s", want, all)
	}

	before := d.ends("resumed")
	d.patch("resumed", `"suspend":true`)
	d.awaitSuspended("resumed")
	d.patch("resumed", `"suspend":false`)
	eventually(t, "the Job to be resumed", func(context.Context) (bool, error) {
		return d.ends("resumed").After(before), nil
	}, func() string { return d.ends("resumed").String() })
	d.awaitTold("resumed", "resumed", true)
	d.awaitTold("edited", "edited", true)
	d.awaitTold("freed", "freed", false)
}
