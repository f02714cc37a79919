package kubeapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/client-go/kubernetes/scheme"
)

// kinds has all types that requests and answers name: client-go's, and those of metadata alone.
var kinds = sync.OnceValue(func() *runtime.Scheme {
	all := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(all); err != nil {
			panic(err) // of two types with one name, which client-go excludes
		}
	}
	return all
})

// toProtobuf encodes an object that is given as JSON.
func toProtobuf(raw []byte) ([]byte, error) {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = protobuf.NewSerializer(kinds(), kinds()).Encode(object, &out)
	return out.Bytes(), err
}

// fromProtobuf decodes an object to what its JSON decodes to.
func fromProtobuf(raw []byte) (any, error) {
	object, _, err := protobuf.NewSerializer(kinds(), kinds()).Decode(raw, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("decode protobuf: %w", err)
	}
	encoded, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var content any
	return content, json.Unmarshal(encoded, &content)
}

// protobufEvents reads the frames of a watch in protobuf.
func protobufEvents(body io.ReadCloser) func() (any, error) {
	frames := streaming.NewDecoder(protobuf.LengthDelimitedFramer.NewFrameReader(body), protobuf.NewRawSerializer(kinds(), kinds()))
	return func() (any, error) {
		var event metav1.WatchEvent
		if _, _, err := frames.Decode(nil, &event); err != nil {
			return nil, err
		}
		object, err := fromProtobuf(event.Object.Raw)
		return map[string]any{"type": event.Type, "object": object}, err
	}
}
