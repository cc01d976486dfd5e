package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/loop"
)

// restricted has a scheduler act as a user that may do everything but what a test leaves out of the rights on claims;
// grant gives it those, too.
func restricted(t *testing.T, ns string, claims ...rbacv1.PolicyRule) (act func(*loop.Options), grant func()) {
	t.Helper()
	roles := shared.kube.RbacV1().ClusterRoles()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: ns}, Rules: append([]rbacv1.PolicyRule{
		{APIGroups: []string{"", "apps", "batch", "policy", "storage.k8s.io", "scheduling.k8s.io", "coordination.k8s.io",
			"events.k8s.io", "scheduling.volcano.sh", "topology.volcano.sh", "nodeinfo.volcano.sh"},
			Resources: []string{"*"}, Verbs: []string{"*"}},
	}, claims...)}
	role, err := roles.Create(t.Context(), role, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shared.kube.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: ns},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: ns}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = shared.kube.RbacV1().ClusterRoleBindings().Delete(context.Background(), ns, metav1.DeleteOptions{})
		_ = roles.Delete(context.Background(), ns, metav1.DeleteOptions{})
	})
	return func(o *loop.Options) {
			o.Config.Impersonate = rest.ImpersonationConfig{UserName: ns, Groups: []string{"system:authenticated"}}
		}, func() {
			role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: []string{"resource.k8s.io"},
				Resources: []string{"*"}, Verbs: []string{"*"}})
			if _, err := roles.Update(t.Context(), role, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
}

func onClaims(resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{"resource.k8s.io"}, Resources: []string{resource}, Verbs: verbs}
}

// forgetful is an API server that does not keep which claim was made for a pod, as one does without the feature gate;
// remember ends that.
func forgetful(t *testing.T) (act func(*loop.Options), remember func()) {
	t.Helper()
	keeps := make(chan struct{})
	drop := func(r *http.Request) error {
		text, err := io.ReadAll(r.Body)
		patch := map[string]map[string]any{}
		if err == nil {
			err = json.Unmarshal(text, &patch)
		}
		if err != nil {
			return err
		}
		delete(patch["status"], "extendedResourceClaimStatus")
		if text, err = json.Marshal(patch); err == nil {
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		}
		return err
	}
	return func(o *loop.Options) {
		o.Config.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return round(func(r *http.Request) (*http.Response, error) {
				select {
				case <-keeps:
				default:
					if r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status") &&
						strings.Contains(r.URL.Path, "/pods/") {
						r = r.Clone(r.Context())
						if err := drop(r); err != nil {
							return nil, err
						}
					}
				}
				return next.RoundTrip(r)
			})
		})
	}, func() { close(keeps) }
}

// What a pod needs beside a binding and the API server refuses is told on the pod with the server's words, is tried
// less and less often, leaves nothing behind, and is had as soon as it may be.
func TestDevicesThatMayNotBeWrittenAreTold(t *testing.T) {
	reads := onClaims("*", "get", "list", "watch")
	for name, c := range map[string]struct {
		act     func(t *testing.T, ns string) (func(*loop.Options), func())
		claim   bool   // the pod names a claim instead of asking for an extended resource
		request string // what is sent in each try
		says    string
	}{
		"a claim may not be made": {
			act: func(t *testing.T, ns string) (func(*loop.Options), func()) {
				return restricted(t, ns, reads, onClaims("resourceclaims", "delete", "patch", "update"),
					onClaims("resourceclaims/status", "patch", "update"), onClaims("resourceclaims/binding", "patch", "update"))
			}, request: "POST", says: `cannot create resource "resourceclaims"`},
		"its name is not kept": {
			act:     func(t *testing.T, _ string) (func(*loop.Options), func()) { return forgetful(t) },
			request: "POST", says: "its feature gate DRAExtendedResource is off"},
		"a claim may not be given devices": {
			act: func(t *testing.T, ns string) (func(*loop.Options), func()) {
				return restricted(t, ns, reads)
			}, claim: true, request: "P", says: `resource "resourceclaims"`},
	} {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t)
			queue(t, ns)
			node(t, ns+"-a", "16")
			cards(t, ns, ns+"-a", 1)
			p := extendedPod(ns, "one", named(t, ns), "1")
			if c.claim {
				if _, err := shared.kube.ResourceV1().ResourceClaims(ns).Create(t.Context(), &resourcev1.ResourceClaim{
					ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "own"}, Spec: asksFor(ns, 1)},
					metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
				p = withDevices(ns, "one", "own")
			}
			act, heal := c.act(t, ns)
			w := wire{}
			live(t, ns, w.on, act)
			create(t, p)
			eventually(t, "the pod to say what was refused", func(ctxless) (bool, error) {
				return strings.Contains(scheduledMessage(t, ns, "one"), c.says), nil
			}, func() string { return scheduledMessage(t, ns, "one") })
			var tries []time.Time
			eventually(t, "five tries", func(ctxless) (bool, error) {
				tries = w.sentTo("/resourceclaims", c.request)
				return len(tries) >= 5, nil
			}, func() string { return fmt.Sprint(tries) })
			if pause := tries[4].Sub(tries[3]); pause < 1500*time.Millisecond {
				t.Errorf("the fifth try came %v after the fourth, want a pause that doubles from 0.2 s: %v", pause, tries)
			}
			made := func() []*resourcev1.ResourceClaim { return madeClaims(t, get(t, ns, "one")) }
			eventually(t, "nothing to be left of the fifth try, which may be under way", func(ctxless) (bool, error) {
				return len(made()) == 0, nil
			}, func() string { return fmt.Sprintf("%+v", made()) })
			heal()
			awaitRunning(t, ns, "one", 1)
		})
	}
}

// sentTo is when the first of the writes of a method to paths with some part was sent, and then sent again. A try may
// send others beside it.
func (w *wire) sentTo(part, method string) (out []time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := ""
	for n, sent := range w.writes {
		if first == "" && strings.HasPrefix(sent, method) && strings.Contains(sent, part) {
			first = sent
		}
		if first != "" && sent == first {
			out = append(out, w.at[n])
		}
	}
	return out
}

// scheduledMessage is what a pod says of why it is not scheduled.
func scheduledMessage(t *testing.T, ns, name string) string {
	for _, c := range get(t, ns, name).Status.Conditions {
		if c.Type == corev1.PodScheduled {
			return fmt.Sprint(c.Status, " ", c.Reason, ": ", c.Message)
		}
	}
	return ""
}
