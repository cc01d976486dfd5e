package e2e

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/loop"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/internal/recording"
)

// apiUser is a user of the read API.
type apiUser struct {
	t      *testing.T
	at     string
	token  string
	client *http.Client
}

// apiUserWith returns a user that shows a token, and a certificate if there is one.
func apiUserWith(t *testing.T, at, token string, certificates ...tls.Certificate) apiUser {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certificates}}
	t.Cleanup(transport.CloseIdleConnections)
	return apiUser{t, at, token, &http.Client{Transport: transport}}
}

func (a apiUser) try(ctx context.Context, path string) (*http.Response, error) {
	a.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+a.at+path, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	return a.client.Do(r)
}

// get is an answer's code and text.
func (a apiUser) get(path string) (int, string) {
	a.t.Helper()
	answer, err := a.try(a.t.Context(), path)
	if err != nil {
		return 0, err.Error() // it does not listen yet
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// serviceAccount makes one and returns its token.
func serviceAccount(t *testing.T, ns, name string) string {
	t.Helper()
	accounts := shared.kube.CoreV1().ServiceAccounts(ns)
	if _, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return tokenOf(t, ns, name)
}

// tokenOf returns a token of a service account that is there.
func tokenOf(t *testing.T, ns, name string) string {
	t.Helper()
	token, err := shared.kube.CoreV1().ServiceAccounts(ns).CreateToken(t.Context(), name,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

// mayView binds Kubernetes' role view to a service account in its namespace.
func mayView(t *testing.T, ns, account string) (revoke func()) {
	t.Helper()
	bindings := shared.kube.RbacV1().RoleBindings(ns)
	if _, err := bindings.Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "view"},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "view"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: ns, Name: account}}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitRight(t, "system:serviceaccount:"+ns+":"+account, authorizationv1.ResourceAttributes{Namespace: ns, Verb: "list",
		Resource: "pods"})
	return func() {
		if err := bindings.Delete(t.Context(), "view", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// reading runs a scheduler with its read API under the rights of deploy/, and jobs in two namespaces: in each one runs,
// and one waits for room that there is not.
func reading(t *testing.T) (ns, other, at string) {
	t.Helper()
	installed(t)
	ns, other, at = namespace(t), namespace(t), address(t)
	node(t, ns, "4")
	queue(t, ns)
	token := tokenOf(t, installedIn, "ashlar")
	live(t, ns, func(o *loop.Options) {
		o.Config.BearerToken = token
		o.Read = loop.ReadAPI{Address: at, Namespace: installedIn}
	})
	submit(t, ns, ns, "runs", 2, 2, "1")
	submit(t, ns, ns, "waits", 1, 1, "64")
	submitElsewhere(t, ns, other, 2)
	awaitRunning(t, ns, "runs-", 2)
	awaitRunning(t, other, "secret-", 2)
	return ns, other, at
}

// The read API of a scheduler with the rights of deploy/, for an administrator, a tenant of one namespace, a user
// without any right, a certificate, and nobody.
func TestLiveTheReadAPI(t *testing.T) {
	ns, other, at := reading(t)
	certificate, key, err := shared.ClientCertificate("carol", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	tenantToken := serviceAccount(t, ns, "tenant")
	mayView(t, ns, "tenant")
	admin, tenant := apiUserWith(t, at, shared.Config.BearerToken), apiUserWith(t, at, tenantToken)
	nobody := apiUserWith(t, at, serviceAccount(t, other, "nobody"))
	certified := apiUserWith(t, at, "", pair)
	shown := func(a apiUser, path string) (int, string) {
		code := 0
		var text string
		eventually(t, "an answer to "+path, func(ctxless) (bool, error) {
			code, text = a.get(path)
			return code != 0 && code != http.StatusServiceUnavailable, nil
		}, func() string { return text })
		return code, text
	}
	jobs, waits, secret := "/v1/jobs", "/v1/why/job/"+ns+"/waits", "/v1/why/job/"+other+"/secret"
	for name, c := range map[string]struct {
		user      apiUser
		path      string
		code      int
		has, lack []string
	}{
		"an administrator":     {admin, jobs, 200, []string{`"waits"`, `"secret"`}, nil},
		"a certificate":        {certified, jobs, 200, []string{`"waits"`, `"secret"`}, nil},
		"a tenant":             {tenant, jobs, 200, []string{`"waits"`, `"hidden":{"count":`}, []string{`"secret`, other}},
		"a tenant's namespace": {tenant, "/v1/pods?namespace=" + ns, 200, []string{`"runs-0"`}, []string{`secret`}},
		"a tenant, elsewhere":  {tenant, "/v1/jobs?namespace=" + other, 403, []string{"may not list pods"}, nil},
		"a tenant, of nodes":   {tenant, "/v1/nodes", 200, []string{`"allocatable":{`}, []string{`"name"`}},
		"a tenant, of its job": {tenant, waits, 200, []string{`"source":"scheduler"`,
			`"state":"Never"`, "64 asked"}, []string{"secret"}},
		"a tenant, of another's job": {tenant, secret, 403, nil, []string{"runs"}},
		"a tenant, for a dump":       {tenant, "/v1/dump", 403, nil, []string{"Facts"}},
		"a user without rights": {nobody, jobs, 200, []string{`"items":[]`, `"hidden":{"count":`},
			[]string{"secret", "waits"}},
		"a user without rights, state": {nobody, "/v1/state", 200, []string{`"cycle":`}, []string{"secret"}},
		"no credentials":               {apiUserWith(t, at, ""), jobs, 401, []string{"Unauthorized"}, nil},
		"a wrong token":                {apiUserWith(t, at, "wrong"), "/v1/state", 401, nil, nil},
		"a dump":                       {admin, "/v1/dump", 200, []string{`"Facts":[`, other}, nil},
		"a report":                     {admin, "/v1/report", 200, []string{`"SimulationReport"`, `"secret"`}, nil},
		"the metrics":                  {admin, "/metrics", 200, []string{"ashlar_read_api_seconds_total"}, nil},
		"the metrics, of a tenant":     {tenant, "/metrics", 403, nil, []string{"ashlar_"}},
		"the configuration":            {admin, "/configz", 200, []string{`"allocate"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			code, text := shown(c.user, c.path)
			if code != c.code {
				t.Errorf("%s: %d, want %d: %s", c.path, code, c.code, text)
			}
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("%s lacks %s: %s", c.path, want, text)
				}
			}
			for _, not := range c.lack {
				if strings.Contains(text, not) {
					t.Errorf("%s tells of %s: %s", c.path, not, text)
				}
			}
		})
	}
	t.Run("a dump is one that replay reads", func(t *testing.T) { readDump(t, admin) })
	t.Run("a stream", func(t *testing.T) { readStream(t, ns, admin, tenant) })
}

// readDump: what the API sends is a state like those that signals save.
func readDump(t *testing.T, admin apiUser) {
	_, text := admin.get("/v1/dump")
	path := filepath.Join(t.TempDir(), "dump.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if state, err := recording.ReadState(path); err != nil || len(state.Facts) == 0 {
		t.Errorf("%d facts, %v", len(state.Facts), err)
	}
}

// readStream: a tenant's stream tells what becomes of its own jobs, and ends when its right does.
func readStream(t *testing.T, ns string, admin, tenant apiUser) {
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	answer, err := tenant.try(ctx, "/v1/watch?kinds=jobs,pods")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	next := func() (e readapi.Event, text string) {
		if !lines.Scan() {
			t.Fatalf("the stream ended: %v", lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		return e, lines.Text()
	}
	var first []string
	for {
		e, text := next()
		if strings.Contains(text, "secret") {
			t.Errorf("a tenant is told %s", text)
		}
		if e.Type == readapi.Bookmark {
			break
		}
		first = append(first, e.Type+" "+e.Kind)
	}
	if !slices.Contains(first, "ADDED Job") || !slices.Contains(first, "ADDED Pod") {
		t.Errorf("it begins with %v", first)
	}
	submit(t, ns, ns, "later", 1, 1, "100m")
	for {
		if e, text := next(); e.Type == readapi.Added && e.Kind == "Job" && strings.Contains(text, `"later"`) {
			break
		}
	}
	if code, text := admin.get("/v1/state"); code != http.StatusOK || !strings.Contains(text, `"watchers":1`) {
		t.Errorf("%d %s, want one watcher", code, text)
	}
	if err := shared.kube.RbacV1().RoleBindings(ns).Delete(t.Context(), "view", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; {
		e, text := next()
		if e.Type == readapi.Failure {
			if !strings.Contains(text, "rights of the user have changed") {
				t.Error(text)
			}
			t.Logf("the stream ended %s after the right was taken away", time.Since(began).Round(time.Second))
			break
		}
	}
	if lines.Scan() {
		t.Errorf("after its end it tells %s", lines.Text())
	}
}

// Of two replicas the one that stands by says which one acts. The Lease says how to reach that one.
func TestLiveAReplicaThatStandsBy(t *testing.T) {
	ns, first, second := namespace(t), address(t), address(t)
	elected := func(at, identity string) func(o *loop.Options) {
		return func(o *loop.Options) {
			o.Read = loop.ReadAPI{Address: at, Namespace: "somewhere"}
			o.Election = &loop.Election{Namespace: ns, Name: "ashlar", Identity: identity}
		}
	}
	stop := live(t, ns, elected(first, "pod-1_x"))
	one := apiUserWith(t, first, shared.Config.BearerToken)
	acts := func(a apiUser) {
		t.Helper()
		text := ""
		eventually(t, "a replica to answer", func(ctxless) (bool, error) {
			var code int
			code, text = a.get("/v1/state")
			return code == http.StatusOK, nil
		}, func() string { return text })
	}
	acts(one)
	live(t, ns, elected(second, "pod-2_y"))
	two := apiUserWith(t, second, shared.Config.BearerToken)
	text := ""
	eventually(t, "the other one to name the leader", func(ctxless) (bool, error) {
		var code int
		code, text = two.get("/v1/jobs")
		return code == http.StatusServiceUnavailable && strings.Contains(text, `"NotLeader"`) &&
			strings.Contains(text, "pod pod-1") && strings.Contains(text, "pod-1_x"), nil
	}, func() string { return text })
	lease, err := shared.kube.CoordinationV1().Leases(ns).Get(t.Context(), "ashlar", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(first, ":")
	if l := lease.Labels; l[readapi.LabelPort] != port || l[readapi.LabelNamespace] != "somewhere" ||
		len(l[readapi.LabelCertificate]) != 52 {
		t.Errorf("the Lease says %v", l)
	}
	stop()
	acts(two)
}
