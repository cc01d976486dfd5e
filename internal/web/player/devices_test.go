package player

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// Devices are narrowed down and told page by page as by the read API, of two pools of one name, too.
func TestDevicesPageByPage(t *testing.T) {
	var pools []*sched.DevicePool
	for _, node := range []string{"n1", "n2"} {
		p := &sched.DevicePool{Driver: "gpu.example.com", Name: "rack", Node: node}
		for i := range 3 {
			p.Devices = append(p.Devices, policy.Device{Name: fmt.Sprint("gpu-", i), State: policy.DeviceFree,
				Classes: []string{"gpu", fmt.Sprint("gpu-", i%2)}})
		}
		p.Devices[2].State = policy.DeviceUnusable
		pools = append(pools, p)
	}
	f := &frame{devices: pools}
	asked := func(query string) (code int, out List[explain.DeviceRow]) {
		w := httptest.NewRecorder()
		devices(w, httptest.NewRequest(http.MethodGet, "/v1/devices?"+query, nil), f)
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
		return w.Code, out
	}
	for query, want := range map[string]string{
		"":                    "n1/gpu-0 n1/gpu-1 n1/gpu-2 n2/gpu-0 n2/gpu-1 n2/gpu-2",
		"node=n2&class=gpu-1": "n2/gpu-1",
		"state=unusable":      "n1/gpu-2 n2/gpu-2",
		"state=FREE&class=gpu-0&driver=gpu.example.com": "n1/gpu-0 n2/gpu-0",
		"driver=other": "",
	} {
		for _, limit := range []int{1, 2, 500} {
			var all []string
			for next, pages := "", 0; pages < 9; pages++ {
				_, got := asked(fmt.Sprintf("%s&limit=%d&continue=%s", query, limit, url.QueryEscape(next)))
				for _, d := range got.Items {
					all = append(all, d.Node+"/"+d.Name)
				}
				if next = got.Continue; next == "" {
					break
				}
				if len(got.Items) != limit {
					t.Errorf("%s: a page of %d has %d", query, limit, len(got.Items))
				}
			}
			if got := strings.Join(all, " "); got != want {
				t.Errorf("%q, %d at once: %q, want %q", query, limit, got, want)
			}
		}
	}
	for _, query := range []string{"limit=0", "limit=5001", "continue=!"} {
		if code, _ := asked(query); code != http.StatusBadRequest {
			t.Errorf("%s: %d", query, code)
		}
	}
}
