package recording

import (
	"reflect"
	"time"
	"unsafe"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// allocated is what so many bytes take of the heap, which has a few sizes only, and whole pages of what is large. What
// is not small has a word more, which says where pointers are in it.
func allocated(bytes int) int64 {
	if bytes > 512 {
		bytes += 8
	}
	step := 16
	for step*16 <= bytes {
		step *= 2
	}
	if bytes > 32<<10 {
		step = 8 << 10
	}
	return int64((bytes + step - 1) &^ (step - 1))
}

// weightOfList is what a list takes that is alone in its memory.
func weightOfList[T any](list []T) int64 {
	var one T
	return allocated(cap(list) * int(unsafe.Sizeof(one)))
}

// weighed are the Specs and lists of labels that a part has counted. Pods of one template share them, and most are gone
// when the template is: each is counted once, by its address.
type weighed map[any]bool

// shared is what a Spec or a list of labels takes that a pod had: nothing where the part has counted it.
func (w weighed) shared(address, of any) int64 {
	if w[address] {
		return 0
	}
	w[address] = true
	return 64 + weightOf(reflect.ValueOf(of)) // with its place in w
}

// weight is what an object that another one replaced, nil where it is gone, takes as long as it is kept. Tenants choose
// how large most of it is.
func (w weighed) weight(was, now model.Object) int64 {
	switch o := was.(type) {
	case nil:
		return 0
	case *model.Pod: // of which there are many
		n, _ := now.(*model.Pod)
		if n == nil {
			n = &model.Pod{}
		}
		bytes := allocated(int(unsafe.Sizeof(*o))) + allocated(len(o.Name)) + allocated(len(o.UID)) +
			allocated(len(o.Nominated)) + weightOf(reflect.ValueOf(o.Faults))
		for _, s := range [...]string{o.Group, o.Owner, o.OwnerID, o.Adopt.Queue, o.Role, o.PriorityClass} {
			if len(s) > translate.LongestWord {
				bytes += allocated(len(s)) // others are shared
			}
		}
		if o.Times != nil {
			bytes += weightOf(reflect.ValueOf(o.Times))
		}
		if o.Opaque != nil {
			bytes += weightOf(reflect.ValueOf(o.Opaque))
		}
		if o.Spec != nil && o.Spec != n.Spec {
			bytes += w.shared(o.Spec, o.Spec)
		}
		if len(o.Labels) > 0 && (len(n.Labels) == 0 || &o.Labels[0] != &n.Labels[0]) {
			bytes += w.shared(&o.Labels[0], o.Labels)
		}
		return bytes
	}
	return weightOf(reflect.ValueOf(was))
}

// weightOf is what a value refers to, all of it: no object refers to itself.
func weightOf(v reflect.Value) (bytes int64) {
	switch v.Kind() {
	case reflect.String:
		return allocated(v.Len())
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*time.Location]() {
			return 0
		}
		return allocated(int(v.Type().Elem().Size())) + weightOf(v.Elem())
	case reflect.Interface:
		if !v.IsNil() {
			return weightOf(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			bytes += weightOf(v.Field(i))
		}
	case reflect.Slice:
		bytes = allocated(v.Cap() * int(v.Type().Elem().Size()))
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return bytes
		}
		for i := range v.Len() {
			bytes += weightOf(v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() {
			return 0
		}
		places := 8
		for places*7/8 < v.Len() && v.Len() > 8 { // a large map leaves so many empty
			places *= 2
		}
		bytes = allocated(64) + allocated(places*(1+int(v.Type().Key().Size()+v.Type().Elem().Size())))
		for all := v.MapRange(); all.Next(); {
			bytes += weightOf(all.Key()) + weightOf(all.Value())
		}
	}
	return bytes
}

func weightOfCommitments(c sched.Commitments) int64 {
	bytes := allocated(int(unsafe.Sizeof(c))) + weightOfList(c.Tasks) + weightOfList(c.Phases) +
		weightOfList(c.WaitingJobs) + weightOfList(c.PastEvictions) + weightOfList(c.Arrivals) +
		weightOfList(c.Losses) +
		int64(len(c.Charges.Jobs)+len(c.Charges.Members)+len(c.Charges.Minimums)+len(c.Charges.Began))*128
	for _, m := range c.Memories {
		bytes += int64(len(m.Text))
	}
	bytes += weightOfList(c.Runs)
	for i := range c.Runs {
		bytes += weightOfList(c.Runs[i].Runs)
	}
	if c.Usage != nil {
		for _, list := range [][]ledger.UsageRecord{c.Usage.Queues, c.Usage.Tenants} {
			bytes += weightOfList(list)
			for i := range list {
				bytes += weightOfList(list[i].Amounts)
			}
		}
	}
	return bytes
}
