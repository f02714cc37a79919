// Package manifest decodes the manifests of Kubernetes objects as kubectl does: texts of several YAML documents or JSON values, with
// Lists in the place of their items. The check before a run and the run itself read them here, and so find the same mistakes.
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/simcloud/spelling"
)

// Object is an object of a text.
type Object struct {
	*unstructured.Unstructured
	// Node is where the object stands: its lines are those of the text.
	Node *yaml.Node
}

// Decode returns the objects of a text, in its order. A List stands for its items, and a document without content for nothing. Each object
// has an apiVersion, a kind and a name. The errors name the line as the YAML parser does: "yaml: line 3: ...".
func Decode(text []byte) ([]Object, error) {
	documents, err := split(text)
	if err != nil {
		return nil, err
	}
	var objects []Object
	for _, document := range documents {
		content, err := decode(document)
		if err != nil {
			return nil, at(document, err)
		}
		found, err := expand(content, document)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

// split returns the documents of a text which have content, as mappings or whatever else they are.
func split(text []byte) ([]*yaml.Node, error) {
	if values, are := jsonValues(text); are {
		return values, nil
	}
	var documents []*yaml.Node
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return documents, nil
		case err != nil:
			return nil, err
		}
		if content := document.Content; len(content) == 1 && content[0].Tag != "!!null" {
			documents = append(documents, content[0])
		}
	}
}

// jsonValues returns the values of a text that is JSON: one value after the other, with nothing between them, is not YAML.
func jsonValues(text []byte) (values []*yaml.Node, are bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, false
	}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		begin := decoder.InputOffset()
		var value json.RawMessage
		switch err := decoder.Decode(&value); {
		case errors.Is(err, io.EOF):
			return values, true
		case err != nil:
			return nil, false
		}
		before := text[:begin+int64(bytes.Index(text[begin:], value))]
		// JSON has tabs between its tokens alone, where YAML wants blanks. The lines before keep the numbers.
		padded := append(bytes.Repeat([]byte("\n"), bytes.Count(before, []byte("\n"))), bytes.ReplaceAll(value, []byte("\t"), []byte(" "))...)
		var document yaml.Node
		if yaml.Unmarshal(padded, &document) != nil || len(document.Content) != 1 {
			return nil, false
		}
		values = append(values, document.Content[0])
	}
}

// expand returns the object that a node is, or the items of the List that it is.
func expand(content map[string]any, node *yaml.Node) ([]Object, error) {
	object := &unstructured.Unstructured{Object: content}
	items, has := content["items"].([]any)
	switch kind := object.GetKind(); {
	case kind == listKind && !has:
		return nil, at(node, errors.New("the object of kind List has no items: want a list of objects"))
	case strings.HasSuffix(kind, listKind) && has:
		return expandItems(object, items, child(node, "items"))
	}
	if err := check(object); err != nil {
		return nil, at(node, err)
	}
	return []Object{{Unstructured: object, Node: node}}, nil
}

// listKind is the kind of lists of anything, and ends those of lists of one kind.
const listKind = "List"

// expandItems returns the items of a List. Those of a ServiceList are Services, whether they say it or not.
func expandItems(list *unstructured.Unstructured, items []any, node *yaml.Node) ([]Object, error) {
	var objects []Object
	for i, item := range items {
		place := node
		if len(node.Content) == len(items) {
			place = resolve(node.Content[i])
		}
		content, is := item.(map[string]any)
		if !is {
			return nil, at(place, errNoObject)
		}
		if of := strings.TrimSuffix(list.GetKind(), listKind); of != "" && content["kind"] == nil {
			content["kind"], content["apiVersion"] = of, list.GetAPIVersion()
		}
		found, err := expand(content, place)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

var errNoObject = errors.New("the document is no object: want a mapping with apiVersion, kind and metadata")

// decode reads a node strictly: a key that stands twice is an error.
func decode(node *yaml.Node) (content map[string]any, err error) {
	var raw bytes.Buffer
	if err := yaml.NewEncoder(&raw).Encode(node); err != nil {
		return nil, err
	}
	inJSON, err := sigsyaml.YAMLToJSONStrict(raw.Bytes())
	if err != nil {
		return nil, err
	}
	if k8sjson.Unmarshal(inJSON, &content) != nil {
		return nil, errNoObject
	}
	return content, nil
}

// check reports what no API server takes, and what only another program reads.
func check(object *unstructured.Unstructured) error {
	if isKustomization(object) {
		return errors.New(`a Kustomization is no object of a cluster: want what "kubectl kustomize FOLDER" prints`)
	}
	for _, field := range []struct{ name, value string }{
		{"kind", object.GetKind()}, {"apiVersion", object.GetAPIVersion()}, {"metadata.name", object.GetName()},
	} {
		if field.value == "" {
			return fmt.Errorf("the object has no %s", field.name)
		}
	}
	return nil
}

func isKustomization(object *unstructured.Unstructured) bool {
	return object.GetKind() == "Kustomization" && strings.HasPrefix(object.GetAPIVersion(), "kustomize.config.k8s.io/")
}

// UnknownKind says of a kind in an API group of Kubernetes itself that Kubernetes does not have it; "" of any other.
func UnknownKind(apiVersion, kind string) string {
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || !scheme.Scheme.IsVersionRegistered(version) {
		return ""
	}
	kinds := scheme.Scheme.KnownTypes(version)
	if _, known := kinds[kind]; known {
		return ""
	}
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	said := fmt.Sprintf("Kubernetes has no kind %q in %s", kind, version)
	if meant := spelling.Nearest(kind, names); meant != "" {
		said += fmt.Sprintf(" (%q?)", meant)
	}
	return said
}

// at names the line of a node in an error.
func at(node *yaml.Node, err error) error {
	return fmt.Errorf("yaml: line %d: %w", node.Line, err)
}

// child is the value of a key of a mapping.
func child(node *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return resolve(node.Content[i+1])
		}
	}
	return &yaml.Node{}
}

// resolve is what an alias stands for, or the node itself.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
