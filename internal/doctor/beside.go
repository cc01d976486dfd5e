package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// controllers says whether Volcano's controllers and webhooks run beside the scheduler.
func controllers(ctx context.Context, v *Visit) Check {
	out := Check{Name: "volcano", Status: OK, Do: "install Volcano's controllers, or use other kinds of jobs: Jobs " +
		"of Volcano " +
		"get no pods, and Commands (operate, suspend, resume) are not taken"}
	var ready []string
	for label, what := range map[string]string{"app=volcano-controller": "controllers",
		"app=volcano-admission": "webhooks"} {
		list, err := v.Kube.AppsV1().Deployments(metav1.NamespaceAll).List(ctx, metav1.ListOptions{LabelSelector: label})
		if err != nil {
			return refused(out.Name, "list deployments", err)
		}
		if slices.ContainsFunc(list.Items, func(d appsv1.Deployment) bool { return d.Status.ReadyReplicas > 0 }) {
			ready = append(ready, what)
		}
	}
	slices.Sort(ready)
	out.Message = "Volcano's controllers do not run here, and nothing needs them"
	if len(ready) > 0 {
		out.Message = "Volcano's " + strings.Join(ready, " and ") + " run"
	}
	_, err := v.Kube.Discovery().ServerResourcesForGroupVersion("batch.volcano.sh/v1alpha1")
	if err == nil && !slices.Contains(ready, "controllers") {
		out.Status, out.Message = Warning, "Jobs of Volcano are served, and its controllers do not run"
	}
	return out
}

// webhooks finds those that no pod answers, for what a scheduler works with.
func webhooks(ctx context.Context, v *Visit) Check {
	out := Check{Name: "webhooks", Status: OK, Do: "bring the service's pods back, or delete the configuration of a " +
		"webhook " +
		"of which the program is gone"}
	o := metav1.ListOptions{Limit: 500}
	validating, err := v.Kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().List(ctx, o)
	if err != nil {
		return refused(out.Name, "list webhooks", err)
	}
	mutating, err := v.Kube.AdmissionregistrationV1().MutatingWebhookConfigurations().List(ctx, o)
	if err != nil {
		return refused(out.Name, "list webhooks", err)
	}
	looked, dead := 0, 0
	look := func(configuration, name string, client admissionv1.WebhookClientConfig, policy *admissionv1.FailurePolicyType,
		rules []admissionv1.RuleWithOperations) error {
		if client.Service == nil || !concerns(rules) {
			return nil
		}
		looked++
		answered, err := v.answered(ctx, client.Service.Namespace, client.Service.Name)
		if err != nil || answered {
			return err
		}
		effect := "each request waits for it, and goes on"
		if policy == nil || *policy == admissionv1.Fail {
			out.Status, effect = Failure, "what it is about is refused"
		} else if out.Status == OK {
			out.Status = Warning
		}
		out.Details = few(out.Details, dead, "%s of %s: service %s/%s has no pod that is ready: %s", name, configuration,
			client.Service.Namespace, client.Service.Name, effect)
		dead++
		return nil
	}
	for i := range validating.Items {
		for k := range validating.Items[i].Webhooks {
			w := &validating.Items[i].Webhooks[k]
			if err := look(validating.Items[i].Name, w.Name, w.ClientConfig, w.FailurePolicy, w.Rules); err != nil {
				return refused(out.Name, "list endpoint slices", err)
			}
		}
	}
	for i := range mutating.Items {
		for k := range mutating.Items[i].Webhooks {
			w := &mutating.Items[i].Webhooks[k]
			if err := look(mutating.Items[i].Name, w.Name, w.ClientConfig, w.FailurePolicy, w.Rules); err != nil {
				return refused(out.Name, "list endpoint slices", err)
			}
		}
	}
	switch {
	case looked == 0:
		out.Message = "no webhook for pods and Volcano's kinds is by a service"
	case dead > 0:
		out.Message = fmt.Sprintf("webhooks for pods and Volcano's kinds that are dead: %d of %d", dead, looked)
	case looked == 1:
		out.Message = "1 webhook for pods and Volcano's kinds by a service, and it is answered"
	default:
		out.Message = fmt.Sprintf("%d webhooks for pods and Volcano's kinds by services, all of them answered", looked)
	}
	return out
}

