package recording

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// Redacted is a state with pseudonyms for all names.
type Redacted struct {
	State State
	// Names are the pseudonyms by name: of objects, their UIDs, labels' values and images. A name that is not there is
	// kept.
	Names map[string]string
	// LeftOut counts by kind the objects that are left out, since they cannot be redacted: volumes, claims, devices.
	LeftOut map[model.Kind]int
	// Plain counts the pods that use such objects: they may be decided otherwise than they were.
	Plain int
}

// redactor replaces strings of facts and commitments, as JSON has them. It goes over them twice: first it collects,
// then it replaces. Pseudonyms keep the order of what they stand for, since names decide where nothing else does.
type redactor struct {
	names, keys map[string]string // pseudonyms; "" while they are collected
	replacing   bool
}

// Redact returns a state that decides as s does, with pseudonyms for the names of namespaces, pods, their owners, jobs,
// queues and whatever else users have named, for labels of pods, and for images. What operators have named is kept:
// nodes with their labels and taints, what pods ask of those, HyperNodes, resources, the configuration. The scheduler
// chooses among equally good nodes by a hash of the node's name and of what the pod asks for, so these have to stay.
// For a pod with affinity to other pods, which names their labels, it may choose another such node.
func Redact(s State) (Redacted, error) {
	out := Redacted{LeftOut: map[model.Kind]int{}}
	x := &redactor{names: map[string]string{}, keys: map[string]string{}}
	facts := out.simplified(s.Facts)
	for range 2 {
		var redacted []model.Fact
		for _, f := range facts {
			tree, err := treeOf(f)
			if err != nil {
				return out, fmt.Errorf("%s: %w", f.Ref, err)
			}
			x.fact(tree, f.Ref.Kind)
			r, err := factOf(tree)
			if err != nil {
				return out, fmt.Errorf("%s: %w", f.Ref, err)
			}
			if b, ok := r.Object.(*model.Backoff); ok {
				r.Ref = b.Ref() // made of several names
			}
			redacted = append(redacted, r)
		}
		commitments, err := treeOf(s.Commitments)
		if err != nil {
			return out, err
		}
		x.walk(commitments, "")
		out.State = s
		out.State.Facts = redacted
		if out.State.Commitments, err = decoded(out.State.Commitments, commitments); err != nil {
			return out, err
		}
		if !x.replacing {
			x.name()
		}
	}
	out.State.Commitments.Memories = nil
	out.Names = x.names
	return out, nil
}

// simplified are facts without what cannot be redacted: objects of Kubernetes are left out.
func (out *Redacted) simplified(facts []model.Fact) (list []model.Fact) {
	extended := 0
	for _, f := range facts {
		switch o := f.Object.(type) {
		case nil:
			continue
		case *model.Opaque:
			out.LeftOut[f.Ref.Kind]++
			continue
		case *model.Pod:
			pod := *o
			if pod.Opaque != nil {
				spec := *pod.Spec
				if spec.Extra != "" || len(spec.Devices) > 0 {
					out.Plain++
				} else {
					extended++
				}
				pod.Opaque, spec.Extra, spec.Devices = nil, "", nil
				pod.Spec = &spec
			}
			f.Object = &pod
		}
		list = append(list, f)
	}
	if out.LeftOut[translate.KindDeviceClass] > 0 { // which may stand for what they ask for
		out.Plain += extended
	}
	return list
}

func treeOf(v any) (tree map[string]any, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	return tree, d.Decode(&tree)
}

func decoded[T any](_ T, tree any) (out T, err error) {
	text, err := json.Marshal(tree)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(text, &out)
}

func factOf(tree any) (model.Fact, error) {
	saved, err := decoded(savedFact{}, tree)
	if err != nil {
		return model.Fact{}, err
	}
	f, _, err := saved.fact()
	return f, err
}

// The fields of which the content is no name that users gave.
var notNames = map[string]bool{"Kind": true, "Op": true, "Effect": true, "Policy": true, "Protocol": true, "IP": true,
	"Scheduler": true, "Extra": true, "Node": true, "Nominated": true, "HighestName": true, "Groups": true,
	"Label": true, "Resource": true}

// What a pod's spec asks of nodes.
var ofNodes = map[string]bool{"Requests": true, "Selector": true, "Affinity": true, "Preferred": true,
	"Tolerations": true, "Ports": true, "NUMA": true, "Features": true}

