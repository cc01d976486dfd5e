package doctor

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/deploy"
	"ashlar.sh/internal/kube/api"
	"ashlar.sh/internal/kube/inspect"
	"ashlar.sh/internal/kube/translate"
)

// oldest is the oldest minor version of Kubernetes 1 that docs/install.md assumes.
const oldest = 29

func versions(_ context.Context, v *Visit) Check {
	out := Check{Name: "versions", Status: OK, Do: "docs/install.md says which versions are assumed"}
	server, err := v.Kube.Discovery().ServerVersion()
	if err != nil {
		return refused(out.Name, "read the version of the API server", err)
	}
	out.Message = fmt.Sprintf("Kubernetes %s, ashlar %s", server.GitVersion, v.Version)
	minor, err := strconv.Atoi(strings.TrimRight(server.Minor, "+"))
	if err == nil && server.Major == "1" && minor < oldest {
		out.Status = Warning
		out.Details = append(out.Details, fmt.Sprintf("Kubernetes before 1.%d is not tried", oldest))
	}
	return out
}

// served are the kinds that the scheduler, or Volcano's controllers, use. cost is what does not work without one; an
// essential one is needed by every scheduler.
var served = []struct {
	version, resource, cost string
	essential               bool
}{
	{"scheduling.volcano.sh/v1beta1", "podgroups", "no gang is started whole", true},
	{"scheduling.volcano.sh/v1beta1", "queues", "nothing is shared by queues", true},
	{"topology.volcano.sh/v1alpha1", "hypernodes", "network topologies of jobs are not heeded", false},
	{"nodeinfo.volcano.sh/v1alpha1", "numatopologies", "plugin numa-aware has nothing to go by", false},
	{"shard.volcano.sh/v1alpha1", "nodeshards", "nodes cannot be divided among schedulers", false},
	{api.Version.String(), api.Resource, "no nodes can be booked in advance", false},
}

func kinds(_ context.Context, v *Visit) Check {
	out := Check{Name: "crds", Status: OK, Message: fmt.Sprintf("all %d kinds of the scheduler are served", len(served)),
		Do: "kubectl create -f deploy/10-crds.yaml makes those that are missing and leaves the others"}
	missing := 0
	for _, k := range served {
		list, err := v.Kube.Discovery().ServerResourcesForGroupVersion(k.version)
		if err != nil && !apierrors.IsNotFound(err) {
			return refused(out.Name, "read which kinds are served", err)
		}
		has := func(name string) bool {
			return err == nil && slices.ContainsFunc(list.APIResources,
				func(r metav1.APIResource) bool { return r.Name == name })
		}
		if has(k.resource) {
			if k.resource == api.Resource && !has(api.Resource+"/status") {
				out.older("bookings do not say how they stand")
			}
			continue
		}
		missing++
		if k.essential {
			out.Status = Failure
		} else if out.Status == OK {
			out.Status = Warning
		}
		group, _, _ := strings.Cut(k.version, "/")
		text := fmt.Sprintf("%s.%s is not served in %s: %s", k.resource, group, k.version, k.cost)
		if other := v.otherVersion(group, k.resource); other != "" {
			text += "; it is in " + other + ", of another version of Volcano"
		}
		out.Details = append(out.Details, text)
	}
	if missing > 0 {
		out.Message = fmt.Sprintf("%d of the %d kinds of the scheduler are missing", missing, len(served))
	}
	return out
}

// older says that the CRD of bookings is of a version before this one, and what that costs.
func (c *Check) older(cost string) {
	if c.Status == OK {
		c.Status = Warning
	}
	c.Message += "; one by an older CRD"
	c.Details = append(c.Details, fmt.Sprintf("%s.%s: its CRD is older than this program: %s; apply that of "+
		"deploy/10-crds.yaml anew", api.Resource, api.Version.Group, cost))
}

// otherVersion is another version in which a kind is served, "" for none.
func (v *Visit) otherVersion(group, resource string) string {
	groups, err := v.Kube.Discovery().ServerGroups()
	if err != nil {
		return ""
	}
	for i := range groups.Groups {
		if groups.Groups[i].Name != group {
			continue
		}
		for _, version := range groups.Groups[i].Versions {
			list, err := v.Kube.Discovery().ServerResourcesForGroupVersion(version.GroupVersion)
			if err == nil && slices.ContainsFunc(list.APIResources,
				func(r metav1.APIResource) bool { return r.Name == resource }) {
				return version.GroupVersion
			}
		}
	}
	return ""
}