// concerns says that rules are about pods, bindings, evictions or kinds of Volcano.
func concerns(rules []admissionv1.RuleWithOperations) bool {
	for _, r := range rules {
		for _, group := range r.APIGroups {
			if group == "*" || strings.HasSuffix(group, "volcano.sh") {
				return true
			}
			if group == "" && slices.ContainsFunc(r.Resources, func(name string) bool {
				return name == "*" || name == "*/*" || name == "pods" || strings.HasPrefix(name, "pods/")
			}) {
				return true
			}
		}
	}
	return false
}

// answered says that a service has a pod that is ready.
func (v *Visit) answered(ctx context.Context, namespace, name string) (bool, error) {
	list, err := v.Kube.DiscoveryV1().EndpointSlices(namespace).List(ctx, metav1.ListOptions{
		LabelSelector: discoveryv1.LabelServiceName + "=" + name})
	if err != nil {
		return false, err
	}
	for i := range list.Items {
		for _, e := range list.Items[i].Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				return true, nil
			}
		}
	}
	return false, nil
}

// Bounds of clocks that differ.
const (
	skewed  = 2 * time.Second
	wrong   = 30 * time.Second
	unheard = 2 * time.Minute // nodes renew each 10 s
)

// now is the time by the clock of the API server, which the times of objects are compared with; that of this machine
// where it is not known.
func (v *Visit) now() time.Time { return v.Now().Add(-v.ahead) }

// skew is by how much the clock of this machine is ahead of that of the API server, which writes the time, in whole
// seconds, on its answers.
func (v *Visit) skew(ctx context.Context) (time.Duration, error) {
	if v.HTTP == nil {
		return 0, errors.New("there is no way to ask")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.Host+"/version", nil)
	if err != nil {
		return 0, err
	}
	began := v.Now()
	answer, err := v.HTTP.Do(r)
	if err != nil {
		return 0, err
	}
	_ = answer.Body.Close() // only the head counts
	ended := v.Now()
	at, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return 0, fmt.Errorf("its answer has no time: %w", err)
	}
	// On average it was written in the middle of its second, half of the way back ago.
	return ended.Sub(at.Add(time.Second/2 + ended.Sub(began)/2)), nil
}

// clock compares the clock of the API server with that of this machine.
func clock(_ context.Context, v *Visit) Check {
	out := Check{Name: "clock", Status: OK, Do: "have both clocks kept by NTP: Leases, deadlines and the ages of " +
		"reasons " +
		"rest on them"}
	if v.unclear != nil {
		return refused(out.Name, "read the time of the API server", v.unclear)
	}
	out.Message = fmt.Sprintf("this machine and the API server differ by less than %s", skewed)
	if v.ahead.Abs() >= skewed {
		side := "behind"
		if v.ahead > 0 {
			side = "ahead of"
		}
		out.Status, out.Message = Warning, fmt.Sprintf("the clock of this machine is %s %s that of the API server",
			v.ahead.Abs().Round(time.Second), side)
		if v.ahead.Abs() >= wrong {
			out.Status = Failure
		}
	}
	return out
}

// heartbeats looks for nodes of which the clock is ahead, or that are not heard of.
func heartbeats(ctx context.Context, v *Visit) Check {
	out := Check{Name: "nodes", Status: OK, Do: "look at the kubelets of these nodes, and at their clocks"}
	list, err := v.Kube.CoordinationV1().Leases("kube-node-lease").List(ctx, metav1.ListOptions{})
	if err != nil {
		return refused(out.Name, "list leases in namespace kube-node-lease", err)
	}
	odd := 0
	for i := range list.Items {
		l := &list.Items[i]
		if l.Spec.RenewTime == nil {
			continue
		}
		switch age := v.now().Sub(l.Spec.RenewTime.Time); {
		case age < -skewed:
			out.Details = few(out.Details, odd, "node %s: its clock is %s ahead", l.Name, (-age).Round(time.Second))
		case age > unheard:
			out.Details = few(out.Details, odd, "node %s: not heard of for %s", l.Name, age.Round(time.Second))
		default:
			continue
		}
		odd++
	}
	switch n := len(list.Items); {
	case odd > 0:
		out.Status, out.Message = Warning, fmt.Sprintf("nodes that are not heard of, or of which the clock is ahead: "+
			"%d of %d", odd, n)
	case n == 0:
		out.Message = "no kubelet has a Lease"
	case n == 1:
		out.Message = "1 node is heard of, and its clock is not ahead"
	default:
		out.Message = fmt.Sprintf("%d nodes are heard of, and their clocks are not ahead", n)
	}
	return out
}
