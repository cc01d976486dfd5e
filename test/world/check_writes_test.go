package world

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"ashlar.sh/test/world/apimodel"
)

// mine are the annotations that schedulers may change.
var mine = []string{"ashlar.sh/"}

// keeps checks that a scheduler changes nothing of what is others': of a spec only where a pod runs, and of annotations
// and labels only its own.
func (c *checker) keeps(write apimodel.Write) {
	if !isScheduler(write.Client) || write.Before == nil || write.After == nil {
		return
	}
	before, after := maps.Clone(asMap(write.Before.Object["spec"])), maps.Clone(asMap(write.After.Object["spec"]))
	for _, m := range []map[string]any{before, after} {
		delete(m, "nodeName")
		delete(m, "schedulingGates")
	}
	if !reflect.DeepEqual(before, after) {
		c.w.wrong("%s changed the spec of %s %s", write.Client, write.Kind.Resource, write.Key())
	}
	for _, of := range []string{"annotations", "labels"} {
		was, is := asMap(asMap(write.Before.Object["metadata"])[of]), asMap(asMap(write.After.Object["metadata"])[of])
		for k, v := range was {
			own := slices.ContainsFunc(mine, func(prefix string) bool { return strings.HasPrefix(k, prefix) })
			if !own && is[k] != v {
				c.w.wrong("%s changed the %s of %s %s: %s", write.Client, of, write.Kind.Resource, write.Key(), k)
			}
		}
	}
}

func asMap(o any) map[string]any {
	m, _ := o.(map[string]any)
	return m
}

// counted bounds how often schedulers write to one life of a pod or a PodGroup.
func (c *checker) counted(write apimodel.Write) {
	m := write.After.Meta()
	c.writes[m.GetUID()]++
	n := c.writes[m.GetUID()]
	c.w.result.MostWrites = max(c.w.result.MostWrites, n)
	if c.born[m.GetUID()].IsZero() {
		c.born[m.GetUID()] = time.Now()
	}
	lived := int(time.Since(c.born[m.GetUID()]) / time.Second)
	if n > fewWrites && n > lived {
		c.w.wrong("%s %s was written to %d times in %d seconds", write.Kind.Resource, write.Key(), n, lived)
	}
}
