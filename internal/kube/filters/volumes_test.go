package filters

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"ashlar.sh/sched"
)

// disks are three nodes of which two have a volume of class local.
func disks() []metav1.Object {
	return []metav1.Object{node("n0"), node("n1"), node("n2"), class("local", ""),
		localVolume("v1", "local", "n1", "1Gi"), localVolume("v2", "local", "n2", "1Gi")}
}

func TestAPodGoesWhereItsVolumeCanBe(t *testing.T) {
	bound := claim("a", "local")
	bound.Spec.VolumeName = "v2"
	bound.Annotations = map[string]string{volume.AnnBindCompleted: "yes"}
	big := claim("a", "local")
	big.Spec.Resources.Requests[corev1.ResourceStorage] = resource.MustParse("5Gi")
	made := class("made", "csi.example.com")
	made.AllowedTopologies = []corev1.TopologySelectorTerm{
		{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
			{Key: corev1.LabelHostname, Values: []string{"n0"}}}}}
	for name, c := range map[string]struct {
		objects        []metav1.Object
		binds, volumes string
		code, text     string
	}{
		"a bound claim holds the pod to its volume's node": {
			objects: []metav1.Object{bound}, binds: "p on n2"},
		"of the volumes only one is large enough": {
			objects: []metav1.Object{big, localVolume("v3", "local", "n0", "9Gi")}, binds: "p on n0", volumes: "v3=a"},
		"of volumes that are equally good the first by name is taken": {
			objects: []metav1.Object{big, localVolume("x", "local", "n0", "9Gi"), localVolume("w", "local", "n0", "9Gi"),
				localVolume("y", "local", "n0", "9Gi")}, binds: "p on n0", volumes: "w=a"},
		"a volume is made where its class allows it": {
			objects: []metav1.Object{made, claim("a", "made")}, binds: "p on n0", volumes: "a=n0"},
		"no volume is large enough": {
			objects: []metav1.Object{big}, code: "NodeVolume", text: "node(s) didn't find available persistent volumes to bind"},
		"the claim does not exist": {
			code: "PrePredicateFailed", text: `persistentvolumeclaim "a" not found`},
		"a class that does not wait leaves it to its controller": {
			objects: []metav1.Object{claim("a", "elsewhere")},
			code:    "PrePredicateFailed", text: "pod has unbound immediate PersistentVolumeClaims"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, append(append(disks(), pod("p", "a")), c.objects...)...)
			if binds := w.decide(); binds != c.binds || chosen(w.v) != c.volumes {
				t.Errorf("bound %q with %q, want %q with %q", binds, chosen(w.v), c.binds, c.volumes)
			}
			if code, text := w.why("p"); c.code != "" && (code != c.code || text != c.text) {
				t.Errorf("it waits because %s: %s, want %s: %s", code, text, c.code, c.text)
			}
		})
	}
}

// A volume that says only by its label in which zone it is, as those of clouds once did,
// holds its pod to that zone; where no node has such a label there are no zones.
func TestAPodGoesToTheZoneOfItsVolume(t *testing.T) {
	zoned := func(name, key, zone string) *corev1.Node {
		n := node(name)
		n.Labels[key] = zone
		return n
	}
	bound := claim("a", "local")
	bound.Spec.VolumeName = "v"
	bound.Annotations = map[string]string{volume.AnnBindCompleted: "yes"}
	v := localVolume("v", "local", "", "1Gi")
	v.Spec.NodeAffinity = nil
	v.Labels = map[string]string{corev1.LabelFailureDomainBetaZone: "b__c"}
	for name, c := range map[string]struct {
		nodes []metav1.Object
		want  string
	}{
		"its zone": {[]metav1.Object{zoned("n1", corev1.LabelTopologyZone, "a"),
			zoned("n2", corev1.LabelTopologyZone, "c")}, "p on n2"},
		"its zone, by the name of old": {[]metav1.Object{zoned("n1", corev1.LabelFailureDomainBetaZone, "a"),
			zoned("n2", corev1.LabelFailureDomainBetaZone, "b")}, "p on n2"},
		"another zone":          {[]metav1.Object{zoned("n1", corev1.LabelTopologyZone, "a")}, ""},
		"only a region":         {[]metav1.Object{zoned("n1", corev1.LabelTopologyRegion, "r")}, ""},
		"a node without a zone": {[]metav1.Object{node("n1")}, "p on n1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, append(c.nodes, class("local", ""), v, bound, pod("p", "a"))...)
			if got := w.decide(); got != c.want {
				t.Errorf("bound %q, want %q", got, c.want)
			}
			if code, text := w.why("p"); c.want == "" && (code != "NodeVolume" ||
				text != "volume v is in failure-domain.beta.kubernetes.io/zone b__c") {
				t.Errorf("it waits because %s: %s", code, text)
			}
		})
	}
}

