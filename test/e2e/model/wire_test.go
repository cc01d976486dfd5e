package model

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// inProtobuf has the body sent as typed clients send it, if it has a Go type.
func (r *request) inProtobuf() {
	o := &unstructured.Unstructured{}
	if json.Unmarshal(r.body, &o.Object) != nil {
		return
	}
	typed, err := scheme.Scheme.New(o.GroupVersionKind())
	if err != nil || runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, typed) != nil {
		return
	}
	out := &bytes.Buffer{}
	typed.GetObjectKind().SetGroupVersionKind(o.GroupVersionKind())
	if protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(typed, out) == nil {
		r.body, r.contentType = out.Bytes(), runtime.ContentTypeProtobuf
	}
}
