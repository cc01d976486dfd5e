package rbacfallback

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// server is an API server that holds one pod and grants some verbs of it.
type server struct {
	grants  []string // "patch pods/status", "get pods", …
	asked   []string
	version int
	pod     corev1.Pod
	beaten  int // updates that somebody else overtakes
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o, named := parse(r.URL.Path)
	resource := strings.TrimPrefix(o.resource, "/")
	verb := map[string]string{http.MethodPatch: "patch", http.MethodPut: "update", http.MethodGet: "get"}[r.Method]
	if !named {
		verb, resource = "list", "pods"
	}
	s.asked = append(s.asked, verb+" "+resource)
	answer := func(code int, body any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(body)
	}
	refuse := func(code int32, reason metav1.StatusReason) {
		answer(int(code), metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure",
			Code: code, Reason: reason})
	}
	if !slices.Contains(s.grants, verb+" "+resource) {
		refuse(403, metav1.StatusReasonForbidden)
		return
	}
	s.pod.ResourceVersion = fmt.Sprint(s.version)
	switch verb {
	case "list":
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}}
		if r.URL.Query().Get("fieldSelector") == "metadata.name="+s.pod.Name {
			list.Items = append(list.Items, s.pod)
		}
		answer(200, list)
	case "get":
		answer(200, s.pod)
	case "update":
		body, _ := io.ReadAll(r.Body)
		var p corev1.Pod
		if err := json.Unmarshal(body, &p); err != nil {
			refuse(400, metav1.StatusReasonBadRequest)
			return
		}
		if s.beaten > 0 {
			s.beaten--
			s.version++
			s.pod.Status.Message = "from somebody else"
		}
		if p.ResourceVersion != fmt.Sprint(s.version) || p.UID != s.pod.UID {
			refuse(409, metav1.StatusReasonConflict)
			return
		}
		s.version++
		s.pod = p
		answer(200, p)
	}
}

func serve(t *testing.T, s *server) kubernetes.Interface {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	config := &rest.Config{Host: h.URL,
		ContentConfig: rest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf",
			AcceptContentTypes: "application/vnd.kubernetes.protobuf,application/json"}}
	config.Wrap(Wrapper())
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func onePod() corev1.Pod {
	p := corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "u",
			Annotations: map[string]string{"keep": "this"}}}
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	return p
}

const words = `{"metadata":{"uid":"u"},"status":{"conditions":[{"type":"PodScheduled","status":"False",` +
	`"reason":"Unschedulable"}]}}`

