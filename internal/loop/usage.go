package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/crash"
	"ashlar.sh/sched/ledger"
)

// usageSaver keeps what is remembered of usage, of the last runs, and of what was estimated first for jobs that wait,
// in ConfigMaps beside the lease, so that the next scheduler remembers the same. Only the scheduler may write there. A
// record of usage stays the same as long as what its holder holds does, so that an idle cluster writes nothing. Records
// are divided among at most mostUsageObjects ConfigMaps by their names, and only those that changed are written, at
// most once a minute.
type usageSaver struct {
	l *loop

	at      time.Time           // of the last look at what changed
	shown   []keptUsage         // what the ConfigMaps have, as far as is known
	off     bool                // they are not ours to write, or may not be
	written <-chan usageWritten // says what became of the write that is under way; nil: none is
}

// keptUsage is what a ConfigMap has, and its version: a write that arrives late, after a later scheduler wrote, fails.
type keptUsage struct {
	text, version string
	there         bool
}

// usageWritten is what became of a write.
type usageWritten struct {
	shown []keptUsage
	off   bool // a newer version of the scheduler writes there
}

// The form of what is kept, and its bounds. An object of a thousand records has 200 KiB as a rule. The API server takes
// no ConfigMap above 1 MiB, which a tenant's longest names would make it.
const (
	usageForm        = 1
	usageKey         = "usage.json"
	usagePause       = time.Minute
	usageAtEnd       = 2 * time.Second // another scheduler may wait for the lease
	mostUsageObjects = 16
	recordsPerObject = 1000
	bytesPerObject   = 1 << 19
)

// savedUsage is what one ConfigMap has.
type savedUsage struct {
	Form    int `json:"form"`
	Objects int `json:"objects"` // how many there are
	ledger.UsageState
	Runs   []ledger.RunRecord `json:",omitempty"`
	Firsts []firstRecord      `json:",omitempty"`
}

func (k *usageSaver) name(i int) string { return fmt.Sprintf("%s-usage-%d", k.l.o.Election.Name, i) }

// read takes over what an earlier scheduler kept. What cannot be read is told and left out; of a form that this version
// does not know nothing is read, and nothing is written over it.
func (k *usageSaver) read(ctx context.Context) error {
	k.shown, k.off = nil, k.l.o.Election == nil
	if k.off {
		return nil
	}
	var all savedUsage
	for i, objects := 0, 1; i < objects; i++ {
		m, err := k.l.rivals.kube.CoreV1().ConfigMaps(k.l.o.Election.Namespace).Get(ctx, k.name(i), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			k.shown = append(k.shown, keptUsage{})
			continue
		case apierrors.IsForbidden(err):
			k.off = true
			klog.InfoS("What is remembered of usage, runs and estimates is not kept: the role lacks the right to ConfigMaps",
				"reason", err.Error())
			return nil
		case err != nil:
			return fmt.Errorf("read what is remembered of usage, runs and estimates: %w", err)
		}
		part, err := readUsage(m.Data[usageKey])
		if errors.Is(err, errNewerUsage) {
			k.off = true
			klog.ErrorS(err, "What another scheduler kept of usage, runs and estimates is left alone: nothing of it is "+
				"remembered, and it is not written", "configMap", m.Name)
			return nil
		}
		if err != nil {
			klog.ErrorS(err, "What an earlier scheduler kept of usage, runs and estimates cannot be read, and begins anew",
				"configMap", m.Name)
		}
		k.shown = append(k.shown, keptUsage{m.Data[usageKey], m.ResourceVersion, true})
		objects = max(objects, min(part.Objects, mostUsageObjects))
		if i == 0 {
			all.Label = part.Label
		}
		if part.Label == all.Label {
			all.Tenants = append(all.Tenants, part.Tenants...)
		}
		all.Queues = append(all.Queues, part.Queues...)
		all.Runs, all.Firsts = append(all.Runs, part.Runs...), append(all.Firsts, part.Firsts...)
	}
	if l := k.l.engine.Ledger(); l.Usage.On() {
		l.Usage.Restore(all.UsageState)
	}
	k.l.engine.Ledger().Tasks.Runs.Restore(all.Runs)
	k.l.background.estimates.restore(all.Firsts)
	return nil
}

var errNewerUsage = errors.New("it is of a newer version of the scheduler")

