package translate

import (
	"slices"
	"strconv"
	"strings"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/model"
)

const (
	pathKey    = schedulingv1beta1.KubeHierarchyAnnotationKey
	weightsKey = schedulingv1beta1.KubeHierarchyWeightAnnotationKey
)

// path reads a queue's place in drf's hierarchy: the annotation root/a/b with the
// weights 1/2/3, of which the first is root's and says nothing. What is no path is left
// out, and weights that do not belong to it, or are below 1, count as 1.
func (f *faults) path(annotations map[string]string) []model.Level {
	text, given := annotations[pathKey]
	if !given {
		return nil
	}
	names := strings.Split(text, "/")
	if names[0] != model.RootQueue || slices.Contains(names, "") {
		f.taken(annotation(pathKey), "%q is not a path such as root/a/b: it is left out", short(text))
		return nil
	}
	weights := strings.Split(annotations[weightsKey], "/")
	if len(weights) != len(names) {
		f.taken(annotation(weightsKey), "%q has not one weight for each of the %d levels of %q: 1 taken for all",
			short(annotations[weightsKey]), len(names), short(text))
		weights = slices.Repeat([]string{"1"}, len(names))
	}
	var out []model.Level
	for i, name := range names[1:] {
		out = append(out, model.Level{Name: name, Weight: f.weight(weights[i+1])})
	}
	return out
}

// weight reads a weight in thousandths; further places are cut off.
func (f *faults) weight(text string) int64 {
	whole, places, _ := strings.Cut(text, ".")
	x, err := strconv.ParseUint(whole, 10, 32)
	if strings.Trim(places, "0123456789") != "" {
		err = strconv.ErrSyntax
	}
	if err != nil || x < 1 {
		f.taken(annotation(weightsKey), "%q is not a number of at least 1: 1 taken", short(text))
		return 1000
	}
	y, _ := strconv.ParseInt((places + "000")[:3], 10, 64)
	return int64(x)*1000 + y
}
