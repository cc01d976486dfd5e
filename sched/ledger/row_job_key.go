package ledger

import (
	"cmp"
	"slices"
	"strings"

	"ashlar.sh/sched/model"
)

// JobKey names a job: a PodGroup, or an adopted job (decision 25), which has the name of its pods' top
// controller, or of the pod itself.
type JobKey struct {
	Namespace, Name string
	Adopted         bool
	// Owner tells adopted jobs of one name apart: the controller's kind, "/" and its UID. "" for a pod without
	// a controller.
	Owner string
}

// KeyOf returns the key of the job that a pod belongs to.
func KeyOf(p *model.Pod) JobKey {
	switch {
	case p.Group != "":
		return JobKey{Namespace: p.Namespace, Name: p.Group}
	case p.Owner != "":
		return JobKey{Namespace: p.Namespace, Name: p.Owner, Adopted: true, Owner: p.OwnerID}
	default:
		return JobKey{Namespace: p.Namespace, Name: p.Name, Adopted: true}
	}
}

// String returns namespace/name. Two jobs may have equal ones: Ledger.Called tells them apart.
func (k JobKey) String() string { return k.Namespace + "/" + k.Name }

// Kind is the kind and group of an adopted job's owner, "" without one.
func (k JobKey) Kind() string { return k.Owner[:max(0, strings.IndexByte(k.Owner, '/'))] }

// UID is the UID of an adopted job's owner, "" without one.
func (k JobKey) UID() string { return k.Owner[strings.IndexByte(k.Owner, '/')+1:] }

// Compare is a total order, by namespace, name, PodGroups first: it is negative where k comes first.
func (k JobKey) Compare(o JobKey) int {
	if k.Namespace != o.Namespace {
		return cmp.Compare(k.Namespace, o.Namespace)
	}
	if r := cmp.Compare(k.Name, o.Name); r != 0 {
		return r
	}
	switch {
	case k.Adopted == o.Adopted:
		return cmp.Compare(k.Owner, o.Owner)
	case o.Adopted:
		return -1
	default:
		return 1
	}
}

// Called returns the name shown for a job: namespace/name, and its owner's kind or UID where another job has
// the same name.
func (js *Jobs) Called(j JobID) string { return js.rows[j].Key.Namespace + "/" + js.Name(j) }

// CalledTo is Called, as those that read what another job waits for may know it: "" for a job of another namespace.
func (js *Jobs) CalledTo(reader, j JobID) string {
	if js.rows[reader].Key.Namespace != js.rows[j].Key.Namespace {
		return ""
	}
	return js.Called(j)
}

// Name is Called without the namespace.
func (js *Jobs) Name(j JobID) string {
	k := &js.rows[j].Key
	if !k.Adopted {
		return k.Name
	}
	_, group := js.keys.groups.find(k.Namespace, k.Name)
	_, bare := js.keys.bare.find(k.Namespace, k.Name)
	owned, some := js.keys.owned[k.Namespace][k.Name]
	switch {
	case k.Owner == "" && (group || some):
		return k.Name + " (Pod)"
	case k.Owner == "" || !group && !bare && owned.by == nil:
		return k.Name
	case owned.kinds[k.Kind()] > 1:
		return k.Name + " (" + k.Kind() + " " + k.UID() + ")"
	default:
		return k.Name + " (" + k.Kind() + ")"
	}
}

// jobKeys finds jobs by their keys.
type jobKeys struct {
	groups byKey[JobID]                    // of PodGroups
	bare   byKey[JobID]                    // of pods without a controller
	owned  map[string]map[string]namesakes // of pods' owners, by namespace and name
}

// namesakes are the adopted jobs of owners with one name: nearly always one.
type namesakes struct {
	one   JobID            // where by is nil
	by    map[string]JobID // by owner
	kinds map[string]int   // how many are of each kind
}

func newJobKeys() jobKeys {
	return jobKeys{groups: byKey[JobID]{}, bare: byKey[JobID]{}, owned: map[string]map[string]namesakes{}}
}

// plain returns the table of jobs for which a name is enough; nil for a job with an owner.
func (t *jobKeys) plain(k JobKey) byKey[JobID] {
	switch {
	case !k.Adopted:
		return t.groups
	case k.Owner == "":
		return t.bare
	default:
		return nil
	}
}

func (t *jobKeys) find(rows []Job, k JobKey) (JobID, bool) {
	if plain := t.plain(k); plain != nil {
		return plain.find(k.Namespace, k.Name)
	}
	same, some := t.owned[k.Namespace][k.Name]
	if same.by != nil {
		j, ok := same.by[k.Owner]
		return j, ok
	}
	return same.one, some && rows[same.one].Key.Owner == k.Owner
}

func (t *jobKeys) put(rows []Job, k JobKey, j JobID) {
	if plain := t.plain(k); plain != nil {
		plain.put(k.Namespace, k.Name, j)
		return
	}
	names := t.owned[k.Namespace]
	if names == nil {
		names = map[string]namesakes{}
		t.owned[k.Namespace] = names
	}
	same, some := names[k.Name]
	if !some {
		names[k.Name] = namesakes{one: j}
		return
	}
	if same.by == nil {
		first := &rows[same.one].Key
		same = namesakes{by: map[string]JobID{first.Owner: same.one}, kinds: map[string]int{first.Kind(): 1}}
	}
	same.by[k.Owner] = j
	same.kinds[k.Kind()]++
	names[k.Name] = same
}

func (t *jobKeys) drop(k JobKey) {
	if plain := t.plain(k); plain != nil {
		plain.drop(k.Namespace, k.Name)
		return
	}
	names := t.owned[k.Namespace]
	if same := names[k.Name]; same.by != nil {
		delete(same.by, k.Owner)
		if same.kinds[k.Kind()]--; len(same.by) > 1 {
			return
		}
		for _, j := range same.by { // order-free: there is one
			names[k.Name] = namesakes{one: j}
		}
		return
	}
	if delete(names, k.Name); len(names) == 0 {
		delete(t.owned, k.Namespace)
	}
}

// SortByName sorts jobs by their keys.
func SortByName(l *Ledger, jobs []JobID) {
	slices.SortFunc(jobs, func(a, b JobID) int { return l.Jobs.rows[a].Key.Compare(l.Jobs.rows[b].Key) })
}

// ByName returns a copy of a list of jobs, sorted by their keys.
func ByName(l *Ledger, jobs []JobID) []JobID {
	jobs = slices.Clone(jobs)
	SortByName(l, jobs)
	return jobs
}

// GroupUID is the UID of a job's PodGroup; "" for an adopted job, of which the key has the controller's.
func (j *Job) GroupUID() string {
	if j.Group == nil {
		return ""
	}
	return j.Group.UID
}
