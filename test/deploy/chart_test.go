package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// kinds are what the chart may be made of, each with the type it is read into, strictly. Those
// of the Prometheus operator have their few fields written out.
var kinds = map[string]func() any{
	"v1/Namespace":      func() any { return &corev1.Namespace{} },
	"v1/ServiceAccount": func() any { return &corev1.ServiceAccount{} },
	"v1/ConfigMap":      func() any { return &corev1.ConfigMap{} },
	"v1/Service":        func() any { return &corev1.Service{} },
	"apps/v1/Deployment": func() any {
		return &appsv1.Deployment{}
	},
	"policy/v1/PodDisruptionBudget":                   func() any { return &policyv1.PodDisruptionBudget{} },
	"networking.k8s.io/v1/NetworkPolicy":              func() any { return &networkingv1.NetworkPolicy{} },
	"rbac.authorization.k8s.io/v1/ClusterRole":        func() any { return &rbacv1.ClusterRole{} },
	"rbac.authorization.k8s.io/v1/ClusterRoleBinding": func() any { return &rbacv1.ClusterRoleBinding{} },
	"rbac.authorization.k8s.io/v1/Role":               func() any { return &rbacv1.Role{} },
	"rbac.authorization.k8s.io/v1/RoleBinding":        func() any { return &rbacv1.RoleBinding{} },
	"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy": func() any {
		return &admissionv1.ValidatingAdmissionPolicy{}
	},
	"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding": func() any {
		return &admissionv1.ValidatingAdmissionPolicyBinding{}
	},
	"monitoring.coreos.com/v1/ServiceMonitor": func() any { return &map[string]any{} },
	"monitoring.coreos.com/v1/PrometheusRule": func() any { return &map[string]any{} },
}

// installation is a chart that was rendered: its objects by kind, in the order of their files.
type installation map[string][]any

// install renders the chart and reads every object into its type; a field that the type does
// not have ends the test.
func install(t *testing.T, values map[string]any) installation {
	t.Helper()
	files, err := render(values)
	if err != nil {
		t.Fatal(err)
	}
	out := installation{}
	for name, text := range files {
		for document := range strings.SplitSeq("\n"+text, "\n---\n") {
			var head struct{ APIVersion, Kind string }
			if err := yaml.Unmarshal([]byte(document), &head); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, document)
			}
			if head.Kind == "" {
				continue
			}
			made := kinds[head.APIVersion+"/"+head.Kind]
			if made == nil {
				t.Fatalf("%s: unexpected %s/%s", name, head.APIVersion, head.Kind)
			}
			object := made()
			if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, document)
			}
			out[head.Kind] = append(out[head.Kind], object)
		}
	}
	return out
}

func (i installation) pod(t *testing.T) (*appsv1.Deployment, corev1.Container) {
	t.Helper()
	if len(i["Deployment"]) != 1 || len(i["Deployment"][0].(*appsv1.Deployment).Spec.Template.Spec.Containers) != 1 {
		t.Fatal("want one Deployment with one container")
	}
	d := i["Deployment"][0].(*appsv1.Deployment)
	return d, d.Spec.Template.Spec.Containers[0]
}