// A node attaches as many volumes of a driver as its CSINode says, whether pods use them
// or they are being detached; one that two pods share counts once.
func TestANodeAttachesNoMoreThanItCan(t *testing.T) {
	csi := func(name string) *corev1.PersistentVolume {
		v := localVolume(name, "local", "n1", "1Gi")
		v.Spec.Local, v.Spec.CSI = nil, &corev1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: name}
		return v
	}
	bound := func(name, volumeName string) *corev1.PersistentVolumeClaim {
		c := claim(name, "local")
		c.Spec.VolumeName = volumeName
		c.Annotations = map[string]string{volume.AnnBindCompleted: "yes"}
		return c
	}
	limit := int32(1)
	can := &storagev1.CSINode{ObjectMeta: named("n1"), Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{
		{Name: "csi.example.com", NodeID: "n1", Allocatable: &storagev1.VolumeNodeResources{Count: &limit}}}}}
	w := newWorld(t, node("n1"), class("local", ""), can, csi("v1"), csi("v2"), bound("a", "v1"), bound("b", "v2"),
		pod("p", "a"))
	if got := w.decide(); got != "p on n1" {
		t.Fatalf("the first pod: %q", got)
	}
	w.tell(pod("q", "b"), pod("shares", "a"))
	if got := w.decide(); got != "shares on n1" {
		t.Errorf("of a pod with a second volume and one that shares the first there is bound %q", got)
	}
	if code, text := w.why("q"); code != "NodeVolume" || text != "node(s) exceed max volume count" {
		t.Errorf("it waits because %s: %s", code, text)
	}
	v1 := "v1"
	attached := &storagev1.VolumeAttachment{ObjectMeta: named("va"),
		Spec: storagev1.VolumeAttachmentSpec{Attacher: "csi.example.com", NodeName: "n1",
			Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &v1}}}
	w.tell(attached)
	w.e.Apply(gone(t, pod("p", "a")), gone(t, pod("shares", "a")))
	if got := w.decide(); got != "" {
		t.Errorf("while the first volume is still attached there is bound %q", got)
	}
	w.e.Apply(gone(t, attached))
	if got := w.decide(); got != "q on n1" {
		t.Errorf("once the first volume is detached: %q", got)
	}
}

func TestTwoPodsNeverCountOnOneVolume(t *testing.T) {
	w := newWorld(t, append(disks(), claim("a", "local"), claim("b", "local"), claim("c", "local"),
		pod("p", "a"), pod("q", "b"), pod("r", "c"))...)
	binds := w.decide()
	switch volumes := chosen(w.v); {
	case binds == "p on n1, q on n2" && volumes == "v1=a, v2=b":
	case binds == "p on n2, q on n1" && volumes == "v1=b, v2=a":
	default:
		t.Fatalf("bound %q with %q", binds, volumes)
	}
	if code, _ := w.why("r"); code != "NodeVolume" {
		t.Errorf("the third pod waits because %q", code)
	}
	w.tell(localVolume("v0", "local", "n0", "1Gi"))
	if binds := w.decide(); binds != "r on n0" {
		t.Errorf("with a third volume there is %q", binds)
	}
}

func TestAPlanSaysWhatToWriteBeforeTheBind(t *testing.T) {
	w := newWorld(t, append(disks()[:5], claim("a", "local"), pod("p", "a"))...)
	plan, _, _ := w.e.Decide(1)
	if len(plan.Items) == 0 || plan.Items[0].Kind != sched.BindPod {
		t.Fatalf("the plan is %+v", plan.Items)
	}
	got, err := WritesOf(plan.Items[0].Chosen)
	want := VolumeWrite{"v1", Seen{"uid-v1", "1"}, "ns/a", Seen{"uid-a", "1"}}
	if err != nil || len(got.Volumes) != 1 || got.Volumes[0] != want || got.Provision != nil {
		t.Errorf("to write: %+v, %v", got, err)
	}
	if _, err := WritesOf("volumebinding\x1fv1=a\x1e"); err == nil {
		t.Error("a choice in another's words was read")
	}
}

func TestAGangWhoseSecondMemberFindsNoVolumeClaimsNothing(t *testing.T) {
	objects := append(disks()[:5], claim("a", "local"), claim("b", "local"), gangOf("g", 2),
		member("g", pod("g-0", "a")), member("g", pod("g-1", "b")))
	w := newWorld(t, objects...)
	before := w.v.dump()
	w.equal(before, w.decide(), "")
	if code, _ := w.why("g"); code != "NodeVolume" {
		t.Errorf("the gang waits because %q", code)
	}
	w.tell(claim("c", "local"), pod("p", "c"))
	if binds := w.decide(); binds != "p on n1" {
		t.Errorf("the volume the gang could not use: %q", binds)
	}
}

