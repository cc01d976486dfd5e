package world

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/test/world/apimodel"
)

// The pods of some jobs have a controller that the API server shows, a StatefulSet. Only such pods does a scheduler
// delete when their gang cannot be completed, since they are made anew. Pods of other jobs stay then.

// ownedFrom is the first seed of worlds in which jobs are drawn whose pods have a controller.
const ownedFrom = 30_000_000

// ownMore draws, from a source of its own, what worlds from there on have.
func (o *Options) ownMore() {
	r := rand.New(rand.NewPCG(o.Seed, 7))
	o.Owned = 0.7
	if r.IntN(2) == 0 {
		o.Trouble.Refuses = 20*time.Second + time.Duration(r.Int64N(int64(40*time.Second)))
	}
}

// refuse has the API server refuse to bind a pod of the next job, now and then, for some minutes.
func (j *jobs) refuse() {
	w := j.w
	w.every(w.Trouble.Refuses, func() {
		pod := fmt.Sprintf("job-%d-%d", len(j.all), w.random.IntN(4))
		j.refused[pod] = true
		w.seq.after(w.between(10*time.Second, w.longest()), func() { delete(j.refused, pod) })
	})
}

// refuses says that a request binds a pod of which bindings are refused.
func (j *jobs) refuses(r *apimodel.Request) bool {
	name, is := strings.CutSuffix(r.Path, "/binding")
	return is && r.Method == http.MethodPost && j.refused[strings.TrimPrefix(name, j.pods.Path(userNamespace, "")+"/")]
}

// own makes the controller of a job's pods, if they have one and it is not there.
func (j *jobs) own(one *job) {
	k := j.owner(one)
	if !one.owned || j.w.api.Get(k, userNamespace, one.name) != nil {
		return
	}
	object := map[string]any{"apiVersion": k.GroupVersion().String(), "kind": k.Kind,
		"metadata": map[string]any{"name": one.name, "namespace": userNamespace},
		"spec": one.owning(map[string]any{"metadata": map[string]any{"labels": map[string]any{jobLabel: one.name}},
			"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "main"}}}})}
	if k == j.sets {
		object["status"] = map[string]any{"replicas": 0}
	}
	j.w.post(k, object)
}

// ownedBy adds to the metadata of a pod which controller it has.
func (j *jobs) ownedBy(one *job, metadata map[string]any) {
	if !one.owned {
		return
	}
	k := j.owner(one)
	if set := j.w.api.Get(k, userNamespace, one.name); set != nil {
		metadata["ownerReferences"] = []any{map[string]any{"apiVersion": k.GroupVersion().String(), "kind": k.Kind,
			"name": one.name, "uid": string(set.Meta().GetUID()), "controller": true, "blockOwnerDeletion": true}}
	}
}

// disown removes the controller of a job's pods.
func (j *jobs) disown(one *job) {
	if one.owned {
		j.w.do(http.MethodDelete, j.owner(one).Path(userNamespace, one.name), map[string]any{})
	}
}

// stays sees that a user is told that members of a gang in part stay.
func (c *checker) stays(write apimodel.Write) {
	if write.After == nil || !isScheduler(write.Client) || write.Kind.Resource != "events" {
		return
	}
	switch g := c.gangs[text(write.After.Object, "involvedObject", "uid")]; {
	case g == nil:
	case text(write.After.Object, "reason") == "GangReleased":
		c.w.did("a gang released")
	case text(write.After.Object, "reason") == "GangStranded":
		g.stays = strings.Contains(text(write.After.Object, "message"), " stay")
	default: // an event may be lost, and what waits says the same
		g.stays = g.stays || strings.Contains(text(write.After.Object, "message"), " stay: ")
	}
}

// mayStay says that a gang may be in part for as long as its other members cannot be bound, by the rules of
// docs/live.md: the scheduler that bound them ended before it could record that, and the next one cannot know that the
// gang never was whole; or no controller makes its pods anew, or a budget keeps some of them, and a user was told so.
func (c *checker) mayStay(g *gang) bool {
	one := c.w.jobs.byName[g.name]
	return g.orphan || g.stays && (one == nil || !one.owned || one.stay > 0)
}

// orphaned notes, when another scheduler gets the lease, of which gangs it cannot know that they never were whole. Of
// the others its time begins.
func (c *checker) orphaned() {
	for _, p := range c.w.api.List(c.groups) {
		g := c.gangs[string(p.Meta().GetUID())]
		if g == nil || g.half.IsZero() || g.orphan {
			continue
		}
		var bound, waiting []string
		for _, member := range c.w.api.List(c.pods) {
			uid := string(member.Meta().GetUID())
			switch phase := text(member.Object, "status", "phase"); {
			case member.Meta().GetNamespace() != p.Meta().GetNamespace() ||
				member.Meta().GetAnnotations()[groupAnnotation] != g.name || phase == "Succeeded" || phase == "Failed":
			case text(member.Object, "spec", "nodeName") != "":
				bound = append(bound, uid)
			default:
				waiting = append(waiting, uid)
			}
		}
		r, err := persisted.ReadRefusedBinds(p.Meta().GetAnnotations()[persisted.RefusedBindsKey])
		// Other versions write it otherwise.
		g.orphan = err != nil || c.w.Trouble.Versions > 0 || !r.Never.Holds(int32(g.least), bound, waiting)
		if g.half = time.Now(); !g.orphan {
			c.w.did("a gang in part taken over")
		}
	}
}

// A gang of which a member is refused for minutes is released where a controller makes its pods anew, and not without
// one.
func TestAGangOfARefusedMemberIsReleased(t *testing.T) {
	for _, owned := range []float64{1, 0} {
		o := Options{Seed: 1, Lasts: 20 * time.Minute, Settles: time.Hour, Nodes: 6, Schedulers: 1, Owned: owned,
			Trouble: Trouble{ServerTrouble: ServerTrouble{Refuses: 10 * time.Second}}}
		r := run(t, o)
		if len(r.Wrong) > 0 {
			t.Errorf("with %.0f of the jobs owned: %d wrong, the first: %s", owned, len(r.Wrong), r.Wrong[0])
		}
		if refused, released := r.Did["a binding refused for a while"], r.Did["a gang released"]; refused == 0 ||
			(released > 0) != (owned > 0) {
			t.Errorf("with %.0f of the jobs owned %d bindings are refused and %d gangs released", owned, refused, released)
		}
	}
}
