package inspect

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/translate"
)

// Configuration is what a scheduler in the cluster runs with.
type Configuration struct {
	Name       string   // of the ConfigMap, namespace/name
	Text       string   // "": none was found
	Schedulers []string // the schedulerNames that it serves, also where the ConfigMap was not found; none: not known
	Why        string   // why no ConfigMap was found
}

// schedulers are the labels of deployments that run a scheduler: of this project's chart, and of Volcano's.
var schedulers = []string{"app.kubernetes.io/name=ashlar", "app=volcano-scheduler"}

// Namespaces are where they are installed by default, with their Leases: for people who may not list them everywhere.
var Namespaces = []string{"ashlar-system", "volcano-system"}

// Configured finds the configuration of the scheduler: the ConfigMap that its deployment mounts. Where none mounts one
// that may be read, the first deployment still says which schedulerNames are served.
func Configured(ctx context.Context, c Clients) Configuration {
	found, err := deployments(ctx, c)
	for i := range found {
		if out, ok := mounted(ctx, c, &found[i]); ok {
			return out
		}
	}
	out := Configuration{Why: "no deployment of Ashlar or of Volcano's scheduler mounts one that may be read"}
	if len(found) > 0 {
		out.Schedulers = found[0].schedulers()
	}
	if apierrors.IsForbidden(err) {
		out.Why = "no right to read the deployment of the scheduler, or its ConfigMap"
	}
	return out
}

// deployments are those of schedulers, Deployments before StatefulSets. Anybody may put their labels on a Deployment
// in a namespace of their own: those in the namespaces where schedulers are installed by default come first. Those that
// are scaled to 0 come last, as Volcano's is beside an Ashlar elsewhere. The error is that of a list in all namespaces,
// after which those by default were looked at.
func deployments(ctx context.Context, c Clients) (out []template, err error) {
	for _, label := range schedulers {
		found, failed := labelled(ctx, c, label)
		out, err = append(out, found...), cmp.Or(err, failed)
	}
	rank := func(t template) int {
		switch {
		case t.off:
			return 2
		case slices.Contains(Namespaces, t.meta.Namespace):
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b template) int { return cmp.Compare(rank(a), rank(b)) })
	return out, err
}

// labelled are those with a label, by namespace and name.
func labelled(ctx context.Context, c Clients, label string) (out []template, err error) {
	o := metav1.ListOptions{LabelSelector: label}
	list := func(namespace string) error {
		d, err := c.Kube.AppsV1().Deployments(namespace).List(ctx, o)
		if err != nil {
			return err
		}
		for i := range d.Items {
			out = append(out, template{d.Items[i].ObjectMeta, &d.Items[i].Spec.Template.Spec,
				d.Items[i].Status.ReadyReplicas, off(d.Items[i].Spec.Replicas)})
		}
		s, err := c.Kube.AppsV1().StatefulSets(namespace).List(ctx, o)
		if err == nil {
			out = append(out, ofSets(s)...)
		}
		return nil
	}
	if err = list(metav1.NamespaceAll); err != nil {
		for _, namespace := range Namespaces {
			_ = list(namespace) // the first error says why
		}
	}
	slices.SortStableFunc(out, func(a, b template) int {
		return cmp.Or(cmp.Compare(a.meta.Namespace, b.meta.Namespace), cmp.Compare(a.meta.Name, b.meta.Name))
	})
	return out, err
}

// template is the pods of a workload, and how many of them are ready.
type template struct {
	meta  metav1.ObjectMeta
	pod   *corev1.PodSpec
	ready int32
	off   bool // it is scaled to 0
}

// schedulers are the schedulerNames that a scheduler's pods serve: without a flag the one that it has by default.
func (t *template) schedulers() (out []string) {
	for i := range t.pod.Containers {
		out = append(out, flagsOf(&t.pod.Containers[i])["scheduler-name"]...)
	}
	if len(out) == 0 {
		return []string{translate.DefaultScheduler}
	}
	return out
}

// Running is a scheduler that is installed.
type Running struct {
	Namespace, Name string
	Ready           int32
	Image           string
	ServiceAccount  string
	Schedulers      []string // the schedulerNames that it serves
	Elects          bool     // it waits for a Lease before it acts
}

// Schedulers are the deployments of Ashlar and of Volcano's scheduler that may be read, those first that are where
// schedulers are installed by default. The error is that of a list in all namespaces, after which those of the
// namespaces where they are installed by default were looked at.
func Schedulers(ctx context.Context, c Clients) (out []Running, err error) {
	found, err := deployments(ctx, c)
	for i := range found {
		t := &found[i]
		r := Running{Namespace: t.meta.Namespace, Name: t.meta.Name, Ready: t.ready,
			ServiceAccount: t.pod.ServiceAccountName, Schedulers: t.schedulers(), Elects: true}
		for k := range t.pod.Containers {
			flags := flagsOf(&t.pod.Containers[k])
			r.Image = cmp.Or(r.Image, t.pod.Containers[k].Image)
			if elect := flags["leader-elect"]; len(elect) > 0 && elect[0] == "false" {
				r.Elects = false
			}
		}
		out = append(out, r)
	}
	return out, err
}

func ofSets(list *appsv1.StatefulSetList) (out []template) {
	for i := range list.Items {
		out = append(out, template{list.Items[i].ObjectMeta, &list.Items[i].Spec.Template.Spec,
			list.Items[i].Status.ReadyReplicas, off(list.Items[i].Spec.Replicas)})
	}
	return out
}

// off says that a workload is scaled to 0.
func off(replicas *int32) bool { return replicas != nil && *replicas == 0 }

// mounted is the configuration that a workload's container names by --scheduler-conf and mounts from a ConfigMap.
func mounted(ctx context.Context, c Clients, t *template) (Configuration, bool) {
	for i := range t.pod.Containers {
		container := &t.pod.Containers[i]
		flags := flagsOf(container)
		file, named := flags["scheduler-conf"]
		if !named {
			continue
		}
		for _, m := range container.VolumeMounts {
			if m.MountPath != path.Dir(file[0]) && m.MountPath != file[0] {
				continue
			}
			v := slices.IndexFunc(t.pod.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
			if v < 0 || t.pod.Volumes[v].ConfigMap == nil {
				continue
			}
			name := t.pod.Volumes[v].ConfigMap.Name
			found, err := c.Kube.CoreV1().ConfigMaps(t.meta.Namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				continue
			}
			if text, ok := found.Data[path.Base(file[0])]; ok {
				return Configuration{Name: fmt.Sprintf("%s/%s", t.meta.Namespace, name), Text: text,
					Schedulers: t.schedulers()}, true
			}
		}
	}
	return Configuration{}, false
}

// flagsOf are the values of a container's flags, by name, wherever they stand: --name=value or --name value; a list
// has its values apart.
func flagsOf(c *corev1.Container) map[string][]string {
	out := map[string][]string{}
	// Volcano's manifest passes a shell's line.
	words := strings.Fields(strings.Join(append(slices.Clone(c.Command), c.Args...), " "))
	for i, word := range words {
		name, dashed := strings.CutPrefix(word, "--")
		if !dashed {
			continue
		}
		name, value, has := strings.Cut(name, "=")
		if !has && i+1 < len(words) {
			value = words[i+1]
		}
		if value = strings.Trim(value, `"'`); value != "" {
			out[name] = append(out[name], strings.Split(value, ",")...)
		}
	}
	return out
}