func TestAFailedBindGivesTheVolumeBack(t *testing.T) {
	w := newWorld(t, append(disks()[:5], claim("a", "local"), pod("p", "a"))...)
	before := w.v.dump()
	plan, _, _ := w.e.Decide(1)
	item := plan.Items[0]
	w.e.Apply(gone(t, pod("p", "a")))
	w.e.Receive(sched.Receipt{Item: item, Outcome: sched.Missing})
	w.equal(before, w.decide(), "")
	w.tell(claim("b", "local"), pod("q", "b"))
	if binds := w.decide(); binds != "q on n1" {
		t.Errorf("the next pod: %q", binds)
	}
}

func TestARestartKeepsWhatWasChosen(t *testing.T) {
	// Of two pods on one node the first took the larger volume, for the smaller came
	// later: asked again, the binder would choose otherwise.
	w := newWorld(t, node("n1"), class("local", ""), localVolume("v1", "local", "n1", "5Gi"), claim("a", "local"),
		pod("p", "a"))
	if w.decide() != "p on n1" {
		t.Fatal("the pod was not placed")
	}
	w.tell(localVolume("v0", "local", "n1", "1Gi"))
	twin := newWorld(t)
	twin.e.Apply(w.e.Facts()...)
	twin.e.Restore(w.e.Commitments())
	w.equal(twin.v.dump(), chosen(w.v), "v1=a")
	for _, each := range []*world{w, twin} {
		each.tell(claim("b", "local"), pod("q", "b"))
		if binds := each.decide(); binds != "q on n1" || chosen(each.v) != "v0=b, v1=a" {
			t.Errorf("the next pod: %q with %q", binds, chosen(each.v))
		}
	}
}

func TestFactsBeatChoices(t *testing.T) {
	w := newWorld(t, append(disks()[:5], claim("a", "local"), pod("p", "a"))...)
	w.decide()
	taken := localVolume("v1", "local", "n1", "1Gi")
	taken.ResourceVersion = "2"
	taken.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "other", Name: "c", UID: "u"}
	w.tell(taken)
	seen, _, _ := w.v.stores[Volume].GetByKey("v1")
	if ref := seen.(*corev1.PersistentVolume).Spec.ClaimRef; ref.Namespace != "other" {
		t.Errorf("the volume stands as claimed by %s/%s", ref.Namespace, ref.Name)
	}
	relabelled := localVolume("v1", "local", "n1", "1Gi")
	relabelled.ResourceVersion = "3"
	w.tell(relabelled, claim("b", "local"), pod("q", "b"))
	if binds := w.decide(); binds != "" {
		t.Errorf("a new version of the volume let %q in", binds)
	}
}

// What was chosen was chosen for one life of a volume and of a claim: one that is made again
// under its name is another, of which nothing was decided.
func TestAChoiceIsOfOneLife(t *testing.T) {
	w := newWorld(t, append(disks()[:5], claim("a", "local"), pod("p", "a"))...)
	w.decide()
	has := func(want string) {
		t.Helper()
		seen, _, _ := w.v.stores[Volume].GetByKey("v1")
		got := "no claim"
		if ref := seen.(*corev1.PersistentVolume).Spec.ClaimRef; ref != nil {
			got = string(ref.UID)
		}
		if got != want {
			t.Errorf("the volume stands as taken by %s, want %s", got, want)
		}
	}
	has("uid-a")
	w.e.Apply(gone(t, claim("a", "local")))
	has("no claim")
	again := claim("a", "local")
	again.ResourceVersion = "9"
	w.tell(again)
	has("uid-a") // the same life: a watch that began anew
	again = claim("a", "local")
	again.UID, again.ResourceVersion = "second life", "10"
	w.tell(again)
	has("no claim")
	again.UID, again.ResourceVersion = "uid-a", "11"
	w.tell(again)
	has("uid-a")
	v := localVolume("v1", "local", "n1", "1Gi")
	v.UID, v.ResourceVersion = "second life", "12"
	w.tell(v)
	has("no claim")
}

// The same of a claim for which a volume is to be made where its pod goes.
func TestANodeIsSelectedForOneLifeOfAClaim(t *testing.T) {
	w := newWorld(t, node("n1"), class("made", "csi.example.com"), claim("a", "made"), pod("p", "a"))
	plan, _, _ := w.e.Decide(1)
	got, err := WritesOf(plan.Items[0].Chosen)
	if want := (ClaimWrite{"ns/a", Seen{"uid-a", "1"}, "n1"}); err != nil || len(got.Provision) != 1 ||
		got.Provision[0] != want {
		t.Errorf("to write: %+v, %v", got, err)
	}
	on := func() string {
		seen, _, _ := w.v.stores[Claim].GetByKey("ns/a")
		return seen.(*corev1.PersistentVolumeClaim).Annotations[volume.AnnSelectedNode]
	}
	if on() != "n1" {
		t.Errorf("the claim stands as to be met on %q", on())
	}
	again := claim("a", "made")
	again.UID, again.ResourceVersion = "second life", "9"
	w.tell(again)
	if on() != "" {
		t.Errorf("its second life stands as to be met on %q", on())
	}
}
