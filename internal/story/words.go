package story

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// words are what follows a verb, taken one by one.
type words struct{ all []string }

// next takes a word; false at the end.
func (w *words) next() (string, bool) {
	if len(w.all) == 0 {
		return "", false
	}
	s := w.all[0]
	w.all = w.all[1:]
	return s, true
}

// name takes a word that is no option.
func (w *words) name(what string) (string, error) {
	s, ok := w.next()
	if !ok || strings.Contains(s, "=") {
		return "", fmt.Errorf("%s is missing", what)
	}
	return s, nil
}

// names takes all words up to the first option.
func (w *words) names(what string) ([]string, error) {
	var out []string
	for len(w.all) > 0 && !strings.Contains(w.all[0], "=") {
		out = append(out, w.all[0])
		w.all = w.all[1:]
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s is missing", what)
	}
	return out, nil
}

// key takes a word namespace/name.
func (w *words) key() (ledger.Key, error) {
	s, err := w.name("namespace/name")
	if err != nil {
		return ledger.Key{}, err
	}
	namespace, name, ok := strings.Cut(s, "/")
	if !ok || namespace == "" || name == "" {
		return ledger.Key{}, fmt.Errorf("%q is not namespace/name", s)
	}
	return ledger.Key{Namespace: namespace, Name: name}, nil
}

// end says that no word may be left.
func (w *words) end() error {
	if len(w.all) > 0 {
		return unknown(w.all[0])
	}
	return nil
}

// option splits key=value; a word alone is a key without value.
func option(word string) (key, value string) {
	key, value, _ = strings.Cut(word, "=")
	return key, value
}

func number(key, value string) (int32, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is not a whole number", key, value)
	}
	return int32(n), nil
}

func duration(key, value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s: %q is not a duration such as 90s or 10m", key, value)
	}
	return d, nil
}

// pair splits k:v.
func pair(key, value string) (string, string, error) {
	k, v, ok := strings.Cut(value, ":")
	if !ok {
		return "", "", fmt.Errorf("%s: %q is not key:value", key, value)
	}
	return k, v, nil
}

// requirement reads k:v as what a selector asks of a label.
func requirement(key, value string) (model.Requirement, error) {
	k, v, err := pair(key, value)
	return model.Requirement{Key: k, Op: model.In, Values: []string{v}}, err
}

// taint reads key=value:Effect.
func taint(key, value string) (model.Taint, error) {
	label, effect, ok := strings.Cut(value, ":")
	k, v, _ := strings.Cut(label, "=")
	if !ok || k == "" {
		return model.Taint{}, fmt.Errorf("%s: %q is not key=value:Effect", key, value)
	}
	switch e := model.Effect(effect); e {
	case model.NoSchedule, model.PreferNoSchedule, model.NoExecute:
		return model.Taint{Key: k, Value: v, Effect: e}, nil
	default:
		return model.Taint{}, fmt.Errorf("%s: %q is not NoSchedule, PreferNoSchedule or NoExecute", key, effect)
	}
}

// fault is the fatal fault that fault=FIELD gives an object.
func fault(field string) []model.Fault {
	return []model.Fault{{Field: field, Message: "the value makes no sense", Fatal: true}}
}

// unknownWord is a word that a line of its verb does not have.
type unknownWord string

func (w unknownWord) Error() string { return fmt.Sprintf("%q is not understood here", string(w)) }

func unknown(word string) error { return unknownWord(word) }
