package observe

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
)

// inProtobuf is an object as the API server sends it.
func inProtobuf(t testing.TB, o runtime.Object) []byte {
	scheme := runtime.NewScheme()
	metav1.AddMetaToScheme(scheme) //nolint:errcheck // it adds what is its own
	var out bytes.Buffer
	if err := protobuf.NewSerializer(scheme, scheme).Encode(o, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// manyHeads is a list with all that metadata may have.
func manyHeads() *metav1.PartialObjectMetadataList {
	at, yes, left, grace := metav1.NewTime(time.Unix(1, 0)), true, int64(7), int64(30)
	wrote := &metav1.FieldsV1{}
	wrote.SetRawString(`{"f:metadata":{}}`)
	list := &metav1.PartialObjectMetadataList{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "90", Continue: "next", RemainingItemCount: &left}}
	for _, name := range []string{"a", "b"} {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name,
			GenerateName: "x", Namespace: "ns", UID: types.UID("uid-" + name), ResourceVersion: "8" + name,
			Generation: 300, CreationTimestamp: at, DeletionTimestamp: &at, DeletionGracePeriodSeconds: &grace,
			Labels: map[string]string{"k": "v"}, Annotations: map[string]string{"k": "v"}, Finalizers: []string{"f"},
			OwnerReferences: []metav1.OwnerReference{{Name: "o", UID: "o", Controller: &yes}},
			ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "m", Time: &at, FieldsV1: wrote}}}})
	}
	return list
}

// Of a list in either form the names, lives and versions are read, and where it goes on.
func TestHeadsAreReadInEitherForm(t *testing.T) {
	all := manyHeads()
	inJSON, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	for form, body := range map[string][]byte{"protobuf": inProtobuf(t, all), "JSON": inJSON} {
		list, err := readMetadata(body)
		if err != nil {
			t.Fatal(form, err)
		}
		var got []string
		for _, o := range list.Items {
			got = append(got, o.Namespace+"/"+o.Name+" "+string(o.UID)+" "+o.ResourceVersion)
		}
		if diff := cmp.Diff([]string{"ns/a uid-a 8a", "ns/b uid-b 8b"}, got); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
		if list.ResourceVersion != "90" || list.Continue != "next" {
			t.Errorf("%s: it is of version %q and goes on with %q", form, list.ResourceVersion, list.Continue)
		}
	}
	if list, err := readMetadata(inProtobuf(t, &metav1.PartialObjectMetadataList{TypeMeta: all.TypeMeta})); err != nil ||
		len(list.Items) > 0 {
		t.Errorf("of an empty list it reads %d, %v", len(list.Items), err)
	}
}

// An answer that is cut short or is another kind is an error, not a list with fewer objects: those would be gone.
func TestHeadsThatAreCutShortAreNone(t *testing.T) {
	whole := inProtobuf(t, manyHeads())
	for n := range whole[:len(whole)-4] { // the last four bytes are two empty fields
		if list, err := readMetadata(whole[:n]); err == nil && len(list.Items) < 2 {
			t.Errorf("of %d bytes of %d it reads %d objects without an error", n, len(whole), len(list.Items))
		}
	}
	other := &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
	if _, err := readMetadata(inProtobuf(t, other)); err == nil {
		t.Error("another kind is taken for a list of metadata")
	}
}

func FuzzReadHeads(f *testing.F) {
	f.Add(inProtobuf(f, manyHeads()))
	f.Add([]byte("k8s\x00\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(_ *testing.T, body []byte) { _, _ = readMetadata(body) }) // it ends without a panic
}
