package observe

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// podClient is a client for pods that does not decode what stripPod drops: of most pods that is the larger part. It
// shares its connections with another client. A fake is taken as it is.
func podClient(of kubernetes.Interface) coreclient.PodsGetter {
	c, is := of.CoreV1().RESTClient().(*rest.RESTClient)
	if !is || c == nil {
		return of.CoreV1()
	}
	base := c.Get().URL()
	path := base.Path
	base.Path, base.RawQuery = "/", ""
	codecs := podCodecs{rest.CodecFactoryForGeneratedClient(scheme.Scheme, scheme.Codecs).WithoutConversion()}
	pods, err := rest.NewRESTClient(base, path, rest.ClientContentConfig{ContentType: runtime.ContentTypeProtobuf,
		AcceptContentTypes: runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON,
		GroupVersion:       corev1.SchemeGroupVersion,
		Negotiator:         runtime.NewClientNegotiator(codecs, corev1.SchemeGroupVersion)}, c.GetRateLimiter(), c.Client)
	if err != nil {
		return of.CoreV1() // it asks for no more than a group and codecs, which are there
	}
	return coreclient.New(pods)
}

// podCodecs are codecs that decode pods as podDecoder does.
type podCodecs struct{ runtime.NegotiatedSerializer }

// SupportedMediaTypes implements runtime.NegotiatedSerializer.
func (c podCodecs) SupportedMediaTypes() []runtime.SerializerInfo {
	all := append([]runtime.SerializerInfo(nil), c.NegotiatedSerializer.SupportedMediaTypes()...)
	for i := range all {
		if s := all[i].StreamSerializer; s != nil && all[i].MediaType == runtime.ContentTypeProtobuf {
			stream := *s
			stream.Serializer = eventDecoder{s.Serializer}
			all[i].StreamSerializer = &stream
		}
	}
	return all
}

// DecoderToVersion implements runtime.NegotiatedSerializer.
func (c podCodecs) DecoderToVersion(d runtime.Decoder, to runtime.GroupVersioner) runtime.Decoder {
	return podDecoder{c.NegotiatedSerializer.DecoderToVersion(d, to)}
}

// eventDecoder decodes events of a watch without a copy of their objects: each is decoded before the next event is
// read.
type eventDecoder struct{ runtime.Serializer }

// Decode implements runtime.Decoder.
func (d eventDecoder) Decode(data []byte, kind *schema.GroupVersionKind, into runtime.Object) (runtime.Object,
	*schema.GroupVersionKind, error) {
	event, is := into.(*metav1.WatchEvent)
	if !is {
		return d.Serializer.Decode(data, kind, into)
	}
	err := eachField(data, func(field protowire.Number, value []byte) error {
		switch field {
		case 1:
			event.Type = string(value)
		case 2: // runtime.RawExtension, of which field 1 is all
			return eachField(value, func(_ protowire.Number, raw []byte) error {
				event.Object.Raw = raw
				return nil
			})
		}
		return nil
	})
	return into, kind, err
}

// podDecoder decodes pods, and lists of them, without what is cut. It writes to the bytes that it is given.
type podDecoder struct{ runtime.Decoder }

// Decode implements runtime.Decoder.
func (d podDecoder) Decode(data []byte, of *schema.GroupVersionKind, into runtime.Object) (runtime.Object,
	*schema.GroupVersionKind, error) {
	raw, is := bytes.CutPrefix(data, protobufMagic)
	if !is {
		return d.Decoder.Decode(data, of, into)
	}
	kind, raw, err := unknown(raw)
	if err != nil || raw == nil {
		return d.Decoder.Decode(data, of, into) // it says what is wrong
	}
	switch kind {
	case "Pod":
		pod, is := into.(*corev1.Pod)
		if !is {
			pod = &corev1.Pod{}
		}
		if raw, err = podCuts.from(raw); err == nil {
			err = pod.Unmarshal(raw)
		}
		return pod, of, err
	case "PodList":
		if list, is := into.(*corev1.PodList); is {
			if raw, err = podListCuts.from(raw); err == nil {
				err = list.Unmarshal(raw)
			}
			return list, of, err
		}
	}
	return d.Decoder.Decode(data, of, into)
}
