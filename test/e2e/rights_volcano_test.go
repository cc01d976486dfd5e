package e2e

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// devicesToo is granted by newer charts: an API server of 1.36 lets no client allocate a resource
// claim without it, Volcano's scheduler neither.
var devicesToo = rbacv1.PolicyRule{APIGroups: []string{"resource.k8s.io"},
	Resources: []string{"resourceclaims/binding"}, Verbs: []string{"update", "patch"}}

// The image alone is replaced: under the role of Volcano's chart, which grants no patch of a
// status and no get of a PodGroup, everything is done all the same.
func TestVolcanosRoleAloneIsEnough(t *testing.T) {
	installed(t)
	const name = "volcano-scheduler"
	meta := metav1.ObjectMeta{Name: name}
	kube := shared.kube
	if _, err := kube.CoreV1().ServiceAccounts(installedIn).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: meta},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	rules := append(slices.Clone(volcanosRules), devicesToo)
	if _, err := kube.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName,
		Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: installedIn, Name: name}}}
	if _, err := kube.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = kube.RbacV1().ClusterRoleBindings().Delete(context.Background(), name, metav1.DeleteOptions{})
		_ = kube.RbacV1().ClusterRoles().Delete(context.Background(), name, metav1.DeleteOptions{})
		_ = kube.CoreV1().ServiceAccounts(installedIn).Delete(context.Background(), name, metav1.DeleteOptions{})
	})
	busy(t, "volcano/policies.yaml", name, "")
}
