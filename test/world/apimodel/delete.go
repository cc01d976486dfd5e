package apimodel

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
)

// delete answers DELETE of one object.
func (c *call) delete() (Response, error) {
	options, err := c.deleteOptions()
	if err != nil {
		return Response{}, err
	}
	before, err := c.existing()
	if err != nil {
		return Response{}, err
	}
	if err := c.meets(before, options.Preconditions); err != nil {
		return Response{}, err
	}
	after, gone, err := c.remove(before, options)
	if err != nil {
		return Response{}, err
	}
	if !gone || c.kind.Returned {
		return Response{Code: http.StatusOK, Body: c.shown(after)}, nil
	}
	return Response{Code: http.StatusOK, Body: metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{Name: c.name, Group: c.kind.Group, Kind: c.kind.Resource,
			UID: after.Meta().GetUID()}}}, nil
}

func (c *call) deleteOptions() (metav1.DeleteOptions, error) {
	var options metav1.DeleteOptions
	var err error
	switch {
	case len(c.Body) == 0: // only then what the address says counts
		err = metav1.Convert_url_Values_To_v1_DeleteOptions(&c.Query, &options, nil)
	case bytes.HasPrefix(c.Body, protobufMark):
		_, _, err = scheme.Codecs.UniversalDeserializer().Decode(c.Body, &schema.GroupVersionKind{Version: "v1",
			Kind: "DeleteOptions"}, &options)
	default:
		err = utiljson.Unmarshal(c.Body, &options)
	}
	if err != nil {
		return options, apierrors.NewBadRequest(err.Error())
	}
	c.dry = len(options.DryRun) > 0
	if options.GracePeriodSeconds != nil && *options.GracePeriodSeconds < 0 {
		*options.GracePeriodSeconds = 1
	}
	return options, nil
}

// meets checks the preconditions of a deletion.
func (c *call) meets(o *Stored, p *metav1.Preconditions) error {
	if p == nil {
		return nil
	}
	if uid := o.Meta().GetUID(); p.UID != nil && *p.UID != uid {
		return c.conflict(fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s)", *p.UID, uid))
	}
	if v := o.Meta().GetResourceVersion(); p.ResourceVersion != nil && *p.ResourceVersion != v {
		return c.conflict(fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the one in record (%s)",
			*p.ResourceVersion, v))
	}
	return nil
}

// remove deletes an object, or marks it for deletion while it has finalizers or time to end. It returns its last state,
// and whether it is gone.
func (c *call) remove(before *Stored, options metav1.DeleteOptions) (last *Stored, gone bool, err error) {
	o := &unstructured.Unstructured{Object: copied(before.Object)}
	now := c.s.now().Truncate(time.Second)
	grace := c.gracePeriod(o, options)
	deleted := o.GetDeletionTimestamp()
	if deleted != nil && graceOf(o) > 0 && (options.GracePeriodSeconds == nil ||
		*options.GracePeriodSeconds >= graceOf(o)) {
		return before, false, nil // it leaves already, no later than asked
	}
	finalizers := finalizersFor(c, o, options)
	switch {
	case finalizers != nil && len(*finalizers) > 0:
		o.SetFinalizers(*finalizers)
	case finalizers != nil:
		o.SetFinalizers(nil) // the field goes
	}
	stays := true
	switch {
	case deleted == nil && grace > 0:
		mark(o, now.Add(time.Duration(grace)*time.Second), grace)
	case deleted != nil && graceOf(o) > 0 && *options.GracePeriodSeconds != 0:
		grace = *options.GracePeriodSeconds
		ends := deleted.Add(time.Duration(grace-graceOf(o)) * time.Second)
		if ends.Before(now) {
			ends, grace = now, 1
		}
		shorten(o, ends, grace)
	case len(o.GetFinalizers()) > 0 && deleted == nil:
		mark(o, now, 0)
	case len(o.GetFinalizers()) > 0 && graceOf(o) > 0:
		shorten(o, now, 0)
	case len(o.GetFinalizers()) > 0 && finalizers == nil && !before.incomplete:
		return before, false, nil
	case len(o.GetFinalizers()) == 0:
		stays = false
	}
	if stays {
		last, err = c.s.write(c, before, o.Object)
		return last, false, err
	}
	switch {
	case c.kind.Resource == "pods" && (deleted == nil || graceOf(o) > 0): // it is marked even if it has no time to end
		if deleted == nil {
			mark(o, now, 0)
		} else {
			shorten(o, now, 0)
		}
		if before, err = c.s.write(c, before, o.Object); err != nil {
			return nil, false, err
		}
	case finalizers != nil && options.Preconditions != nil && options.Preconditions.ResourceVersion != nil:
		// The last finalizers went, and the real server compares the version with that of an object it has not written.
		return nil, false, c.conflict(errVersion)
	}
	if c.dry {
		return before, true, nil
	}
	last, err = c.s.write(c, before, nil)
	return last, true, err
}

