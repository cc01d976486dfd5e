package translate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// volcanoKeys are the annotations and labels that have a name in Volcano's API and are read here.
var volcanoKeys = map[string]string{
	"KubeGroupNameAnnotationKey":         schedulingv1beta1.KubeGroupNameAnnotationKey,
	"VolcanoGroupNameAnnotationKey":      schedulingv1beta1.VolcanoGroupNameAnnotationKey,
	"VolcanoGroupMinMemberAnnotationKey": schedulingv1beta1.VolcanoGroupMinMemberAnnotationKey,
	"QueueNameAnnotationKey":             schedulingv1beta1.QueueNameAnnotationKey,
	"NumaPolicyKey":                      schedulingv1beta1.NumaPolicyKey,
	"PodPreemptable":                     schedulingv1beta1.PodPreemptable,
	"RevocableZone":                      schedulingv1beta1.RevocableZone,
	"CooldownTime":                       schedulingv1beta1.CooldownTime,
	"JobWaitingTime":                     schedulingv1beta1.JobWaitingTime,
	"JDBMinAvailable":                    schedulingv1beta1.JDBMinAvailable,
	"JDBMaxUnavailable":                  schedulingv1beta1.JDBMaxUnavailable,
	"TaskSpecKey":                        batchv1alpha1.TaskSpecKey,
	"KubeHierarchyAnnotationKey":         schedulingv1beta1.KubeHierarchyAnnotationKey,
	"KubeHierarchyWeightAnnotationKey":   schedulingv1beta1.KubeHierarchyWeightAnnotationKey,
}

// notTenants are those that no tenant writes on what the scheduler reads them of.
var notTenants = map[string]string{
	schedulingv1beta1.KubeHierarchyAnnotationKey:       "of queues",
	schedulingv1beta1.KubeHierarchyWeightAnnotationKey: "of queues",
	groupLimitsKey:                     "of queues",
	oversubscriptionCPU:                "of nodes",
	oversubscriptionMemory:             "of nodes",
	offlineJobEvicting:                 "of nodes",
	minRuntime:                         "of queues",
	maxEvictions:                       "of queues",
	"ashlar.sh/selectors-not-compiled": "of claims as the engine is told of them; the observer drops annotations",

	"ashlar.sh/read-api-namespace":   "of the scheduler's Lease",
	"ashlar.sh/read-api-port":        "of the scheduler's Lease",
	"ashlar.sh/read-api-certificate": "of the scheduler's Lease",
}

// Every annotation and label that is read of what a tenant may write stands in docs/security.md, with
// what it can change for others.
func TestThePageOnTenantsNamesAllThatIsRead(t *testing.T) {
	text, err := os.ReadFile("../../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	own := regexp.MustCompile(`"((?:[a-z0-9-]+\.)*(?:volcano|ashlar)\.sh/[a-z][a-z-]*|sla-waiting-time)"`)
	named := regexp.MustCompile(`(?:schedulingv1beta1|batchv1alpha1)\.` +
		`([A-Z]\w*(?:Key|Annotation|AnnotationKey)|PodPreemptable|RevocableZone|CooldownTime|JobWaitingTime|JDB\w+)\b`)
	keys := map[string]string{}
	for _, dir := range []string{"..", "../../loop"} {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			code, err := os.ReadFile(path)
			for _, m := range own.FindAllStringSubmatch(string(code), -1) {
				if !strings.HasPrefix(m[1], "ashlar.sh/sched") && !strings.HasPrefix(m[1], "ashlar.sh/internal") {
					keys[m[1]] = path
				}
			}
			for _, m := range named.FindAllStringSubmatch(string(code), -1) {
				key, known := volcanoKeys[m[1]]
				if !known {
					t.Errorf("%s reads %s: say here which key that is", path, m[1])
				}
				keys[key] = path
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(keys) < len(volcanoKeys) {
		t.Errorf("%d keys are read: this shows nothing", len(keys))
	}
	for key, path := range keys {
		_, short, _ := strings.Cut(key, "/")
		if notTenants[key] == "" && !strings.Contains(page, "`"+key+"`") && !strings.Contains(page, "`"+short+"`") {
			t.Errorf("%s reads %s, of which docs/security.md does not say what it changes for others", path, key)
		}
	}
}
