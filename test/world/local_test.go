package world

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// localClass is of volumes that are there before their claims: a scheduler gives each claim one of them.
const localClass = "local"

// localVolumes is how many there are on each node: enough for any job.
const localVolumes = 3

// locals makes the volumes that are missing, as a provisioner of local volumes does, and binds claims to the volumes
// that were given them, as Kubernetes' controller does.
func (v *volumes) locals() {
	w := v.w
	if !w.Local {
		return
	}
	for i := range w.Nodes * localVolumes {
		node := nodeName(i / localVolumes)
		name := fmt.Sprintf("local-%s-%d", node, i%localVolumes)
		pv := w.api.Get(v.volumes, "", name)
		if pv == nil {
			w.post(v.volumes, volumeOn(node, name, localClass))
			w.do(http.MethodPatch, v.volumes.Path("", name, "status"), map[string]any{"status": map[string]any{
				"phase": "Available"}})
			continue
		}
		ref := asMap(asMap(pv.Object["spec"])["claimRef"])
		if text(ref, "name") == "" {
			continue
		}
		c := w.api.Get(v.claims, userNamespace, text(ref, "name"))
		if c != nil && string(c.Meta().GetUID()) == text(ref, "uid") && text(c.Object, "spec", "volumeName") == "" &&
			(w.calm || w.chance(0.5)) {
			w.did("a claim bound to a volume that was there")
			v.join(c, name)
		}
	}
}

// release deletes the claim of a pod that has ended, so that another one gets its volume: jobs that keep volumes which
// the rest of others needs could wait for each other for ever.
func (v *volumes) release(one *job, name string) {
	if one.local && v.w.api.Get(v.claims, userNamespace, name) != nil {
		v.unclaim(one, name)
	}
}

// wrote checks that no scheduler gives a claim the volume of another one that is there.
func (v *volumes) wrote(write apimodel.Write) {
	if write.Kind != v.volumes || write.Before == nil || write.After == nil || time.Since(v.w.check.restoredAt) < blind {
		return
	}
	was, is := asMap(asMap(write.Before.Object["spec"])["claimRef"]), asMap(asMap(write.After.Object["spec"])["claimRef"])
	if text(was, "uid") != "" && text(was, "uid") != text(is, "uid") {
		v.w.wrong("%s gives volume %s, which is claim %s's, to claim %s", write.Client, write.Key(), text(was, "name"),
			text(is, "name"))
	}
}

// givesFirst gives claims the first volume of their nodes, whatever was chosen and whatever became of it.
func givesFirst(r *apimodel.Request) {
	at, body := strings.LastIndexByte(r.Path, '-'), map[string]any{}
	if !strings.Contains(r.Path, "/persistentvolumes/local-") || json.Unmarshal(r.Body, &body) != nil {
		return
	}
	delete(asMap(body["metadata"]), "uid")
	delete(asMap(body["metadata"]), "resourceVersion")
	r.Path = r.Path[:at] + "-0"
	r.Body, _ = json.Marshal(body) // plain data
}
