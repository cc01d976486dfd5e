package translate

import (
	"math/rand/v2"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
)

func TestPlacement(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	port := func(host, container int32) []corev1.ContainerPort {
		return []corev1.ContainerPort{{HostPort: host, ContainerPort: container}}
	}
	required := func(terms ...corev1.NodeSelectorTerm) corev1.PodSpec {
		return corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}}
	}
	expr := func(key string, op corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: key, Operator: op, Values: values}
	}
	shared, one := "shared", "one-gpu"
	tests := map[string]struct {
		spec corev1.PodSpec
		want model.Spec
	}{
		"a node selector": {
			corev1.PodSpec{NodeSelector: map[string]string{"b": "2", "a": "1"}},
			model.Spec{Selector: []model.Label{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}}}},
		"tolerations, Equal unless they say otherwise, whatever their seconds": {
			corev1.PodSpec{Tolerations: []corev1.Toleration{
				{Key: "b", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: ptr(int64(5))},
				{Key: "b", Operator: "Exists", Effect: "NoExecute"},
				{Key: "a", Value: "1"}, {Operator: "Exists"}}},
			model.Spec{Tolerations: []model.Toleration{{Exists: true}, {Key: "a", Value: "1"},
				{Key: "b", Exists: true, Effect: "NoExecute"}}}},
		"host ports of containers and sidecars, not of init containers": {
			corev1.PodSpec{
				Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{HostPort: 80, HostIP: "10.0.0.1",
					Protocol: "UDP"}, {ContainerPort: 9}}}},
				InitContainers: []corev1.Container{{Ports: port(81, 1)}, {Ports: port(82, 2), RestartPolicy: &always}}},
			model.Spec{Ports: []model.HostPort{{IP: "0.0.0.0", Protocol: "TCP", Port: 82},
				{IP: "10.0.0.1", Protocol: "UDP", Port: 80}}}},
		"on the host's network every container port is a host port": {
			corev1.PodSpec{HostNetwork: true, Containers: []corev1.Container{{Ports: port(0, 8080)}}},
			model.Spec{Ports: []model.HostPort{{IP: "0.0.0.0", Protocol: "TCP", Port: 8080}}}},
		"required terms in order": {
			required(
				corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{expr("metadata.name", "In", "n1")}},
				corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{expr("z", "Gt", "5"),
					expr("a", "In", "y", "x")}}),
			model.Spec{Affinity: []model.Term{
				{All: []model.Requirement{{Key: "a", Op: model.In, Values: []string{"x", "y"}},
					{Key: "z", Op: model.Gt, Values: []string{"5"}}}},
				{All: []model.Requirement{{Key: "metadata.name", Op: model.In, Values: []string{"n1"}, Field: true}}}}}},
		"a selector without terms holds nowhere": {required(), model.Spec{Affinity: []model.Term{{}}}},
		"a term without requirements stays one": {
			required(corev1.NodeSelectorTerm{}), model.Spec{Affinity: []model.Term{{}}}},
		"preferred terms, but for those worth nothing": {
			corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
					{Weight: 9, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{expr("a",
						"Exists")}}},
					{Weight: 0}, {Weight: 3}}}}},
			model.Spec{Preferred: []model.Preference{{Weight: 3},
				{Weight: 9, Term: model.Term{All: []model.Requirement{{Key: "a", Op: model.Exists}}}}}}},
		"volume claims": {
			corev1.PodSpec{Volumes: []corev1.Volume{claim("b"), {Name: "tmp"}, claim("a")}},
			model.Spec{Extra: "claim:ns/a,claim:ns/b"}},
		"devices": {
			corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "nic", ResourceClaimName: &shared},
				{Name: "gpu", ResourceClaimTemplateName: &one}}},
			model.Spec{Devices: []string{"gpu=template:ns/one-gpu", "nic=claim:ns/shared"}}},
		"a pod of which all containers restart together needs a kubelet that does so": {
			corev1.PodSpec{Containers: []corev1.Container{{RestartPolicyRules: []corev1.ContainerRestartRule{
				{Action: corev1.ContainerRestartRuleActionRestartAllContainers}}}}},
			model.Spec{Features: []string{"RestartAllContainersOnContainerExits"}}},
		"a container that restarts alone needs nothing": {
			corev1.PodSpec{Containers: []corev1.Container{{RestartPolicyRules: []corev1.ContainerRestartRule{
				{Action: corev1.ContainerRestartRuleActionRestart}}}}}, model.Spec{}},
		"a volume that is made with the pod is a claim of the pod's": {
			corev1.PodSpec{Volumes: []corev1.Volume{{Name: "scratch",
				VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}},
			model.Spec{Extra: "claim:ns/p-scratch"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: tt.spec}
			pod.Namespace, pod.Name = "ns", "p"
			got := Pod(pod, Options{})
			tt.want.Requests = got.Spec.Requests
			if !reflect.DeepEqual(*got.Spec, tt.want) || len(got.Faults) != 0 && tt.want.Extra == "" ||
				(got.Opaque != nil) != (tt.want.Extra != "" || tt.want.Devices != nil) {
				t.Errorf("got  %+v\nwant %+v\nfaults %v", *got.Spec, tt.want, got.Faults)
			}
		})
	}
}

