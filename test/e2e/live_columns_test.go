package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What kubectl get shows: of a queue its state and what it holds, and with -o wide of a PodGroup why it waits, as long
// as it does.
func TestLiveWhatKubectlGetShows(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	live(t, ns)
	submit(t, ns, ns, "large", 3, 3, "2")
	column := func(of schema.GroupVersionResource, at, row, column string) string {
		return columnOf(t, of, at, row, column)
	}
	eventually(t, "the PodGroup to show why it waits", func(ctxless) (bool, error) {
		return strings.Contains(column(podGroupResource, ns, "large", "WHY"), "2 of the 3 pods"), nil
	}, func() string { return column(podGroupResource, ns, "large", "WHY") })
	node(t, ns+"-b", "4")
	awaitRunning(t, ns, "large", 3)
	eventually(t, "the queue to show what it holds", func(ctxless) (bool, error) {
		return column(queueResource, "", ns, "CPU") == "6", nil
	}, func() string { return column(queueResource, "", ns, "CPU") })
	if weight := column(queueResource, "", ns, "WEIGHT"); weight != "1" {
		t.Errorf("the queue shows the weight %q, want 1", weight)
	}
	eventually(t, "the PodGroup that runs to show no reason to wait", func(ctxless) (bool, error) {
		return column(podGroupResource, ns, "large", "WHY") == "", nil
	}, func() string { return column(podGroupResource, ns, "large", "WHY") })
}

// columnOf is a cell of the table that the API server makes for kubectl get -o wide; "" for an empty one.
func columnOf(t *testing.T, of schema.GroupVersionResource, ns, name, column string) string {
	t.Helper()
	at := "/apis/" + of.GroupVersion().String()
	if ns != "" {
		at += "/namespaces/" + ns
	}
	text, err := shared.kube.CoreV1().RESTClient().Get().AbsPath(at+"/"+of.Resource+"/"+name).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var table metav1.Table
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	for i, c := range table.ColumnDefinitions {
		if c.Name == column && len(table.Rows) == 1 {
			if cell := table.Rows[0].Cells[i]; cell != nil {
				return fmt.Sprint(cell)
			}
			return ""
		}
	}
	t.Fatalf("%s %s has no column %s", of.Resource, name, column)
	return ""
}
