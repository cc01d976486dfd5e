package apimodel

import (
	"bytes"
	"encoding/binary"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// Protobuf is an object as Kubernetes writes it in protobuf.
type Protobuf []byte

var protobufs = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// Protobuf is the object as it is sent in protobuf, of a kind that has a Go type.
func (o *Stored) Protobuf(k *Kind) Protobuf {
	if o.binary == nil {
		o.binary = k.protobuf(o.Object)
	}
	return o.binary
}

// Encoded is the object in protobuf or, if its kind has no Go type, in JSON.
func (o *Stored) Encoded(k *Kind) []byte {
	if k.Custom {
		return o.JSON()
	}
	return o.Protobuf(k)
}

// protobuf writes an object that was read as the kind's Go type before.
func (k *Kind) protobuf(object map[string]any) Protobuf {
	into, err := scheme.Scheme.New(k.GroupVersion().WithKind(k.Kind))
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(object, into)
	}
	if err != nil {
		panic(err) // what is stored was read as that type
	}
	return protobufOf(into)
}

func protobufOf(o runtime.Object) Protobuf {
	out := &bytes.Buffer{}
	if err := protobufs.Encode(o, out); err != nil {
		panic(err) // all types of client-go's scheme can be written
	}
	return out.Bytes()
}

// frameOf is an event of a watch in protobuf: its length, and what is sent.
func frameOf(what string, object []byte) []byte {
	e := metav1.WatchEvent{Type: what, Object: runtime.RawExtension{Raw: object}}
	size := e.Size()
	out := make([]byte, 4+size)
	binary.BigEndian.PutUint32(out, uint32(size))
	_, _ = e.MarshalTo(out[4:]) // there is room
	return out
}
