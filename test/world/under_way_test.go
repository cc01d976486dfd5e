package world

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/world/apimodel"
)

// debt is what is known of the queue that is owed something.
type debt struct {
	held     window                  // by its pods until they leave, told to or not
	taken    window                  // from it for others
	regained window                  // what was bound of it since something was taken
	sent     map[types.UID]time.Time // when a pod's binding was sent, or what comes before it, of any queue
}

// sends notes which pods a scheduler's request is to bind: by their binding, or by what is written to their claims and
// volumes before. A pod's own claims are called as the pod.
func (c *checker) sends(r *apimodel.Request) {
	if r.Method == http.MethodGet {
		return
	}
	path := strings.TrimSuffix(strings.TrimSuffix(r.Path, "/binding"), "/status")
	name := path[strings.LastIndex(path, "/")+1:]
	devices := strings.Contains(path, "/resourceclaims/")
	switch {
	case devices, strings.HasSuffix(r.Path, "/binding"), strings.Contains(path, "/persistentvolumeclaims/"):
	case strings.Contains(path, "/persistentvolumes/"):
		name = claimOfVolume(r.Body)
	default:
		return
	}
	for _, p := range c.w.api.List(c.pods) {
		pod := p.Meta().GetName()
		one := c.w.jobs.of(p)
		if pod == name || devices && one != nil && c.w.devices.nameOf(one, pod) == name {
			c.debt.sent[p.Meta().GetUID()] = time.Now()
		}
	}
}

// claimOfVolume is the claim that a write gives a volume to, "" for another write.
func claimOfVolume(body []byte) string {
	var v struct {
		Spec struct{ ClaimRef struct{ Name string } }
	}
	if json.Unmarshal(body, &v) != nil {
		return "" // a patch of another kind, or in a binary form
	}
	return v.Spec.ClaimRef.Name
}
