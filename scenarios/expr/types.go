package expr

import (
	"cmp"
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/simcloud-dev/simcloud/simcloud/openapi"
)

// Type is what is known of the values of a name before a scenario runs: which fields they have, and of which types.
// The zero value is of names about whose values nothing is known.
type Type struct{ cel *cel.Type }

// TypeOf is the type of what a Go type becomes as JSON.
func TypeOf(t reflect.Type) Type {
	known.mu.Lock()
	defer known.mu.Unlock()
	return Type{known.of(t)}
}

// typeOf is [TypeOf] for CEL.
func typeOf[T any]() *cel.Type { return TypeOf(reflect.TypeFor[T]()).cel }

// orAny is the type for CEL: any, when nothing is known.
func (t Type) orAny() *cel.Type {
	if t.cel == nil {
		return cel.DynType
	}
	return t.cel
}

// structs are the types with fields that expressions meet. An operation whose answer a scenario captures adds those
// of the answer while other scenarios are read.
type structs struct {
	*types.Registry
	mu     sync.RWMutex
	fields map[string]map[string]*cel.Type // by the names of types
	zeros  map[string]map[string]zero      // what a field is that is left out, where that is a value
	words  map[string]map[string][]string  // the texts that a field can be, where it is one of a few
}

// known are the types of this program.
var known = newStructs()

func newStructs() *structs {
	registry, err := types.NewRegistry()
	if err != nil {
		panic(err) // it is given nothing that could be wrong
	}
	return &structs{Registry: registry, fields: map[string]map[string]*cel.Type{}, words: map[string]map[string][]string{}, zeros: map[string]map[string]zero{}}
}

// field is the type of a field. It reports whether the type is known, and nil for a field that it does not have.
func (s *structs) field(of, name string) (*cel.Type, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	fields, ok := s.fields[of]
	return fields[name], ok
}

// names are the fields of a type, in order.
func (s *structs) names(of string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.fields[of]))
}

// of is the type of what a Go type becomes as JSON. Its caller has the lock.
func (s *structs) of(t reflect.Type) *cel.Type {
	if special := asWritten(t); special != nil {
		return special
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.String:
		return cel.StringType
	case reflect.Bool:
		return cel.BoolType
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return cel.IntType // as JSON is read, an unsigned one too
	case reflect.Slice, reflect.Array:
		return cel.ListType(s.of(t.Elem()))
	case reflect.Map:
		return cel.MapType(cel.StringType, s.of(t.Elem()))
	case reflect.Struct:
		return s.object(t)
	default: // interfaces; and fractions, which are read as whole numbers where they are some
		return cel.DynType
	}
}

// asWritten is the type of what does not become JSON by its fields; nil for all else.
func asWritten(t reflect.Type) *cel.Type {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](), reflect.TypeFor[[]byte]():
		return cel.StringType
	case reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[metav1.FieldsV1]():
		return cel.DynType
	}
	pointer := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Pointer:
		return nil
	case pointer.Implements(reflect.TypeFor[encoding.TextMarshaler]()), isQuantity(t):
		return cel.StringType
	case t.Kind() == reflect.Struct && pointer.Implements(reflect.TypeFor[json.Marshaler]()):
		return cel.DynType
	}
	return nil
}

// isQuantity reports whether a type is Kubernetes' resource.Quantity, which is written as a text.
func isQuantity(t reflect.Type) bool {
	return t.Name() == "Quantity" && strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery/")
}

// object is the type of a struct, whose fields are noted.
func (s *structs) object(t reflect.Type) *cel.Type {
	name := t.PkgPath() + "." + t.Name()
	if s.fields[name] == nil { // once, also for a type that has itself in it
		s.fields[name], s.words[name], s.zeros[name] = map[string]*cel.Type{}, map[string][]string{}, map[string]zero{}
		s.addFields(name, t)
	}
	return cel.ObjectType(name)
}

// addFields notes the fields of a struct, and of those that it embeds, by their names in JSON.
func (s *structs) addFields(of string, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		embedded := field.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case field.Anonymous && (name == "" || strings.Contains(options, "inline")) && embedded.Kind() == reflect.Struct:
			s.addFields(of, embedded)
		case !field.IsExported(), name == "-":
		default:
			name = cmp.Or(name, field.Name)
			s.fields[of][name] = s.of(field.Type)
			s.words[of][name] = WordsOf(field.Type)
			s.zeros[of][name] = zeroOf(field.Type, options)
		}
	}
}

// WordsOf are the texts that values of a Go type can be; none when they can be any.
func WordsOf(t reflect.Type) []string {
	if t.Kind() != reflect.String || t.PkgPath() == "" {
		return nil
	}
	values, err := openapi.Values(t)
	if err != nil {
		panic(err) // it is embedded, and a test reads it
	}
	return values
}

// wordsFor are those that a field can be.
func (s *structs) wordsFor(of, field string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.words[of][field]
}

// loose is a type in which any value stands in the place of an object.
func loose(t *cel.Type) *cel.Type {
	switch t.Kind() {
	case types.StructKind:
		return cel.DynType
	case types.ListKind:
		return cel.ListType(loose(t.Parameters()[0]))
	case types.MapKind:
		return cel.MapType(loose(t.Parameters()[0]), loose(t.Parameters()[1]))
	default:
		return t
	}
}

// Fields are the names of the fields of objects of the type, in order; none when it is no object or nothing is known of it.
func (t Type) Fields() []string {
	if t.cel == nil || t.cel.Kind() != types.StructKind {
		return nil
	}
	return known.names(t.cel.TypeName())
}

// Field is the type of a field of an object, or of the value of any key of a map. Nothing is known of what is not there.
func (t Type) Field(name string) Type {
	switch {
	case t.cel == nil:
		return Type{}
	case t.cel.Kind() == types.MapKind:
		return Type{t.cel.Parameters()[1]}
	case t.cel.Kind() == types.StructKind:
		of, _ := known.field(t.cel.TypeName(), name)
		return Type{of}
	default:
		return Type{}
	}
}

// Element is the type of what a list holds.
func (t Type) Element() Type {
	if t.cel == nil || t.cel.Kind() != types.ListKind {
		return Type{}
	}
	return Type{t.cel.Parameters()[0]}
}

// Single is the type of one of the values that a list or a map holds, or the type itself.
func (t Type) Single() Type {
	for t.cel != nil && (t.cel.Kind() == types.ListKind || t.cel.Kind() == types.MapKind) {
		t = Type{t.cel.Parameters()[len(t.cel.Parameters())-1]}
	}
	return t
}

// Words are the texts that a field can be; none when it can be any.
func (t Type) Words(field string) []string {
	if t.cel == nil || t.cel.Kind() != types.StructKind {
		return nil
	}
	return known.wordsFor(t.cel.TypeName(), field)
}

// Name is the name of the type, such as Node or list(string).
func (t Type) Name() string {
	name := plainTypes(strings.NewReplacer("dyn", "any", "google.protobuf.Duration", "duration", "google.protobuf.Timestamp", "timestamp").Replace(t.orAny().String()))
	if name == "." { // its type has no name in Go either
		return "object"
	}
	return name
}

// String is the name of the type in a sentence: "a Node".
func (t Type) String() string { return withArticle(t.Name()) }