func (i installation) counts() string {
	var out []string
	for kind, objects := range i {
		out = append(out, fmt.Sprintf("%s %d", kind, len(objects)))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

const (
	always = "ClusterRole 4, ClusterRoleBinding 1, ConfigMap 1, Deployment 1, NetworkPolicy 1, PodDisruptionBudget 1, " +
		"Role 2, RoleBinding 2"
	guarded = ", ValidatingAdmissionPolicy 2, ValidatingAdmissionPolicyBinding 2"
	whole   = always + ", Service 2, ServiceAccount 1" + guarded
)

type values = map[string]any

var variants = map[string]struct {
	values  values
	objects string
	holds   func(*appsv1.Deployment, corev1.Container) bool
}{
	"as it is by default": {nil, whole, func(d *appsv1.Deployment, c corev1.Container) bool {
		return *d.Spec.Replicas == 1 && c.Image == "ashlar:dev" && slices.Contains(c.Args, "--enable-metrics")
	}},
	"two schedulers prefer two nodes": {values{"replicas": 2}, whole, func(d *appsv1.Deployment, _ corev1.Container) bool {
		spread := d.Spec.Template.Spec.TopologySpreadConstraints
		return *d.Spec.Replicas == 2 && len(spread) == 1 && spread[0].WhenUnsatisfiable == corev1.ScheduleAnyway
	}},
	"without metrics nothing serves or names them": {values{"metrics": values{"enabled": false, "serviceMonitor": true,
		"rules": true, "dashboard": true}},
		always + ", Service 1, ServiceAccount 1" + guarded, func(_ *appsv1.Deployment, c corev1.Container) bool {
			return !slices.Contains(c.Args, "--enable-metrics") && len(c.Ports) == 2
		}},
	"without the read API nothing serves or names it": {values{"readAPI": values{"enabled": false, "tlsSecret": "mine"}},
		strings.NewReplacer("ClusterRole 4", "ClusterRole 3", "Role 2", "Role 1", "RoleBinding 2", "RoleBinding 1",
			"Service 2", "Service 1").Replace(whole),
		func(d *appsv1.Deployment, c corev1.Container) bool {
			return !strings.Contains(strings.Join(c.Args, " "), "read-api") && len(c.Ports) == 2 &&
				len(d.Spec.Template.Spec.Volumes) == 2
		}},
	"a certificate of one's own": {values{"readAPI": values{"tlsSecret": "mine", "port": 9443}}, whole,
		func(d *appsv1.Deployment, c corev1.Container) bool {
			return slices.Contains(c.Args, "--read-api-address=:9443") &&
				slices.Contains(c.Args, "--read-api-cert-file=/read-api-tls/tls.crt") &&
				slices.ContainsFunc(d.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool {
					return v.Secret != nil && v.Secret.SecretName == "mine"
				})
		}},
	"an image of one's own": {values{"image": values{"repository": "registry.example/team/ashlar", "tag": "v1.2.3"}},
		whole,
		func(_ *appsv1.Deployment, c corev1.Container) bool {
			return c.Image == "registry.example/team/ashlar:v1.2.3"
		}},
	"a digest wins over a tag": {values{"image": values{"tag": "v1", "digest": "sha256:" + strings.Repeat("a", 64)}},
		whole,
		func(_ *appsv1.Deployment, c corev1.Container) bool {
			return c.Image == "ashlar@sha256:"+strings.Repeat("a", 64)
		}},
	"flags of one's own come last": {values{"extraArgs": []any{"--schedule-period=2s"}, "verbosity": 4,
		"schedulerName": "night"}, whole,
		func(_ *appsv1.Deployment, c corev1.Container) bool {
			return c.Args[len(c.Args)-1] == "--schedule-period=2s" && slices.Contains(c.Args, "-v=4") &&
				slices.Contains(c.Args, "--scheduler-name=night")
		}},
	"all that watches it": {values{"metrics": values{"serviceMonitor": true, "rules": true, "dashboard": true}},
		strings.NewReplacer("ConfigMap 1", "ConfigMap 2", "Budget 1", "Budget 1, PrometheusRule 1").
			Replace(strings.TrimSuffix(whole, guarded)) +
			", ServiceMonitor 1" + guarded, nil},
	"as little as can be": {values{"networkPolicy": values{"enabled": false}, "podDisruptionBudget": false,
		"userRoles":         false,
		"readAPI":           values{"enabled": false},
		"admissionPolicies": values{"scheduler": false, "records": false},
		"serviceAccount":    values{"create": false, "name": "mine"}, "priorityClassName": "", "goMemoryLimit": ""},
		"ClusterRole 1, ClusterRoleBinding 1, ConfigMap 1, Deployment 1, Role 1, RoleBinding 1, Service 1",
		func(d *appsv1.Deployment, c corev1.Container) bool {
			return d.Spec.Template.Spec.ServiceAccountName == "mine" && len(c.Env) == 0 &&
				d.Spec.Template.Spec.PriorityClassName == ""
		}},
	"where it runs": {values{"nodeSelector": values{"role": "system"}, "tolerations": []any{values{"operator": "Exists"}},
		"podAnnotations": values{"a": "b"}, "podLabels": values{"team": "batch"},
		"imagePullSecrets": []any{values{"name": "pull"}}}, whole,
		func(d *appsv1.Deployment, _ corev1.Container) bool {
			return d.Spec.Template.Spec.NodeSelector["role"] == "system" && d.Spec.Template.Labels["team"] == "batch"
		}},
	"policies for tenants": {values{"admissionPolicies": values{"tenants": true}}, strings.TrimSuffix(whole, guarded) +
		", ValidatingAdmissionPolicy 5, ValidatingAdmissionPolicyBinding 5", nil},
	"with its namespace": {values{"namespace": values{"create": true}},
		strings.Replace(whole, "NetworkPolicy", "Namespace 1, NetworkPolicy", 1), nil},
}

func TestVariantsOfTheChart(t *testing.T) {
	for name, v := range variants {
		t.Run(name, func(t *testing.T) {
			i := install(t, v.values)
			if got := i.counts(); got != v.objects {
				t.Errorf("it is made of\n%s, want\n%s", got, v.objects)
			}
			d, c := i.pod(t)
			if v.holds != nil && !v.holds(d, c) {
				t.Errorf("not so: %+v", d.Spec)
			}
			closed(t, d.Spec.Template.Spec, c)
			i.tokens(t)
		})
	}
}

// closed says in which ways the scheduler's pod is shut: no variant may open one.
func closed(t *testing.T, p corev1.PodSpec, c corev1.Container) {
	t.Helper()
	s := c.SecurityContext
	for what, so := range map[string]bool{
		"it runs as nobody":                 *p.SecurityContext.RunAsNonRoot && *p.SecurityContext.RunAsUser == 65532,
		"seccomp's default profile holds":   p.SecurityContext.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault,
		"its root file system is read-only": *s.ReadOnlyRootFilesystem,
		"it cannot gain rights":             !*s.AllowPrivilegeEscalation && s.Privileged == nil,
		"it has no capability": len(s.Capabilities.Drop) == 1 && s.Capabilities.Drop[0] == "ALL" &&
			s.Capabilities.Add == nil,
		"it shares nothing of the node": !p.HostNetwork && !p.HostPID && !p.HostIPC,
		"it is probed": c.LivenessProbe.HTTPGet.Path == "/livez" &&
			c.ReadinessProbe.HTTPGet.Path == "/readyz" && c.StartupProbe != nil,
		"it asks for what it needs": !c.Resources.Requests.Cpu().IsZero() && !c.Resources.Limits.Memory().IsZero(),
		"it has time to drain":      *p.TerminationGracePeriodSeconds > 10,
	} {
		if !so {
			t.Errorf("not so: %s", what)
		}
	}
	for _, v := range p.Volumes {
		if v.ConfigMap == nil && v.EmptyDir == nil && (v.Secret == nil || v.Name != "read-api-tls") {
			t.Errorf("volume %s is neither the configuration nor room of its own nor a certificate", v.Name)
		}
	}
}

// tokens says that the service account's token goes to the scheduler's pod alone: not to any pod of its namespace that
// names the account.
func (i installation) tokens(t *testing.T) {
	t.Helper()
	d, _ := i.pod(t)
	if given := d.Spec.Template.Spec.AutomountServiceAccountToken; given == nil || !*given {
		t.Error("the scheduler's pod does not ask for its token")
	}
	for _, o := range i["ServiceAccount"] {
		if given := o.(*corev1.ServiceAccount).AutomountServiceAccountToken; given == nil || *given {
			t.Error("the service account gives its token to every pod that names it")
		}
	}
}

// What is let into the scheduler's pod, and what it may reach: its ports alone, and those of API servers alone.
func TestTheNetworkPolicy(t *testing.T) {
	peer := []any{values{"namespaceSelector": values{"matchLabels": values{"team": "ops"}}}}
	for name, c := range map[string]struct {
		values values
		in     string
	}{
		"as it is by default": {nil, "health from 0 peers, metrics from 1 peers"},
		"narrowed": {values{"networkPolicy": values{"metricsFrom": peer, "readAPIFrom": peer}},
			"health from 0 peers, metrics from 1 peers, read-api from 1 peers"},
		"without metrics": {values{"metrics": values{"enabled": false}}, "health from 0 peers"},
	} {
		t.Run(name, func(t *testing.T) {
			p := install(t, c.values)["NetworkPolicy"][0].(*networkingv1.NetworkPolicy)
			var in []string
			for _, rule := range p.Spec.Ingress {
				for _, port := range rule.Ports {
					in = append(in, fmt.Sprintf("%s from %d peers", port.Port, len(rule.From)))
				}
			}
			if got := strings.Join(in, ", "); got != c.in {
				t.Errorf("it lets in %s, want %s", got, c.in)
			}
			if len(p.Spec.PolicyTypes) != 2 || len(p.Spec.Egress) != 1 || len(p.Spec.Egress[0].Ports) == 0 {
				t.Errorf("it lets out %+v of %v, want the ports of API servers alone", p.Spec.Egress, p.Spec.PolicyTypes)
			}
		})
	}
}

// The selectors of Service, budget and policy are labels that the pod has, and the ports are the pod's.
func TestWhatSelectsThePodFindsIt(t *testing.T) {
	i := install(t, nil)
	d, c := i.pod(t)
	for what, selector := range map[string]map[string]string{
		"Deployment":          d.Spec.Selector.MatchLabels,
		"Service":             i["Service"][0].(*corev1.Service).Spec.Selector,
		"PodDisruptionBudget": i["PodDisruptionBudget"][0].(*policyv1.PodDisruptionBudget).Spec.Selector.MatchLabels,
		"NetworkPolicy":       i["NetworkPolicy"][0].(*networkingv1.NetworkPolicy).Spec.PodSelector.MatchLabels,
	} {
		for key, value := range selector {
			if d.Spec.Template.Labels[key] != value {
				t.Errorf("%s selects %s=%s, the pod has %q", what, key, value, d.Spec.Template.Labels[key])
			}
		}
	}
	named := map[string]bool{}
	for _, p := range c.Ports {
		named[p.Name] = true
	}
	if target := i["Service"][0].(*corev1.Service).Spec.Ports[0].TargetPort.String(); !named[target] {
		t.Errorf("the Service leads to port %s, the pod has %v", target, c.Ports)
	}
}

// Owners of pods may only be read: the kinds with controllers that make pods
// anew, always, for they are asked before a pod is deleted; where pods are adopted, the kinds of
// Kubernetes that speak for their pods and those that are named beside them.
func TestTheOwnersThatMayBeRead(t *testing.T) {
	always := []string{
		"/replicationcontrollers",
		"apps/daemonsets", "apps/replicasets", "apps/statefulsets",
		"batch.volcano.sh/jobs", "batch/jobs",
		"kubeflow.org/jaxjobs", "kubeflow.org/mpijobs", "kubeflow.org/paddlejobs", "kubeflow.org/pytorchjobs",
		"kubeflow.org/tfjobs", "kubeflow.org/xgboostjobs",
		"ray.io/rayclusters",
	}
	usual := slices.Concat(always, []string{"apps/deployments", "batch/cronjobs", "jobset.x-k8s.io/jobsets"})
	workflows := values{"apiGroup": "argoproj.io", "resources": []any{"workflows", "rollouts"}}
	pools := values{"apiGroup": "example.com", "resources": []any{"pools"}}
	for name, c := range map[string]struct {
		values values
		want   []string
	}{
		"by default": {nil, usual},
		"more kinds": {
			values{"owners": []any{workflows, pools}},
			slices.Concat(usual, []string{"argoproj.io/workflows", "argoproj.io/rollouts", "example.com/pools"}),
		},
		"no pod is adopted": {values{"adoptUngrouped": "never", "owners": []any{workflows}}, always},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, o := range install(t, c.values)["ClusterRole"] {
				role := o.(*rbacv1.ClusterRole)
				for _, rule := range role.Rules {
					if role.Name != releaseName || !slices.Equal(rule.Verbs, []string{"get"}) {
						continue
					}
					for _, group := range rule.APIGroups {
						for _, resource := range rule.Resources {
							got = append(got, group+"/"+resource)
						}
					}
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("it may read %v, want %v", got, c.want)
			}
		})
	}
}

// Where shards are on, the flags say so and the status of NodeShards may be written; else neither.
func TestShards(t *testing.T) {
	for mode, on := range map[string]bool{"none": false, "soft": true, "hard": true} {
		objects := install(t, values{"sharding": values{"mode": mode, "name": "batch"}})
		args := fmt.Sprint(objects["Deployment"][0].(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Args)
		if strings.Contains(args, "--scheduler-sharding-mode="+mode+" --scheduler-sharding-name=batch") != on {
			t.Errorf("%s: the arguments are %s", mode, args)
		}
		var verbs []string
		for _, o := range objects["ClusterRole"] {
			for _, rule := range o.(*rbacv1.ClusterRole).Rules {
				if o.(*rbacv1.ClusterRole).Name == releaseName && slices.Equal(rule.APIGroups, []string{"shard.volcano.sh"}) {
					verbs = append(verbs, fmt.Sprint(rule.Resources, rule.Verbs))
				}
			}
		}
		want := []string{"[nodeshards] [list watch]", "[nodeshards/status] [patch]"}
		if on && !slices.Equal(verbs, want) || !on && verbs != nil {
			t.Errorf("%s: it may %v", mode, verbs)
		}
	}
}

// A value that is misspelt or makes no sense is refused, not ignored.
func TestTheSchemaRefuses(t *testing.T) {
	for name, v := range map[string]values{
		"a name it does not know":     {"replica": 2},
		"a name inside another":       {"image": values{"repo": "x"}},
		"a word for a number":         {"replicas": "two"},
		"a tag for a digest":          {"image": values{"digest": "latest"}},
		"an unknown answer":           {"adoptUngrouped": "perhaps"},
		"a schedulerName in capitals": {"schedulerName": "Volcano"},
		"an argument that is no flag": {"extraArgs": []any{"2>&1"}},
		"an owner without a kind":     {"owners": []any{values{"apiGroup": "argoproj.io"}}},
		"a kind in capitals":          {"owners": []any{values{"apiGroup": "argoproj.io", "resources": []any{"Workflow"}}}},
		"another verb for owners": {"owners": []any{values{"apiGroup": "", "resources": []any{"pods"},
			"verbs": []any{"delete"}}}},
		"shards of another kind":   {"sharding": values{"mode": "firm"}},
		"no way to the API server": {"networkPolicy": values{"apiServerPorts": []any{}}},
	} {
		if _, err := render(v); err == nil {
			t.Errorf("%s: %v was taken", name, v)
		}
	}
}