// schedulers finds what runs, and two that serve one name.
func schedulers(ctx context.Context, v *Visit) Check {
	out := Check{Name: "schedulers", Status: OK,
		Do: "run one of them for each schedulerName: scale the other to 0, or give it another --scheduler-name"}
	found, err := inspect.Schedulers(ctx, v.Clients)
	v.running, v.hidden = found, err != nil
	if err != nil && len(found) == 0 {
		return refused(out.Name, "list deployments", err)
	}
	by := map[string][]inspect.Running{}
	ready := 0
	for _, r := range found {
		out.Details = append(out.Details, fmt.Sprintf("%s/%s serves %s: %d ready, image %s", r.Namespace, r.Name,
			strings.Join(r.Schedulers, ", "), r.Ready, r.Image))
		if r.Ready == 0 {
			continue
		}
		ready++
		for _, name := range r.Schedulers {
			by[name] = append(by[name], r)
		}
	}
	if len(found) == 0 {
		if text := v.leased(ctx); text != "" {
			out.Message, out.Details = "a scheduler runs without a Deployment", []string{text}
			return out
		}
	}
	switch {
	case len(found) == 0:
		out.Status, out.Message = Warning, "no deployment of Ashlar or of Volcano's scheduler is there"
		out.Do = "docs/install.md installs one; one that runs without a Deployment or StatefulSet is seen by its " +
			"Lease alone"
		return out
	case ready == 0:
		out.Status, out.Message = Failure, "no scheduler is ready: nothing is placed"
		out.Do = "look at its pods: kubectl -n " + found[0].Namespace + " describe pods"
		return out
	}
	out.Message = fmt.Sprintf("%d ready, each for names of its own", ready)
	for name, several := range by { // order-free: the worst counts, and one name is told at a time
		if len(several) < 2 {
			continue
		}
		out.Status, out.Message = Failure, "schedulerName "+name+" is served by several schedulers: each places pods "+
			"without "+
			"knowing what the others do"
		if !slices.ContainsFunc(several, func(r inspect.Running) bool { return !r.Elects }) {
			out.Status, out.Message = Warning, "schedulerName "+name+" is served by several schedulers: which of them acts "+
				"depends on their Leases"
			continue
		}
		break
	}
	return out
}

// leased finds a scheduler that no Deployment shows, by a Lease that it renews: one that runs beside the cluster, as
// under make cluster. Only namespaces count in which tenants make no Leases. "": there is none, or none may be seen.
func (v *Visit) leased(ctx context.Context) string {
	for _, namespace := range append([]string{metav1.NamespaceSystem}, inspect.Namespaces...) {
		l, err := v.Kube.CoordinationV1().Leases(namespace).Get(ctx, translate.DefaultScheduler, metav1.GetOptions{})
		if err != nil || l.Spec.HolderIdentity == nil || *l.Spec.HolderIdentity == "" || l.Spec.RenewTime == nil ||
			l.Spec.LeaseDurationSeconds == nil ||
			v.now().Sub(l.Spec.RenewTime.Time) > 3*time.Duration(*l.Spec.LeaseDurationSeconds)*time.Second {
			continue
		}
		v.running = append(v.running, inspect.Running{Namespace: namespace, Name: *l.Spec.HolderIdentity, Ready: 1,
			Elects: true})
		return fmt.Sprintf("%s renews the Lease %s/%s; which schedulerNames it serves no object says", *l.Spec.HolderIdentity,
			namespace, l.Name)
	}
	return ""
}

// essentialRights are the resources without which the scheduler does not work at all.
var essentialRights = []string{"nodes", "pods", "pods/binding", "podgroups", "queues"}

// rights asks what the scheduler's service account may do; a person who may not ask that is told what that person may.
func rights(ctx context.Context, v *Visit) Check {
	out := Check{Name: "rights", Status: OK, Do: "apply the ClusterRole of deploy/20-ashlar.yaml to its service account"}
	rules, err := deploy.SchedulerRules()
	if err != nil {
		return refused(out.Name, "read the rules of the manifests", err)
	}
	i := slices.IndexFunc(v.running, func(r inspect.Running) bool { return r.ServiceAccount != "" && r.Ready > 0 })
	if i < 0 {
		out := v.ownRights(ctx, "no scheduler of which the service account is known runs")
		if !v.hidden {
			out.Status = OK
		}
		return out
	}
	r := v.running[i]
	user := "system:serviceaccount:" + r.Namespace + ":" + r.ServiceAccount
	asked, missing := 0, 0
	for _, rule := range rules {
		for _, a := range questions(rule) {
			review, err := v.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{User: user, Groups: []string{"system:serviceaccounts",
					"system:serviceaccounts:" + r.Namespace, "system:authenticated"}, ResourceAttributes: &a}}, metav1.CreateOptions{})
			if apierrors.IsForbidden(err) {
				return v.ownRights(ctx, "no right to ask what "+user+" may do")
			}
			if err != nil {
				return refused(out.Name, "ask what "+user+" may do", err)
			}
			if asked++; review.Status.Allowed {
				continue
			}
			essential := slices.Contains(essentialRights, resourceOf(&a)) && a.Verb != "create" ||
				resourceOf(&a) == "pods/binding"
			if essential {
				out.Status = Failure
			} else if out.Status == OK {
				out.Status = Warning
			}
			out.Details = few(out.Details, missing, "no right to %s %s", a.Verb, fullName(&a))
			missing++
		}
	}
	out.Message = fmt.Sprintf("%s may do all %d things that it is given by the manifests", user, asked)
	if missing > 0 {
		out.Message = fmt.Sprintf("%s may not do %d of %d things that it is given by the manifests", user, missing, asked)
	}
	return out
}

