package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// asMetadata asks for a list of metadata. JSON is for servers that do not speak protobuf.
const asMetadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," +
	"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

// metadataOf lists the names, lives and versions of a page of objects; pages share a buffer. Client-go's client for
// metadata would make objects with labels, owners and managed fields: a multiple of the garbage.
func metadataOf(ctx context.Context, from rest.Interface, resource string, page metav1.ListOptions,
	buffer *bytes.Buffer) ([]metav1.Object, metav1.ListMeta, error) {
	body, err := from.Get().Resource(resource).VersionedParams(&page, scheme.ParameterCodec).
		SetHeader("Accept", asMetadata).Stream(ctx)
	if err != nil {
		return nil, metav1.ListMeta{}, err
	}
	defer func() { _ = body.Close() }() // it is read
	buffer.Reset()
	if _, err := buffer.ReadFrom(body); err != nil {
		return nil, metav1.ListMeta{}, err
	}
	list, err := readMetadata(buffer.Bytes())
	return objectsOf(list.Items), list.ListMeta, err
}

const metadataKind = "PartialObjectMetadataList"

// protobufMagic is what an object in protobuf begins with.
var protobufMagic = []byte("k8s\x00")

var errNoList = errors.New("the API server's answer is no list of metadata")

// readMetadata reads a list of metadata.
func readMetadata(body []byte) (list metav1.PartialObjectMetadataList, err error) {
	raw, is := bytes.CutPrefix(body, protobufMagic)
	if !is {
		if err = json.Unmarshal(body, &list); err == nil && list.Kind != metadataKind {
			err = errNoList
		}
		return list, err
	}
	kind, of, err := unknown(raw)
	if err == nil && (kind != metadataKind || of == nil) {
		err = errNoList
	}
	if err != nil {
		return list, err
	}
	return list, eachField(of, func(field protowire.Number, value []byte) error {
		switch field {
		case 1:
			return list.ListMeta.Unmarshal(value)
		case 2:
			list.Items = append(list.Items, metav1.PartialObjectMetadata{})
			return readObjectMeta(value, &list.Items[len(list.Items)-1].ObjectMeta)
		}
		return nil
	})
}

// unknown reads what every object in protobuf is wrapped in (runtime.Unknown, after protobufMagic): its kind, and the
// object. What it returns is in the memory of what it is given.
func unknown(raw []byte) (kind string, object []byte, err error) {
	err = eachField(raw, func(field protowire.Number, value []byte) error {
		switch field {
		case 1: // typeMeta
			return eachField(value, func(field protowire.Number, value []byte) error {
				if field == 2 {
					kind = string(value)
				}
				return nil
			})
		case 2:
			object = value
		}
		return nil
	})
	return kind, object, err
}

// readObjectMeta reads of a PartialObjectMetadata what tells an object from others, and its versions from each other.
func readObjectMeta(body []byte, m *metav1.ObjectMeta) error {
	return eachField(body, func(field protowire.Number, value []byte) error {
		if field != 1 { // metadata
			return nil
		}
		return eachField(value, func(field protowire.Number, value []byte) error {
			switch field {
			case 1:
				m.Name = string(value)
			case 3:
				m.Namespace = string(value)
			case 5:
				m.UID = types.UID(value)
			case 6:
				m.ResourceVersion = string(value)
			}
			return nil
		})
	})
}

// eachField calls a function with each field of a protobuf message that has a length: texts and messages.
func eachField(message []byte, do func(field protowire.Number, value []byte) error) error {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(field, kind, message); n < 0 {
			return protowire.ParseError(n)
		}
		if kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message)
			if err := do(field, value); err != nil {
				return err
			}
		}
		message = message[n:]
	}
	return nil
}
