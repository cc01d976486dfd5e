package explain

import (
	"cmp"
	"fmt"
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// NodeAnswer is what a node has, and what holds it.
type NodeAnswer struct {
	Node
	Room     Quantities `json:"room"` // what a pod could take now
	Cordoned bool       `json:"cordoned"`
	Taints   []string   `json:"taints"`
	Domains  []string   `json:"hyperNodes"` // the smallest first
	Pods     []Holder   `json:"pods"`
	KeptFor  []Holder   `json:"keptFor"` // the pods for which room on it is kept, those that are pipelined there included
}

// Holder is a pod and what it holds of a node.
type Holder struct {
	Namespace string     `json:"namespace"`
	Name      string     `json:"name"`
	Job       string     `json:"job"`
	Queue     string     `json:"queue"`
	Status    string     `json:"status"`
	Scheduler string     `json:"scheduler,omitempty"` // of another scheduler
	Holds     Quantities `json:"holds"`
}

// NodeAnswer is what holds a node, what it could still take, and for which pods room is kept.
func (a *Asking) NodeAnswer(w *sched.NodeWhy) *Answer {
	out := a.answer(Subject{Kind: "node", Name: w.Node.Name})
	n := nodeAnswer(w)
	if a.Hide != nil {
		a.Hide(n.Devices)
	}
	out.Node = n
	out.State = Present
	if n.Cordoned {
		out.State = Cordoned
	}
	out.Summary = n.summary()
	out.Path = n.path()
	if w.Shard {
		out.Notes = append(out.Notes, "it is in another scheduler's shard: it is used where no node of this one takes a pod")
	}
	for i := range w.Pods {
		if late := a.lingers(w.Pods[i].GoneBy); late != "" {
			out.Notes = append(out.Notes, fmt.Sprintf("%s/%s is terminating%s", w.Pods[i].Namespace, w.Pods[i].Name, late))
		}
	}
	out.wrong(w.Problems)
	return out
}

func nodeAnswer(w *sched.NodeWhy) *NodeAnswer {
	r := &w.Node
	n := &NodeAnswer{Node: node(r), Room: amounts(r.Room), Cordoned: r.Cordoned,
		Taints:  append([]string{}, taints(r.Taints)...),
		Domains: append([]string{}, w.Domains...), Pods: []Holder{}, KeptFor: []Holder{}}
	n.Devices = DeviceGroups(r.Devices, true)
	for i := range w.Pods {
		if w.Pods[i].Status == model.Pipelined {
			n.KeptFor = append(n.KeptFor, holder(&w.Pods[i]))
		} else {
			n.Pods = append(n.Pods, holder(&w.Pods[i]))
		}
	}
	for i := range w.Kept {
		n.KeptFor = append(n.KeptFor, holder(&w.Kept[i]))
	}
	return n
}

func holder(h *sched.HeldRoom) Holder {
	return Holder{Namespace: h.Namespace, Name: h.Name, Job: cmp.Or(h.JobShown, h.Job), Queue: h.Queue,
		Status: h.Status.String(), Scheduler: h.Scheduler, Holds: amounts(h.Holds)}
}

func (n *NodeAnswer) summary() string {
	takes := "it could still take " + ofQuantities(n.Room)
	if len(n.Room) == 0 {
		takes = "it can take nothing more"
	}
	if n.Cordoned {
		takes = "it takes no pods: it is cordoned"
	}
	text := fmt.Sprintf("%s; %s of %s", takes, heldBy(len(n.Pods)), ofQuantities(n.Allocatable))
	if len(n.Pods) > 0 {
		text = fmt.Sprintf("%s; %s %s of %s", takes, heldBy(len(n.Pods)), ofQuantities(withoutPods(n.Used)),
			ofQuantities(n.Allocatable))
	}
	if k := len(n.KeptFor); k > 0 {
		text += fmt.Sprintf("; room there is kept for %s", Count(k, "pod"))
	}
	return text
}

func heldBy(pods int) string {
	switch pods {
	case 0:
		return "no pod holds anything"
	case 1:
		return "1 pod holds"
	}
	return fmt.Sprintf("%d pods hold", pods)
}

// ofQuantities is "cpu 4, memory 16Gi, pods 110".
func ofQuantities(q Quantities) string {
	var parts []string
	for _, d := range dims(q) {
		parts = append(parts, d+" "+q[d])
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (n *NodeAnswer) path() []Step {
	takes := Step{Name: "takes pods", Verdict: Passed, Text: "it takes the pods that tolerate its taints"}
	switch {
	case n.Cordoned:
		takes.Verdict, takes.Text = Refused, "it is cordoned: kubectl uncordon "+n.Name
	case len(n.Taints) == 0:
		takes.Text = "it has no taints and is not cordoned"
	}
	takes.Details = append(takes.Details, n.Taints...)
	held := Step{Name: "held", Verdict: Told, Text: heldBy(len(n.Pods))}
	if len(n.Pods) > 0 {
		held.Text += " " + ofQuantities(withoutPods(n.Used))
	}
	held.Details = holders(n.Pods)
	out := []Step{takes, held}
	if len(n.KeptFor) > 0 {
		out = append(out, Step{Name: "kept", Verdict: Told, Text: "room there is kept for " + Count(len(n.KeptFor), "pod"),
			Details: holders(n.KeptFor)})
	}
	if len(n.Devices) > 0 {
		out = append(out, deviceStep(n.Devices))
	}
	if len(n.Domains) > 0 {
		out = append(out, Step{Name: "network", Verdict: Told, Text: "its HyperNodes, the smallest first: " +
			commas(n.Domains)})
	}
	return out
}

// holders lists pods, the first of them.
func holders(list []Holder) (out []string) {
	const most = 20
	for _, h := range list[:min(len(list), most)] {
		whose := ""
		switch {
		case h.Scheduler != "":
			whose = ", of scheduler " + h.Scheduler
		case h.Queue != "":
			whose = ", queue " + h.Queue
		}
		out = append(out, fmt.Sprintf("%s/%s: %s (%s%s)", h.Namespace, h.Name, ofQuantities(withoutPods(h.Holds)),
			strings.ToLower(h.Status), whose))
	}
	if more := len(list) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return out
}

func withoutPods(q Quantities) Quantities {
	out := Quantities{}
	for name, x := range q {
		if name != "pods" {
			out[name] = x
		}
	}
	return out
}

func commas(names []string) string { return strings.Join(names, ", ") }
