package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"ashlar.sh/internal/kube/inspect"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/readapi"
)

// target is the scheduler that acts.
type target struct {
	namespace, pod string
	port           int
	certificate    string // readapi.LabelOf
	lease          string // namespace/name
}

func (t *target) String() string {
	return fmt.Sprintf("pod %s/%s (Lease %s)", t.namespace, t.pod, t.lease)
}

// finder finds the scheduler that acts. It may not be used by several goroutines at once.
type finder struct {
	kube      kubernetes.Interface
	namespace string // of the Lease; "": the usual ones
	lease     string // "": the usual one, or the only one
	checked   map[string]bool
}

// find follows the Lease to the pod. Errors are Faults.
func (f *finder) find(ctx context.Context) (*target, error) {
	lease, err := f.leased(ctx)
	if err != nil {
		return nil, err
	}
	t, err := targetOf(lease)
	if err != nil {
		return nil, err
	}
	pod, err := f.kube.CoreV1().Pods(t.namespace).Get(ctx, t.pod, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, fault(Unreached, "the scheduler that holds the Lease %s, pod %s/%s, is gone, and no other has taken "+
			"over yet", t.lease, t.namespace, t.pod)
	case apierrors.IsForbidden(err):
		return nil, fault(Forbidden, "you may not get the scheduler's pod %s/%s", t.namespace, t.pod)
	case err != nil:
		return nil, failed(err, "get the scheduler's pod %s/%s", t.namespace, t.pod)
	case pod.Status.Phase != corev1.PodRunning:
		return nil, fault(Unreached, "the scheduler that holds the Lease %s, pod %s/%s, does not run: it is %s", t.lease,
			t.namespace, t.pod, pod.Status.Phase)
	}
	return t, f.check(ctx, t, pod.Spec.ServiceAccountName)
}

// targetOf reads where a Lease says that the scheduler is.
func targetOf(l *coordinationv1.Lease) (*target, error) {
	t := &target{lease: l.Namespace + "/" + l.Name, namespace: l.Labels[readapi.LabelNamespace],
		certificate: l.Labels[readapi.LabelCertificate]}
	holder := ""
	if l.Spec.HolderIdentity != nil {
		holder = *l.Spec.HolderIdentity
	}
	port, labelled := l.Labels[readapi.LabelPort]
	switch {
	case !labelled:
		return nil, fault(None, "the scheduler of Lease %s serves no read API", t.lease)
	case holder == "":
		return nil, fault(Unreached, "no scheduler holds the Lease %s now", t.lease)
	case t.namespace == "":
		return nil, fault(None, "the scheduler that holds the Lease %s, %s, runs in no pod: name its address by --read-api",
			t.lease, holder)
	case t.certificate == "":
		return nil, fault(Untrusted, "the Lease %s does not name the certificate of the scheduler's read API, so nothing is "+
			"sent to it: it is older than this command, or name its address and certificate by --read-api and "+
			"--read-api-certificate", t.lease)
	}
	var err error
	if t.port, err = strconv.Atoi(port); err != nil || t.port < 1 || t.port > 65535 {
		return nil, fault(Untrusted, "the Lease %s has no port in label %s: %q", t.lease, readapi.LabelPort, port)
	}
	t.pod, _, _ = strings.Cut(holder, "_")
	return t, nil
}

// failed is what the API server did not do: it says why, or it does not answer.
func failed(err error, what string, args ...any) *Fault {
	kind := Unreached
	if apierrors.ReasonForError(err) == metav1.StatusReasonUnknown {
		kind = NoCluster
	}
	return fault(kind, "%s: %v", fmt.Sprintf(what, args...), err)
}

// leased finds the Lease. Only where schedulers are by default, or where the person says, it is believed: anybody may
// write one in a namespace of their own.
func (f *finder) leased(ctx context.Context) (*coordinationv1.Lease, error) {
	looked := inspect.Namespaces
	if f.namespace != "" {
		looked = []string{f.namespace}
	}
	var refused []string
	for _, ns := range looked {
		lease, err := f.leasedIn(ctx, ns)
		switch {
		case err == nil && lease != nil:
			return lease, nil
		case apierrors.IsForbidden(err):
			refused = append(refused, ns)
		case err != nil:
			return nil, err
		}
	}
	if len(refused) > 0 {
		return nil, fault(Forbidden, "you may not get the scheduler's Lease in namespace %s", strings.Join(refused, " or "))
	}
	return nil, fault(None, "no scheduler has a Lease in namespace %s", strings.Join(looked, " or "))
}

// leasedIn finds the Lease in a namespace; nil: there is none. Without the name, it is the usual one, else the only one
// that says where a read API is.
func (f *finder) leasedIn(ctx context.Context, ns string) (*coordinationv1.Lease, error) {
	name := f.lease
	if name == "" {
		name = translate.DefaultScheduler // as a Lease is called by default
	}
	lease, err := f.kube.CoordinationV1().Leases(ns).Get(ctx, name, metav1.GetOptions{})
	switch {
	case err == nil:
		return lease, nil
	case apierrors.IsForbidden(err):
		return nil, err
	case !apierrors.IsNotFound(err):
		return nil, failed(err, "get the Lease %s/%s", ns, name)
	case f.lease != "":
		return nil, nil
	}
	list, err := f.kube.CoordinationV1().Leases(ns).List(ctx, metav1.ListOptions{LabelSelector: readapi.LabelPort})
	switch {
	case apierrors.IsForbidden(err), err == nil && len(list.Items) == 0:
		return nil, nil
	case err != nil:
		return nil, failed(err, "list the Leases in namespace %s", ns)
	case len(list.Items) > 1:
		return nil, fault(None, "there are %d schedulers in namespace %s, by their Leases %s and %s among others: name one "+
			"with --scheduler-name", len(list.Items), ns, list.Items[0].Name, list.Items[1].Name)
	}
	return &list.Items[0], nil
}

// check asks the API server whether the pod's service account may bind pods in all namespaces, as only a scheduler
// may. A person without the right to ask that is no administrator; the Lease has to do then.
func (f *finder) check(ctx context.Context, t *target, account string) error {
	if account == "" {
		account = "default"
	}
	user := "system:serviceaccount:" + t.namespace + ":" + account
	if f.checked[user] {
		return nil
	}
	review, err := f.kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: user,
			Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + t.namespace, "system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "create", Resource: "pods",
				Subresource: "binding"}}}, metav1.CreateOptions{})
	switch {
	case apierrors.IsForbidden(err):
	case err != nil:
		return failed(err, "review whether %s may bind pods", user)
	case !review.Status.Allowed:
		return fault(Untrusted, "the Lease %s names pod %s/%s, whose service account %s may not bind pods in all "+
			"namespaces: it is no scheduler, and nothing was sent to it", t.lease, t.namespace, t.pod, account)
	}
	f.checked[user] = true
	return nil
}
