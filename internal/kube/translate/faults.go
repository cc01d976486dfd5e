package translate

import (
	"fmt"
	"strings"

	"ashlar.sh/sched/model"
)

// faults collects what is wrong with one object, in the order of its fields.
type faults []model.Fault

// fatal sets the object aside.
func (f *faults) fatal(field, format string, args ...any) {
	*f = append(*f, model.Fault{Field: field, Message: fmt.Sprintf(format, args...), Fatal: true})
}

// taken says what was taken instead of a field's value.
func (f *faults) taken(field, format string, args ...any) {
	*f = append(*f, model.Fault{Field: field, Message: fmt.Sprintf(format, args...)})
}

// at extends a field's path by the key of a map: .cpu, but [nvidia.com/gpu].
func at(path, key string) string {
	if key == "" || strings.ContainsAny(key, "./[] ") {
		return path + "[" + short(key) + "]"
	}
	return path + "." + short(key)
}

// annotation is the path of an annotation.
func annotation(key string) string { return at("metadata.annotations", key) }

// short cuts a text that is too long to read.
func short(text string) string {
	const most = 64
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
