package interpod

import (
	"cmp"
	"slices"
	"strings"

	"ashlar.sh/sched/model"
)

// serviceIndex holds the Services that select pods, and which sets of labels each selects.
type serviceIndex struct {
	b *Affinities

	byName      map[string]*service         // by namespace and name
	byForm      map[string]*service         // by namespace and form
	byLabel     map[serviceLabel][]*service // by the first label of their selectors
	staleGroups []*labelledPods             // see labelledPods.staleGroup
	left        []*service                  // lists of pods that are to be swept
}

// service is the Services of one namespace that have the same selector.
type service struct {
	namespace string
	form      string
	selector  []model.Label // at least one
	refs      int           // Services with this selector
	count     int           // pods that it selects
	pods      []*labelledPods
}

type serviceLabel struct{ namespace, key, value string }

// mostServices bounds how many different selectors of Services may select a pod. Pods that more of them select are
// spread as if no Service did.
const mostServices = 64

func (s *service) handle() serviceLabel {
	return serviceLabel{s.namespace, s.selector[0].Key, s.selector[0].Value}
}

// selects says that the Service's selector matches pods with these labels.
func (s *service) selects(h *labelledPods) bool {
	if s.namespace != h.namespace {
		return false
	}
	for _, l := range s.selector {
		if value, has := model.LabelValue(h.labels, l.Key); !has || value != l.Value {
			return false
		}
	}
	return true
}

// fact takes in that a Service came, changed or went.
func (x *serviceIndex) fact(f model.Fact) {
	name := f.Ref.Namespace + "\x00" + f.Ref.Name
	var selector []model.Label
	if o, _ := f.Object.(*model.Service); o != nil {
		if _, bad := o.SetAside(); !bad {
			selector = o.Selector
		}
	}
	was := x.byName[name]
	form := formOfLabels(selector)
	if was == nil && len(selector) == 0 || was != nil && was.form == form {
		return
	}
	if was != nil {
		delete(x.byName, name)
		if was.refs--; was.refs == 0 {
			x.drop(was)
		}
	}
	if len(selector) == 0 {
		return
	}
	now := x.byForm[f.Ref.Namespace+"\x00"+form]
	if now == nil {
		now = &service{namespace: f.Ref.Namespace, form: form, selector: selector}
		x.add(now)
	}
	now.refs++
	x.byName[name] = now
}

func formOfLabels(labels []model.Label) string {
	var w model.Form
	w.Labels(labels)
	return w.String()
}

func (x *serviceIndex) add(s *service) {
	if x.byForm == nil {
		x.byName, x.byForm, x.byLabel = map[string]*service{}, map[string]*service{}, map[serviceLabel][]*service{}
	}
	x.byForm[s.namespace+"\x00"+s.form] = s
	x.byLabel[s.handle()] = append(x.byLabel[s.handle()], s)
	if !x.b.live {
		x.b.live, x.b.stale = true, true
	}
	x.markAllStale(s)
}

func (x *serviceIndex) drop(s *service) {
	delete(x.byForm, s.namespace+"\x00"+s.form)
	list := slices.DeleteFunc(x.byLabel[s.handle()], func(o *service) bool { return o == s })
	if x.byLabel[s.handle()] = list; len(list) == 0 {
		delete(x.byLabel, s.handle())
	}
	x.b.controllers.dropped = true
	x.markAllStale(s)
}

// markAllStale marks the pods that a Service selects. It goes by their labels: pods that too many Services select
// are not among those of the Service.
func (x *serviceIndex) markAllStale(s *service) {
	if !x.b.live || x.b.stale {
		return
	}
	for _, h := range x.b.selectors.labelledBy[label{s.selector[0].Key, s.selector[0].Value}] {
		if s.selects(h) {
			x.markStale(h)
		}
	}
}

func (x *serviceIndex) markStale(h *labelledPods) {
	if !h.staleGroup {
		h.staleGroup = true
		x.staleGroups = append(x.staleGroups, h)
	}
}

// enter finds the Services of new labelledPods, and their group if it is there already.
func (x *serviceIndex) enter(h *labelledPods) {
	cc := &x.b.controllers
	if !cc.even {
		return
	}
	x.find(h)
	switch key := cc.keyOf(h); {
	case key == "":
	case cc.byKey[key] != nil:
		cc.join(h, key)
	default:
		x.markStale(h)
	}
}

// find finds the Services that select pods.
func (x *serviceIndex) find(h *labelledPods) {
	var found []*service
	for _, l := range h.labels {
		for _, s := range x.byLabel[serviceLabel{h.namespace, l.Key, l.Value}] {
			if len(found) <= mostServices && s.selects(h) {
				found = append(found, s)
			}
		}
	}
	if len(found) > mostServices {
		found = nil
	}
	slices.SortFunc(found, byForm)
	was := h.services
	if slices.Equal(was, found) {
		return
	}
	pods := len(h.members)
	for _, s := range was {
		if !slices.Contains(found, s) {
			x.countFor(s, -pods)
			x.left = append(x.left, s)
		}
	}
	h.services = found
	for _, s := range found {
		if !slices.Contains(was, s) {
			s.pods = append(s.pods, h)
			x.countFor(s, pods)
		}
	}
}

// sweep takes pods out of the lists of Services of which they are no more. It goes once through each list.
func (x *serviceIndex) sweep() {
	slices.SortFunc(x.left, byForm)
	for _, s := range slices.Compact(x.left) {
		s.pods = slices.DeleteFunc(s.pods, func(h *labelledPods) bool { return !slices.Contains(h.services, s) })
	}
	x.left = x.left[:0]
}

func byForm(a, b *service) int {
	return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.form, b.form))
}

// count counts pods that come or, below zero, go for their Services.
func (x *serviceIndex) count(h *labelledPods, pods int) {
	for _, s := range h.services {
		x.countFor(s, pods)
	}
}

// countFor counts the pods of a Service. With the second its pods are spread.
func (x *serviceIndex) countFor(s *service, pods int) {
	was := s.count
	if s.count += pods; (was < 2) == (s.count < 2) {
		return
	}
	for _, h := range s.pods {
		x.markStale(h)
	}
}

// several says that each of the Services selects two pods at least, and that there is one.
func several(services []*service) bool {
	return len(services) > 0 && !slices.ContainsFunc(services, func(s *service) bool { return s.count < 2 })
}

// joined returns the labels of the Services' selectors, sorted by key. Selectors of one pod's Services do not
// contradict each other.
func joined(services []*service) []model.Label {
	var out []model.Label
	for _, s := range services {
		out = append(out, s.selector...)
	}
	slices.SortFunc(out, func(a, b model.Label) int { return cmp.Compare(a.Key, b.Key) })
	return slices.Compact(out)
}

// clear forgets which pods the Services select.
func (x *serviceIndex) clear() {
	x.staleGroups, x.left = nil, nil
	for _, s := range x.byForm { // order-free: each for itself
		s.pods, s.count = nil, 0
	}
}

// takeAll takes the Services of another index.
func (x *serviceIndex) takeAll(byName map[string]*service) {
	for name, s := range byName { // order-free: a set
		namespace, named, _ := strings.Cut(name, "\x00")
		x.fact(model.Fact{Ref: model.Ref{Kind: model.KindService, Namespace: namespace, Name: named},
			Object: &model.Service{Selector: s.selector}})
	}
}