// deleteAll answers DELETE of a kind: all that a list would show is deleted, and shown as it was.
func (c *call) deleteAll() (Response, error) {
	options, err := c.deleteOptions()
	if err != nil {
		return Response{}, err
	}
	listed, items, err := c.listed()
	if err != nil {
		return Response{}, err
	}
	for _, o := range items {
		each := *c
		each.namespace, each.name = o.Meta().GetNamespace(), o.Meta().GetName()
		if err := each.meets(o, options.Preconditions); err != nil {
			return Response{}, err
		}
		if _, _, err := each.remove(o, options); err != nil {
			return Response{}, err
		}
	}
	return listed, nil
}

// finalizersFor are the finalizers that an object gets for what is to become of those that it owns; nil: those that it
// has.
func finalizersFor(c *call, o *unstructured.Unstructured, options metav1.DeleteOptions) *[]string {
	if c.kind.Unowning {
		return nil
	}
	was := o.GetFinalizers()
	orphan, foreground := slices.Contains(was, metav1.FinalizerOrphanDependents), slices.Contains(was,
		metav1.FinalizerDeleteDependents)
	switch policy := options.PropagationPolicy; {
	case policy != nil:
		orphan, foreground = *policy == metav1.DeletePropagationOrphan, *policy == metav1.DeletePropagationForeground
	case !orphan && !foreground:
		orphan = c.kind.Orphans
	case foreground && orphan:
		foreground = false
	}
	is := slices.DeleteFunc(slices.Clone(was), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	if orphan {
		is = append(is, metav1.FinalizerOrphanDependents)
	}
	if foreground {
		is = append(is, metav1.FinalizerDeleteDependents)
	}
	if len(is) == len(was) && !slices.ContainsFunc(is, func(f string) bool { return !slices.Contains(was, f) }) {
		return nil
	}
	return &is
}

func mark(o *unstructured.Unstructured, at time.Time, grace int64) {
	if o.GetGeneration() > 0 {
		o.SetGeneration(o.GetGeneration() + 1)
	}
	shorten(o, at, grace)
}

func shorten(o *unstructured.Unstructured, at time.Time, grace int64) {
	when := metav1.NewTime(at)
	o.SetDeletionTimestamp(&when)
	o.SetDeletionGracePeriodSeconds(&grace)
}

// gracePeriod is how long a pod gets to end, in seconds; other objects get no time.
func (c *call) gracePeriod(o *unstructured.Unstructured, options metav1.DeleteOptions) int64 {
	if c.kind.Resource != "pods" {
		return 0
	}
	grace, _, _ := unstructured.NestedInt64(o.Object, "spec", "terminationGracePeriodSeconds")
	if options.GracePeriodSeconds != nil {
		grace = *options.GracePeriodSeconds
	}
	node, _, _ := unstructured.NestedString(o.Object, "spec", "nodeName")
	phase, _, _ := unstructured.NestedString(o.Object, "status", "phase")
	if node == "" || phase == "Succeeded" || phase == "Failed" {
		return 0
	}
	return grace
}