// The fields with texts, which may quote names.
var prose = map[string]bool{"Message": true, "Answer": true, "Field": true}

// walk redacts the object of a field; it changes it.
func (x *redactor) walk(object map[string]any, in string) {
	_, counted := object["Value"].(json.Number)
	kept := counted && len(object) == 2 || in == "Rounds" // a resource, a plugin
	_, topology := object["Pods"]                         // the key is one of nodes
	for _, field := range slices.Sorted(maps.Keys(object)) {
		if notNames[field] || in == "Spec" && ofNodes[field] {
			continue
		}
		switch v := object[field].(type) {
		case string:
			switch {
			case kept && field == "Name", topology && field == "Key":
			case prose[field]:
				object[field] = "redacted"
			case field == "Key":
				object[field] = x.key(v)
			default:
				object[field] = x.text(v)
			}
		case map[string]any:
			x.walk(v, field)
		case []any:
			x.list(v, field)
		}
	}
}

// fact redacts a fact. Of what operators make only images are redacted.
func (x *redactor) fact(tree map[string]any, kind model.Kind) {
	switch kind {
	case model.KindNode:
		if o, ok := tree["Object"].(map[string]any); ok {
			images, _ := o["Images"].([]any)
			x.list(images, "Images")
		}
	case model.KindHyperNode, model.KindNUMA:
	default:
		x.walk(tree, "")
	}
}

func (x *redactor) list(list []any, field string) {
	labels := len(list) > 0
	for i, v := range list {
		switch v := v.(type) {
		case string:
			if field == "Keys" {
				list[i] = x.key(v)
			} else {
				list[i] = x.text(v)
			}
			labels = false
		case map[string]any:
			x.walk(v, field)
			_, key := v["Key"].(string)
			_, value := v["Value"].(string)
			labels = labels && key && value && len(v) == 2
		}
	}
	if labels && x.replacing { // they are sorted by key
		slices.SortStableFunc(list, func(a, b any) int {
			return strings.Compare(a.(map[string]any)["Key"].(string), b.(map[string]any)["Key"].(string))
		})
	}
}

// text is a name, or several: namespace/name, kind/UID.
func (x *redactor) text(s string) string {
	first, rest, two := strings.Cut(s, "/")
	if !two {
		return x.one(s)
	}
	if kind, _, dotted := strings.Cut(first, "."); dotted || kind != strings.ToLower(kind) {
		return first + "/" + x.text(rest) // Job.batch/UID
	}
	return x.one(first) + "/" + x.text(rest)
}

// What a name means to the scheduler is kept, and what is no name.
var meaningful = map[string]bool{"": true, "true": true, "false": true, model.RootQueue: true, model.DefaultQueue: true,
	"kube-system": true, "system-node-critical": true, "system-cluster-critical": true, "*": true}

func (x *redactor) one(s string) string {
	if _, err := strconv.ParseInt(s, 10, 64); meaningful[s] || err == nil {
		x.keep(x.names, s)
		return s
	}
	return x.replace(x.names, s)
}

// known are the domains of keys that schedulers read.
var known = []string{"kubernetes.io", "k8s.io", "volcano.sh", "ashlar.sh", "nvidia.com"}

func (x *redactor) key(s string) string {
	domain, _, _ := strings.Cut(s, "/")
	for _, k := range known {
		if domain == k || strings.HasSuffix(domain, "."+k) {
			x.keep(x.keys, s)
			return s
		}
	}
	return x.replace(x.keys, s)
}

func (x *redactor) keep(in map[string]string, s string) {
	if !x.replacing {
		in[s] = s
	}
}

func (x *redactor) replace(in map[string]string, s string) string {
	if s == "" {
		return s
	}
	if !x.replacing {
		in[s] = ""
		return s
	}
	return in[s]
}

// name gives pseudonyms, in the order of the names: each begins with the last name before it that is kept.
func (x *redactor) name() {
	for prefix, in := range map[string]map[string]string{"-": x.names, "-key": x.keys} {
		before, n := "", 0
		for _, s := range slices.Sorted(maps.Keys(in)) {
			if in[s] != "" || s == "" {
				before = s
				continue
			}
			n++
			in[s] = fmt.Sprintf("%s%s%07d", before, prefix, n)
		}
		delete(in, "")
	}
	x.replacing = true
}