// readUsage reads what a ConfigMap has, without records that no scheduler writes.
func readUsage(text string) (u savedUsage, err error) {
	var form struct {
		Form int `json:"form"`
	}
	if err := json.Unmarshal([]byte(text), &form); err != nil {
		return u, fmt.Errorf("it was edited: %w", err)
	}
	if form.Form > usageForm {
		return u, errNewerUsage
	}
	if err := json.Unmarshal([]byte(text), &u); err != nil {
		return savedUsage{}, fmt.Errorf("it was edited: %w", err)
	}
	left := soundRecords(&u.Queues, sound) + soundRecords(&u.Tenants, sound) + soundRecords(&u.Runs, soundRuns) +
		soundRecords(&u.Firsts, (*firstRecord).sound)
	if left > 0 {
		err = fmt.Errorf("it was edited: %d records are none that a scheduler writes, and are left out", left)
	}
	return u, err
}

// soundRecords drops the records of a list that no scheduler writes, and says how many.
func soundRecords[T any](list *[]T, sound func(*T) bool) (left int) {
	kept := (*list)[:0]
	for _, r := range *list {
		if sound(&r) && len(kept) < 1<<15 {
			kept = append(kept, r)
		} else {
			left++
		}
	}
	*list = kept
	return left
}

func sound(r *ledger.UsageRecord) bool {
	ok := r.Queue != "" && len(r.Amounts) <= 64
	for _, a := range r.Amounts {
		ok = ok && a.Resource != "" && len(a.Resource) <= 317 && a.Held >= 0 && a.Used < 1<<62
	}
	return ok
}

// tend has what changed written, if it is time.
func (k *usageSaver) tend(ctx context.Context, now time.Time) {
	if k.written != nil {
		select {
		case is := <-k.written:
			k.over(is)
		default:
			return // the last write is under way
		}
	}
	if now.Sub(k.at) >= usagePause {
		k.at = now
		k.begin(ctx)
	}
}

// over takes what became of a write.
func (k *usageSaver) over(is usageWritten) {
	k.shown, k.off, k.written = is.shown, k.off || is.off, nil
}

// flush writes what changed since the last write, when the scheduler ends.
func (k *usageSaver) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, usageAtEnd)
	defer cancel()
	if k.wait(ctx) && k.l.acting {
		k.begin(ctx)
		k.wait(ctx)
	}
}

// wait waits for the write that is under way, and says that it is over.
func (k *usageSaver) wait(ctx context.Context) bool {
	if k.written == nil {
		return true
	}
	select {
	case is := <-k.written:
		k.over(is)
		return true
	case <-ctx.Done():
		return false
	}
}

// begin has what changed written by another goroutine. What cannot be written still differs the next time.
func (k *usageSaver) begin(ctx context.Context) {
	if k.off {
		return
	}
	texts := k.texts(k.all())
	shown := make([]keptUsage, len(texts))
	copy(shown, k.shown)
	if slices.EqualFunc(texts, shown, func(text string, kept keptUsage) bool { return text == kept.text }) {
		return
	}
	written, was := make(chan usageWritten, 1), max(1, len(k.shown))
	k.written = written
	crash.Handler(k.l.panicked).Go("writing what is remembered of usage, runs and estimates", func() {
		is := usageWritten{shown: shown}
		defer func() { written <- is }()
		grown, newer := k.write(ctx, texts, shown, was)
		if is.off = newer; !grown {
			is.shown = shown[:was]
		}
	})
}

// texts divides what is remembered among ConfigMaps. Their number never falls: a record that is in two of them because
// a write was cut short would not be missed.
func (k *usageSaver) texts(s savedUsage) []string {
	n := max(1, len(k.shown))
	records := len(s.Queues) + len(s.Tenants) + len(s.Runs) + len(s.Firsts)
	if records == 0 && !slices.ContainsFunc(k.shown, func(kept keptUsage) bool { return kept.text != "" }) {
		return make([]string, len(k.shown)) // there was nothing, and there is nothing
	}
	for n < mostUsageObjects && records/n > recordsPerObject {
		n *= 2
	}
	for n = min(n, mostUsageObjects); ; n = min(2*n, mostUsageObjects) {
		texts := s.divide(n)
		long := func(text string) bool { return len(text) > bytesPerObject }
		if n == mostUsageObjects || !slices.ContainsFunc(texts, long) {
			return texts
		}
	}
}