func claim(name string) corev1.Volume {
	return corev1.Volume{VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}}
}

func TestAffinityThatCannotBeEvaluatedSetsThePodAside(t *testing.T) {
	path := "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution." +
		"nodeSelectorTerms[0].matchExpressions[0]"
	tests := map[string]struct {
		op     corev1.NodeSelectorOperator
		values []string
		want   string
	}{
		"a word for a number": {"Gt", []string{"many"}, path + `.values: Gt needs a number, has "many"`},
		"two numbers":         {"Lt", []string{"1", "2"}, path + ".values: Lt needs one number, has 2"},
		"a new operator": {"Like", nil, path +
			`.operator: "Like" is not an operator (In, NotIn, Exists, DoesNotExist, Gt, Lt)`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := Pod(&corev1.Pod{Spec: corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
					{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "k", Operator: tt.op, Values: tt.values}}}}}}}}},
				Options{})
			if f, aside := p.SetAside(); !aside || f.Field+": "+f.Message != tt.want {
				t.Errorf("%v", p.Faults)
			}
		})
	}
}

// The order of lists that mean sets never changes a spec.
func TestOrderInsideAPodMeansNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", ""})
		req := rapid.Custom(func(t *rapid.T) corev1.NodeSelectorRequirement {
			return corev1.NodeSelectorRequirement{Key: word.Draw(t, "key"), Operator: "In",
				Values: rapid.SliceOfN(word, 0, 3).Draw(t, "values")}
		})
		term := rapid.Custom(func(t *rapid.T) corev1.NodeSelectorTerm {
			return corev1.NodeSelectorTerm{MatchExpressions: rapid.SliceOfN(req, 0, 3).Draw(t, "all")}
		})
		tol := rapid.Custom(func(t *rapid.T) corev1.Toleration {
			return corev1.Toleration{Key: word.Draw(t, "key"), Value: word.Draw(t, "value"),
				Operator: rapid.SampledFrom([]corev1.TolerationOperator{"", "Exists", "Equal"}).Draw(t, "op")}
		})
		terms := rapid.SliceOfN(term, 1, 4).Draw(t, "terms")
		tols := rapid.SliceOfN(tol, 0, 4).Draw(t, "tolerations")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		build := func(terms []corev1.NodeSelectorTerm, tols []corev1.Toleration) *model.Spec {
			return Pod(&corev1.Pod{Spec: corev1.PodSpec{Tolerations: tols,
				Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}}}, Options{}).Spec
		}
		one := build(terms, tols)
		r.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
		r.Shuffle(len(tols), func(i, j int) { tols[i], tols[j] = tols[j], tols[i] })
		for _, term := range terms {
			all := term.MatchExpressions
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, q := range all {
				r.Shuffle(len(q.Values), func(i, j int) { q.Values[i], q.Values[j] = q.Values[j], q.Values[i] })
			}
		}
		if two := build(terms, tols); !reflect.DeepEqual(one, two) || key(one) != key(two) {
			t.Fatalf("%+v\n%+v", one, two)
		}
	})
}