// ownRights says what the person may see of what the verbs read.
func (v *Visit) ownRights(ctx context.Context, why string) Check {
	out := Check{Name: "rights", Status: NotAllowed, Message: why + "; you may list "}
	var may, not []string
	for _, a := range []authorizationv1.ResourceAttributes{{Resource: "pods"}, {Resource: "nodes"},
		{Group: "scheduling.volcano.sh", Resource: "podgroups"}, {Group: "scheduling.volcano.sh", Resource: "queues"}} {
		a.Verb = "list"
		review, err := v.Kube.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx,
			&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &a}},
			metav1.CreateOptions{})
		if err == nil && review.Status.Allowed {
			may = append(may, a.Resource)
		} else {
			not = append(not, a.Resource)
		}
	}
	if len(may) == 0 {
		may = []string{"none of what verbs read in all namespaces"}
	}
	out.Message += strings.Join(may, ", ")
	if len(not) > 0 {
		out.Message += ", and not in all namespaces " + strings.Join(not, ", ")
		out.Do = "questions about a whole cluster need the right to list these in all namespaces: ask an administrator " +
			"for a ClusterRole that lists them"
	}
	return out
}

// questions are the single rights of a rule.
func questions(rule rbacv1.PolicyRule) (out []authorizationv1.ResourceAttributes) {
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			resource, sub, _ := strings.Cut(resource, "/")
			for _, verb := range rule.Verbs {
				out = append(out, authorizationv1.ResourceAttributes{Group: group, Resource: resource, Subresource: sub,
					Verb: verb})
			}
		}
	}
	return out
}

func resourceOf(a *authorizationv1.ResourceAttributes) string {
	if a.Subresource != "" {
		return a.Resource + "/" + a.Subresource
	}
	return a.Resource
}

func fullName(a *authorizationv1.ResourceAttributes) string {
	if a.Group == "" {
		return resourceOf(a)
	}
	return resourceOf(a) + "." + a.Group
}

// leases finds schedulers that have stopped renewing their Lease.
func leases(ctx context.Context, v *Visit) Check {
	out := Check{Name: "leases", Status: OK, Message: "no scheduler that elects a leader runs",
		Do: "look at the pods of that scheduler: none of them acts"}
	seen := map[string]bool{}
	for _, r := range v.running {
		if !r.Elects || seen[r.Namespace] {
			continue
		}
		seen[r.Namespace] = true
		list, err := v.Kube.CoordinationV1().Leases(r.Namespace).List(ctx, metav1.ListOptions{Limit: 100})
		if err != nil {
			return refused(out.Name, "list leases in namespace "+r.Namespace, err)
		}
		for i := range list.Items {
			l := &list.Items[i]
			if l.Spec.RenewTime == nil || l.Spec.HolderIdentity == nil || *l.Spec.HolderIdentity == "" ||
				l.Spec.LeaseDurationSeconds == nil {
				continue
			}
			age, lasts := v.now().Sub(l.Spec.RenewTime.Time), time.Duration(*l.Spec.LeaseDurationSeconds)*time.Second
			text := fmt.Sprintf("%s/%s is held by %s", l.Namespace, l.Name, *l.Spec.HolderIdentity)
			if age > 3*lasts {
				out.Status, out.Message = Warning, "a Lease is not renewed"
				text += fmt.Sprintf(", and was renewed %s ago, where it lasts %s", age.Round(time.Second), lasts)
			} else if out.Status == OK {
				out.Message = "Leases are renewed"
			}
			out.Details = append(out.Details, text)
		}
	}
	return out
}
