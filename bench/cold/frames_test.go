package cold

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// What stands for an object's number, that of its node and that of its job in a template.
const (
	number = "XXXXXXX"
	place  = "YYYYYYY"
	job    = "ZZZZZZZ"
)

// template is an encoded object with the places of its numbers.
type template struct {
	object                []byte
	numbers, places, jobs []int
}

func newTemplate(object []byte) *template {
	return &template{object, all(object, number), all(object, place), all(object, job)}
}

// fill returns the object with its numbers, until the next call.
func (t *template) fill(number, place, job int) []byte {
	fill(t.object, t.numbers, number)
	fill(t.object, t.places, place)
	fill(t.object, t.jobs, job)
	return t.object
}

// all are the places of a mark.
func all(in []byte, mark string) (at []int) {
	for from := 0; ; {
		i := bytes.Index(in[from:], []byte(mark))
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(mark)
	}
}

func fill(object []byte, at []int, n int) {
	for _, i := range at {
		for x, d := n, len(number)-1; d >= 0; d, x = d-1, x/10 {
			object[i+d] = byte('0' + x%10)
		}
	}
}

// objects are count objects that differ in their numbers, from first on.
type objects struct {
	of                           *template
	first, count, nodes, members int
}

// write writes them; false: the client has gone.
func (o objects) write(w http.ResponseWriter) bool {
	for i := o.first; i < o.first+o.count; i++ {
		if _, err := w.Write(o.of.fill(i, i%o.nodes, i/o.members)); err != nil {
			return false
		}
	}
	return true
}

// encoded is an object as the API server sends it alone.
func encoded(b *testing.B, o runtime.Object) []byte {
	var raw bytes.Buffer
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(o, &raw); err != nil {
		b.Fatal(err)
	}
	return raw.Bytes()
}

// framed is an event as a watch in protobuf has it.
func framed(b *testing.B, kind watch.EventType, o runtime.Object) []byte {
	event := metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: encoded(b, o)}}
	body, err := event.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// item is an object as an item of a list in protobuf, of which items are field 2.
func item(b *testing.B, o interface{ Marshal() ([]byte, error) }) []byte {
	body, err := o.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	return append(binary.AppendUvarint([]byte{0x12}, uint64(len(body))), body...)
}

// pageHead is what a list in protobuf is around its items: what comes before their bytes.
func pageHead(version, kind, next string, items int) []byte {
	list := metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: lastVersion, Continue: next}}
	head, err := list.Marshal() // as of any list without items
	if err != nil {
		return nil // it does not fail
	}
	typed, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: version, Kind: kind}}).Marshal()
	if err != nil {
		return nil
	}
	length := len(typed) - 4 // what follows the kind is an encoding and a content type, both empty
	out := append([]byte{'k', '8', 's', 0}, typed[:length]...)
	out = append(out, 0x12) // field 2, the bytes of the list
	out = binary.AppendUvarint(out, uint64(len(head)+items))
	return append(out, head...)
}

// line is an event as a watch in JSON has it.
func line(object string) []byte {
	return fmt.Appendf(nil, `{"type":"ADDED","object":%s}`+"\n", object)
}

// lastVersion is that of the whole store.
const lastVersion = "90000000"

func emptyList(version, kind string) []byte {
	return fmt.Appendf(nil, `{"type":"BOOKMARK","object":{"apiVersion":%q,"kind":%q,`+
		`"metadata":{"resourceVersion":%q,"annotations":{%q:"true"}}}}`+"\n",
		version, kind, lastVersion, metav1.InitialEventsAnnotationKey)
}

// mark makes of an object the bookmark that ends the first list of a watch.
func mark(b *testing.B, o interface {
	runtime.Object
	metav1.Object
}, kind string) []byte {
	o.SetResourceVersion(lastVersion)
	o.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	o.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	return framed(b, watch.Bookmark, o)
}