// divide divides what is remembered among n ConfigMaps, each record by its name.
func (s *savedUsage) divide(n int) []string {
	parts := make([]savedUsage, n)
	of := func(names ...string) *savedUsage {
		h := fnv.New32a()
		h.Write([]byte(strings.Join(names, "/")))
		return &parts[int(h.Sum32()%uint32(n))]
	}
	for _, r := range s.Queues {
		p := of(r.Queue, r.Tenant)
		p.Queues = append(p.Queues, r)
	}
	for _, r := range s.Tenants {
		p := of(r.Queue, r.Tenant)
		p.Tenants = append(p.Tenants, r)
	}
	for _, r := range s.Runs {
		p := of(r.Namespace, r.User, strconv.FormatUint(r.Template, 10))
		p.Runs = append(p.Runs, r)
	}
	for _, r := range s.Firsts {
		p := of(r.Namespace, r.Name)
		p.Firsts = append(p.Firsts, r)
	}
	out := make([]string, n)
	for i := range parts {
		parts[i].Form, parts[i].Objects, parts[i].Label = usageForm, n, s.Label
		text, err := json.Marshal(&parts[i])
		if err != nil {
			panic(err) // numbers and texts
		}
		out[i] = string(text)
	}
	return out
}

// write writes the ConfigMaps that differ from what is shown, and notes there what they have then. The first of them,
// which says how many there are, is the last. One that is refused holds up no other; but while one beyond those that
// were there cannot be made, the one that had its records so far keeps them, and is not written. It returns whether all
// that were not there are made, and whether one is of a newer version: then none is written any more.
func (k *usageSaver) write(ctx context.Context, texts []string, shown []keptUsage, was int) (grown, newer bool) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	keeps := make([]bool, was)
	for i := len(texts) - 1; i >= 0; i-- {
		if texts[i] == shown[i].text || i < was && keeps[i] {
			continue
		}
		if !k.l.lead.leading() || ctx.Err() != nil {
			return i < was && !slices.Contains(keeps, true), false
		}
		switch err := k.store(ctx, k.name(i), texts[i], &shown[i]); {
		case errors.Is(err, errNewerUsage):
			klog.ErrorS(err, "What is remembered of usage, runs and estimates is not written any more", "configMap", k.name(i))
			return false, true
		case err != nil:
			klog.ErrorS(err, "What is remembered of usage, runs and estimates could not be written; it is tried again in a "+
				"minute", "configMap", k.name(i))
			if i >= was {
				keeps[i%was] = true
			}
		}
	}
	return !slices.Contains(keeps, true), false
}

// store writes a ConfigMap over what it is known to have, and notes what it has then. If it has something else, which a
// request of its own without an answer may have written, it is read and written once more.
func (k *usageSaver) store(ctx context.Context, name, text string, kept *keptUsage) error {
	maps := k.l.rivals.kube.CoreV1().ConfigMaps(k.l.o.Election.Namespace)
	for again := true; ; again = false {
		m := &corev1.ConfigMap{Data: map[string]string{usageKey: text}, ObjectMeta: metav1.ObjectMeta{Name: name,
			Namespace: k.l.o.Election.Namespace, ResourceVersion: kept.version}}
		is, err := m, error(nil)
		if kept.there {
			is, err = maps.Update(ctx, m, metav1.UpdateOptions{})
		}
		if !kept.there || apierrors.IsNotFound(err) {
			m.ResourceVersion = ""
			is, err = maps.Create(ctx, m, metav1.CreateOptions{})
		}
		if err == nil {
			*kept = keptUsage{text, is.ResourceVersion, true}
			return nil
		}
		if !again || !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			return err
		}
		refusal := err
		switch is, err = maps.Get(ctx, name, metav1.GetOptions{}); {
		case apierrors.IsNotFound(err):
			is = &corev1.ConfigMap{}
		case err != nil:
			return err
		}
		if !k.l.lead.leading() { // another scheduler may have written what was read
			return refusal
		}
		if _, err := readUsage(is.Data[usageKey]); errors.Is(err, errNewerUsage) {
			return err
		}
		if *kept = (keptUsage{is.Data[usageKey], is.ResourceVersion, is.ResourceVersion != ""}); kept.text == text {
			return nil
		}
	}
}
