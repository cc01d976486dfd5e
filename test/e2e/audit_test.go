package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
)

// auditLog is where the API server writes down what the service accounts of installedIn ask for.
var auditLog string

// auditPolicy leaves all others out: a log of every request would slow every test.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  userGroups: ["system:serviceaccounts:` + installedIn + `"]
- level: None
`

// audited are flags by which the API server keeps the log, and what removes it.
func audited() (flags map[string][]string, forget func(), err error) {
	dir, err := os.MkdirTemp("", "ashlar-audit-")
	if err != nil {
		return nil, nil, err
	}
	policy := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, nil, err
	}
	auditLog = filepath.Join(dir, "audit.log")
	flags = map[string][]string{"kube-apiserver": {"--audit-policy-file=" + policy, "--audit-log-path=" + auditLog}}
	return flags, func() { _ = os.RemoveAll(dir) }, nil
}

// right is to do something with a resource: its group, its name with the subresource, a verb.
type right struct{ group, resource, verb string }

func (r right) String() string {
	if r.group == "" {
		return r.verb + " " + r.resource
	}
	return r.verb + " " + r.resource + "." + r.group
}

// refusedByPolicy is the audit annotation of a request that a ValidatingAdmissionPolicy has refused.
const refusedByPolicy = "validation.policy.admission.k8s.io/validation_failure"

// asked is what a service account has asked the API server for since a time, and what of it was forbidden, by a role or
// by a policy. Requests that concern no resource (discovery) are left out: everybody may make those.
func asked(t *testing.T, account string, since time.Time) (used, forbidden map[right]bool) {
	t.Helper()
	file, err := os.Open(auditLog)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	used, forbidden = map[right]bool{}, map[right]bool{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	lines.Split(wholeLines)
	for lines.Scan() {
		var e struct {
			Verb           string
			User           struct{ Username string }
			ObjectRef      *struct{ APIGroup, Resource, Subresource, Namespace, Name string }
			ResponseStatus struct{ Code int }
			Annotations    map[string]string

			RequestReceivedTimestamp time.Time
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("read the audit log: %v", err)
		}
		if e.User.Username != "system:serviceaccount:"+installedIn+":"+account || e.ObjectRef == nil ||
			e.ObjectRef.Resource == "" || e.RequestReceivedTimestamp.Before(since) {
			continue
		}
		r := right{e.ObjectRef.APIGroup, e.ObjectRef.Resource, e.Verb}
		if e.ObjectRef.Subresource != "" {
			r.resource += "/" + e.ObjectRef.Subresource
		}
		used[r] = true
		if e.Annotations["authorization.k8s.io/decision"] == "forbid" {
			forbidden[r] = true
		}
		if why := e.Annotations[refusedByPolicy]; why != "" {
			forbidden[right{r.group, r.resource, r.verb + " (of " + e.ObjectRef.Namespace + "/" + e.ObjectRef.Name +
				", refused by a policy: " + why + ")"}] = true
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("read the audit log: %v", err)
	}
	return used, forbidden
}

// wholeLines splits a text into lines, without the rest behind the last of them: it is still being written.
func wholeLines(data []byte, _ bool) (advance int, line []byte, err error) {
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		return 0, nil, nil
	}
	return end + 1, data[:end], nil
}

// granted are the rights of a role's rules.
func granted(rules []rbacv1.PolicyRule) map[right]bool {
	out := map[right]bool{}
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					out[right{group, resource, verb}] = true
				}
			}
		}
	}
	return out
}