func TestAForbiddenPatchBecomesAnUpdate(t *testing.T) {
	s := &server{grants: []string{"get pods", "update pods/status"}, pod: onePod()}
	pods := serve(t, s).CoreV1().Pods("ns")
	p, err := pods.Patch(t.Context(), "p", types.StrategicMergePatchType, []byte(words), metav1.PatchOptions{}, "status")
	if err != nil || len(p.Status.Conditions) != 2 || p.Annotations["keep"] != "this" {
		t.Fatalf("error %v; the pod is %+v", err, p)
	}
	if _, err := pods.Patch(t.Context(), "p", types.MergePatchType, []byte(`{"status":{"nominatedNodeName":"n"}}`),
		metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	want := []string{"patch pods/status", "get pods", "update pods/status", "get pods", "update pods/status"}
	if s.pod.Status.NominatedNodeName != "n" || !slices.Equal(s.asked, want) {
		t.Errorf("nominated %q after %v, want %v", s.pod.Status.NominatedNodeName, s.asked, want)
	}
}

func TestWhereGetIsForbiddenToo(t *testing.T) {
	s := &server{grants: []string{"list pods", "update pods/status"}, pod: onePod()}
	pods := serve(t, s).CoreV1().Pods("ns")
	if _, err := pods.Patch(t.Context(), "p", types.StrategicMergePatchType, []byte(words), metav1.PatchOptions{},
		"status"); err != nil {
		t.Fatal(err)
	}
	if p, err := pods.Get(t.Context(), "p", metav1.GetOptions{}); err != nil || p.UID != "u" {
		t.Errorf("got %+v, error %v", p, err)
	}
	if _, err := pods.Get(t.Context(), "other", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a pod that is not there: error %v", err)
	}
}

func TestAnUpdateThatIsOvertakenLosesNothing(t *testing.T) {
	s := &server{grants: []string{"get pods", "update pods/status"}, pod: onePod(), beaten: 2}
	pods := serve(t, s).CoreV1().Pods("ns")
	if _, err := pods.Patch(t.Context(), "p", types.StrategicMergePatchType, []byte(words), metav1.PatchOptions{},
		"status"); err != nil {
		t.Fatal(err)
	}
	if s.pod.Status.Message != "from somebody else" || len(s.pod.Status.Conditions) != 2 {
		t.Errorf("the pod is %+v", s.pod.Status)
	}
}

// What a patch was made from is its precondition, as an update as well.
func TestPreconditionsHold(t *testing.T) {
	for name, patch := range map[string]string{
		"version": `{"metadata":{"resourceVersion":"7"},"status":{"message":"mine"}}`,
		"life":    `{"metadata":{"uid":"another"},"status":{"message":"mine"}}`,
	} {
		s := &server{grants: []string{"get pods", "update pods/status"}, pod: onePod()}
		pods := serve(t, s).CoreV1().Pods("ns")
		_, err := pods.Patch(t.Context(), "p", types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
		if !apierrors.IsConflict(err) || s.pod.Status.Message != "" {
			t.Errorf("%s: error %v, the message is %q", name, err, s.pod.Status.Message)
		}
	}
}

func TestWhatIsForbiddenInEveryFormIsSaidAsItWasAsked(t *testing.T) {
	s := &server{grants: []string{"get pods"}, pod: onePod()}
	pods := serve(t, s).CoreV1().Pods("ns")
	if _, err := pods.Patch(t.Context(), "p", types.StrategicMergePatchType, []byte(words), metav1.PatchOptions{},
		"status"); !apierrors.IsForbidden(err) {
		t.Errorf("error %v", err)
	}
}

// A right that is granted while the scheduler runs is used after a minute.
func TestAMissingRightIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &missing{found: map[string]time.Time{}, now: time.Now}
		m.lack("PATCH /pods")
		if !m.lacks("PATCH /pods") || m.lacks("GET /pods") {
			t.Error("what was found is not known")
		}
		<-time.After(again)
		if m.lacks("PATCH /pods") {
			t.Error("it is not asked for again")
		}
	})
}

func TestPathsOfObjects(t *testing.T) {
	for path, want := range map[string]object{
		"/api/v1/namespaces/ns/pods/p": {"/pods", "/api/v1/namespaces/ns/pods/p",
			"p"},
		"/api/v1/namespaces/ns/pods/p/status": {"/pods/status",
			"/api/v1/namespaces/ns/pods/p", "p"},
		"/api/v1/persistentvolumes/v": {"/persistentvolumes",
			"/api/v1/persistentvolumes/v", "v"},
		"/api/v1/namespaces/ns": {"/namespaces", "/api/v1/namespaces/ns",
			"ns"},
		"/apis/scheduling.volcano.sh/v1beta1/queues/q/status": {"scheduling.volcano.sh/queues/status",
			"/apis/scheduling.volcano.sh/v1beta1/queues/q", "q"},
		"/prefix/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups/g": {"scheduling.volcano.sh/podgroups",
			"/prefix/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups/g", "g"},
	} {
		if got, ok := parse(path); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
	for _, path := range []string{"/api/v1/pods", "/api/v1/namespaces/ns/pods", "/apis", "/healthz", "/",
		"/apis/apps/v1/deployments"} {
		if got, ok := parse(path); ok {
			t.Errorf("%s names an object: %+v", path, got)
		}
	}
}
