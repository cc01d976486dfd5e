package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"ashlar.sh/internal/kube/api"
)

// booking makes a booking of this test's node, and deletes it in the end.
func booking(t *testing.T, name string, spec map[string]any) (dynamic.ResourceInterface, error) {
	t.Helper()
	bookings := shared.dynamic.Resource(api.Version.WithResource(api.Resource))
	b := &unstructured.Unstructured{Object: map[string]any{"apiVersion": api.Version.String(), "kind": "Booking",
		"metadata": map[string]any{"name": name}, "spec": spec}}
	_, err := bookings.Create(t.Context(), b, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	t.Cleanup(func() { _ = bookings.Delete(context.Background(), name, metav1.DeleteOptions{}) })
	return bookings, err
}

// selectable labels a node for selecting.
func selectable(t *testing.T, node string) {
	t.Helper()
	label := []byte(`{"metadata":{"labels":{"booked-by":"` + node + `"}}}`)
	if _, err := shared.kube.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, label,
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

func selecting(node string) map[string]any {
	return map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"booked-by": node}}}
}

// A pod that might still run when the maintenance of its node begins waits, and says why; one with a limit that ends
// before is bound. When the booking is deleted the first one is bound, too.
func TestLiveMaintenanceIsBooked(t *testing.T) {
	ns := namespace(t)
	node(t, ns, "8")
	selectable(t, ns)
	now := time.Now().UTC()
	bookings, err := booking(t, ns, map[string]any{"maintenance": true, "nodes": selecting(ns),
		"from": now.Add(time.Hour).Format(time.RFC3339), "to": now.Add(2 * time.Hour).Format(time.RFC3339)})
	if err != nil {
		t.Fatal(err)
	}
	live(t, ns)
	limited := func(name string, seconds *int64) *corev1.Pod {
		p := pod(ns, name)
		p.Spec.SchedulerName, p.Spec.ActiveDeadlineSeconds = ns, seconds
		return p
	}
	long, short := int64(2*3600), int64(600)
	create(t, limited("endless", nil))
	create(t, limited("long", &long))
	says := func(name string) string {
		for _, c := range get(t, ns, name).Status.Conditions {
			if c.Type == corev1.PodScheduled {
				return c.Message
			}
		}
		return ""
	}
	for name, want := range map[string]string{"endless": "has no limit", "long": "may run for 2h0m"} {
		eventually(t, name+" to say that its node is booked", func(ctxless) (bool, error) {
			return strings.Contains(says(name), "booked for maintenance from") && strings.Contains(says(name), want), nil
		}, func() string { return says(name) })
	}
	create(t, limited("short", &short))
	awaitRunning(t, ns, "short", 1)
	if err := bookings.Delete(t.Context(), ns, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitRunning(t, ns, "endless", 1)
	awaitRunning(t, ns, "long", 1)
}

// A booking says how it stands: its phase, its window, its node, and the pod without a limit that may run on then, of
// which an event tells once, without its name. When the pod is gone, and when the booking is changed, that is said.
func TestLiveABookingSaysHowItStands(t *testing.T) {
	ns := namespace(t)
	node(t, ns, "8")
	selectable(t, ns)
	live(t, ns)
	p := pod(ns, "endless")
	p.Spec.SchedulerName = ns
	create(t, p)
	awaitRunning(t, ns, "endless", 1)
	from := time.Now().UTC().Add(time.Hour).Truncate(time.Second)
	bookings, err := booking(t, ns, map[string]any{"owner": map[string]any{"queue": "nobody"},
		"nodes": map[string]any{"selector": selecting(ns)["selector"], "count": int64(2)},
		"from":  from.Format(time.RFC3339), "to": from.Add(time.Hour).Format(time.RFC3339)})
	if err != nil {
		t.Fatal(err)
	}
	var seen *unstructured.Unstructured
	says := func(want string) {
		t.Helper()
		eventually(t, "the booking to say "+want, func(ctx ctxless) (bool, error) {
			b, err := bookings.Get(ctx, ns, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			seen = b
			text, _ := json.Marshal(b.Object["status"])
			return string(text) == want, nil
		}, func() string { return fmt.Sprint(seen.Object["status"]) })
	}
	window := `"window":{"from":"` + from.Format(time.RFC3339) + `","to":"` +
		from.Add(time.Hour).Format(time.RFC3339) + `"}`
	short := `"asked":2,"message":"1 of 2 nodes that it asks for: 1 matches its selector","nodeCount":1,` +
		`"nodes":["` + ns + `"],`
	says(`{"asked":2,"conflictCount":1,"conflicts":[{"namespace":"` + ns + `","node":"` + ns + `","pod":"endless"}],` +
		strings.TrimPrefix(short, `"asked":2,`) + `"phase":"Pending",` + window + `}`)
	if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), "endless", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	says(`{` + short + `"phase":"Pending",` + window + `}`)
	all, err := shared.kube.CoreV1().Events("default").List(t.Context(), metav1.ListOptions{
		FieldSelector: "involvedObject.name=" + ns + ",reason=Conflict"})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Items) != 1 || strings.Contains(all.Items[0].Message, "endless") ||
		all.Items[0].InvolvedObject.APIVersion != api.Version.String() {
		t.Errorf("events tell of the conflict: %v", all.Items)
	}
	patch := []byte(`{"spec":{"to":"` + from.Add(2*time.Hour).Format(time.RFC3339) + `","nodes":{"count":1}}}`)
	if _, err := bookings.Patch(t.Context(), ns, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	says(`{"nodeCount":1,"nodes":["` + ns + `"],"phase":"Pending","window":{"from":"` + from.Format(time.RFC3339) +
		`","to":"` + from.Add(2*time.Hour).Format(time.RFC3339) + `"}}`)
}

// The API server refuses bookings that make no sense.
func TestBookingsThatMakeNoSenseAreRefused(t *testing.T) {
	ns := namespace(t)
	from, to := "2030-01-01T10:00:00Z", "2030-01-01T12:00:00Z"
	whole := func(more map[string]any) map[string]any {
		spec := map[string]any{"maintenance": true, "nodes": selecting(ns), "from": from, "to": to}
		for k, v := range more {
			if spec[k] = v; v == nil {
				delete(spec, k)
			}
		}
		return spec
	}
	owner := map[string]any{"queue": "ml"}
	for name, c := range map[string]struct {
		spec map[string]any
		says string // "": it is taken
	}{
		"maintenance": {whole(nil), ""},
		"owner": {whole(map[string]any{"maintenance": nil, "owner": owner, "flex": true, "maxStartDelay": "5m",
			"nodes": map[string]any{"selector": map[string]any{}, "count": int64(2)}}), ""},
		"cron": {whole(map[string]any{"from": nil, "to": nil, "schedule": "0 22 * * *", "timeZone": "Europe/Berlin",
			"duration": "8h", "drainBefore": "1h30m"}), ""},
		"idle": {whole(map[string]any{"maintenance": nil, "owner": owner, "purgeAfterIdle": "30m"}), ""},
		"ended at once": {whole(map[string]any{"maintenance": nil, "owner": owner, "purgeAfterIdle": "0s"}),
			"longer than nothing"},
		"idle drain": {whole(map[string]any{"purgeAfterIdle": "30m"}), "no owner"},
		"both":       {whole(map[string]any{"owner": owner}), "exactly one of maintenance and owner"},
		"neither":    {whole(map[string]any{"maintenance": nil}), "exactly one of maintenance and owner"},
		"backwards":  {whole(map[string]any{"from": to, "to": from}), "to has to be after from"},
		"no end":     {whole(map[string]any{"to": nil}), "either from and to say when"},
		"two times":  {whole(map[string]any{"schedule": "0 22 * * *", "duration": "8h"}), "either from and to say when"},
		"nothing":    {whole(map[string]any{"from": nil, "to": nil}), "either from and to say when"},
		"zero": {whole(map[string]any{"from": nil, "to": nil, "schedule": "0 22 * * *", "duration": "0m"}),
			"longer than nothing"},
		"absurd":      {whole(map[string]any{"maxStartDelay": "999999999h"}), "maxStartDelay"},
		"empty delay": {whole(map[string]any{"maxStartDelay": ""}), "maxStartDelay"},
		"no nodes":    {whole(map[string]any{"nodes": nil}), "nodes"},
		"no selector": {whole(map[string]any{"nodes": map[string]any{}}), "selector"},
		"group":       {whole(map[string]any{"maintenance": nil, "owner": map[string]any{"podGroup": "a"}}), "namespace"},
		"no owner":    {whole(map[string]any{"maintenance": nil, "owner": map[string]any{}}), "owner"},
		"count": {whole(map[string]any{"nodes": map[string]any{"selector": map[string]any{}, "count": int64(1)}}),
			"all nodes"},
		"a date": {whole(map[string]any{"from": "tomorrow"}), "from"},
	} {
		_, err := booking(t, ns+"-"+strings.ReplaceAll(name, " ", "-"), c.spec)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: the API server says %v, want %q", name, err, c.says)
		}
	}
}
