package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// commands are the blocks of commands of all pages, by page.
func commands(t *testing.T) map[string][]string {
	t.Helper()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		out[page] = regexp.MustCompile("(?m)(?:^    .*\n)+|(?s:^```.*?^```)").FindAllString(string(text), -1)
	}
	return out
}

// `kubectl rollout undo` goes back by one revision. Where the manifests were applied as they are and the image was set
// then, that is one with an image that is not there, and the version that was to be left goes on acting.
func TestTheRevisionBeforeIsTheVersionBefore(t *testing.T) {
	found := 0
	for page, blocks := range commands(t) {
		for _, block := range blocks {
			if !strings.Contains(block, "deploy/20-ashlar.yaml") {
				continue
			}
			if found++; strings.Contains(block, "set image deployment/ashlar") {
				t.Errorf("%s makes two revisions of one version:\n%s", page, block)
			}
		}
	}
	if found < 4 {
		t.Errorf("%d pages apply the manifests, want those for installing, upgrading and the quick start", found)
	}
}

// The policies for Volcano's place hold for the service account, which Volcano's scheduler has as well, and refuse how
// that binds and evicts. So they go before it comes back, and it comes back by the name of its image: the revision
// before may be an older Ashlar.
func TestTheWayBackToVolcanoLiftsThePolicies(t *testing.T) {
	found := 0
	for page, blocks := range commands(t) {
		for _, block := range blocks {
			if strings.Contains(block, "rollout undo deployment/volcano-scheduler") {
				t.Errorf("%s goes back to the revision before, whatever that is:\n%s", page, block)
			}
			if !strings.Contains(block, "volcano-scheduler=THE-IMAGE-BEFORE") {
				continue
			}
			found++
			lifts, after, _ := strings.Cut(block, "scale deployment/volcano-scheduler --replicas=1")
			deletes := regexp.MustCompile(`kubectl delete .*-f deploy/volcano/policies\.yaml`)
			if !deletes.MatchString(lifts) || after == "" {
				t.Errorf("%s leaves the policies in the way of Volcano's scheduler:\n%s", page, block)
			}
		}
	}
	if found < 2 {
		t.Errorf("%d pages tell the way back, want those about installing and about moving", found)
	}
}

// Taking Ashlar away leaves another release of the chart in the cluster as it is, takes every kind that was installed,
// and ends the scheduler before it takes its rights.
func TestTakingItAwayTakesAllOfItAlone(t *testing.T) {
	manifest, err := os.ReadFile("20-ashlar.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, block := range commands(t)["../docs/install.md"] {
		if !strings.Contains(block, "delete clusterrole") {
			continue
		}
		found = true
		for _, kind := range regexp.MustCompile(`(?m)^kind: (\w+)$`).FindAllStringSubmatch(string(manifest), -1) {
			if kind[1] != "Namespace" && !strings.Contains(block, strings.ToLower(kind[1])) {
				t.Errorf("it leaves each %s", kind[1])
			}
		}
		names, instances := "app.kubernetes.io/name=ashlar", "app.kubernetes.io/instance=ashlar"
		if strings.Count(block, names) != strings.Count(block, instances) {
			t.Error("it takes other releases of the chart, too")
		}
		if strings.Index(block, "deployment") > strings.Index(block, "clusterrole") {
			t.Error("the scheduler runs on without its rights")
		}
	}
	if !found {
		t.Error("install.md does not say how to take it away")
	}
}

// Volcano's chart has its CRDs as ordinary objects of the release, and Helm takes none over that is there: a CRD that
// Ashlar made, of a kind that comes with a later version of that chart, would keep it from being upgraded.
func TestAMoveMakesNoCRDsOfVolcano(t *testing.T) {
	found := false
	for _, block := range commands(t)["../docs/moving-from-volcano.md"] {
		if !strings.Contains(block, "helm install ashlar") {
			continue
		}
		found = true
		bookings := "create -f deploy/helm/ashlar/crds/bookings.yaml"
		if !strings.Contains(block, "--skip-crds") || !strings.Contains(block, bookings) {
			t.Errorf("it makes more CRDs than that of Booking:\n%s", block)
		}
	}
	if !found {
		t.Error("moving-from-volcano.md does not say how to install the chart")
	}
}
