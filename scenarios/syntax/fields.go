package syntax

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// field is a field of a struct that a file can set. Its tags are all that is known of it:
// the loader reads by them, and the schema and the README's table are made of them.
//
//	yaml   the key, then options: "required"; "needed" of its form, which Check reports;
//	       "beside" the verb; "late", read after the others; "single", a list or one item of it;
//	       "settable" by a parameter, for the schema of a spec: in a step each value is.
//	       A field without a key, `yaml:",value"`, is what stands in the place of a mapping
//	doc    what it is
//	enum   the words that it can be, or that the items of a list can be
//	min    the least number or duration, or how long a text is at least; max is the largest number
//	pattern  what a text looks like, for the schema; Check reports another one
//	item   what mistakes call an item of a list
//	empty  what an empty list should have; without the tag a list may be empty
//	alone  the mistake when a field with the same tag is there too: {first} and {second} stand for the keys
//	form   the key that says which form of the mapping the field belongs to; without the tag to each
type field struct {
	reflect.StructField
	key     string
	options []string
}

func (f field) is(option string) bool { return slices.Contains(f.options, option) }

// words are those that the field, or an item of it, can be; none when it can be any text.
func (f field) words() []string {
	if words := f.Tag.Get("enum"); words != "" {
		return strings.Split(words, ",")
	}
	return nil
}

// fieldsOf are the fields of a struct, and of the structs that it embeds, in their order.
func fieldsOf(t reflect.Type) []field {
	var all []field
	for _, f := range reflect.VisibleFields(t) {
		if tag, tagged := f.Tag.Lookup("yaml"); tagged {
			options := strings.Split(tag, ",")
			all = append(all, field{f, options[0], options[1:]})
		}
	}
	return all
}

// besides are the fields that stand beside the verb.
func besides(t reflect.Type) []field {
	return slices.DeleteFunc(fieldsOf(t), func(f field) bool { return !f.is("beside") })
}

// Value is a type of fields that has a reader of its own, and declares beside it what it reads.
type Value interface {
	// Read reads the value; what names it in mistakes.
	Read(d *Decoder, n *yaml.Node, what string)
	// Schema describes it in the JSON schema.
	Schema() map[string]any
}

// worded is a type of texts that are one of a few words, which a tag cannot have.
type worded interface{ words() []string }

// Checked is a struct that has more to say of its fields than their tags can.
type Checked interface {
	// Check reports, when all fields are read, what does not go together.
	Check(d *Decoder, n *yaml.Node)
}

// read reads a struct: a mapping with its fields, or what stands in the place of one.
func (d *Decoder) read(n *yaml.Node, what string, into reflect.Value) {
	fields := slices.DeleteFunc(fieldsOf(into.Type()), func(f field) bool { return f.is("beside") })
	if at := slices.IndexFunc(fields, func(f field) bool { return f.is("value") }); at >= 0 {
		if len(fields) == 1 || Resolve(n).Kind != yaml.MappingNode {
			d.readField(n, what, fields[at], into)
			return
		}
		fields = slices.Delete(fields, at, at+1)
	}
	keys, late := d.keys(fields, into)
	d.Object(n, what, keys...)
	late()
}

// keys reads fields as keys of a mapping; late reads those that come after all others.
func (d *Decoder) keys(fields []field, into reflect.Value) (keys []Field, late func()) {
	first := map[string]string{} // the key that came first of those that stand alone
	waiting := map[string]*yaml.Node{}
	for _, f := range fields {
		keys = append(keys, Field{f.key, f.is("required"), func(n *yaml.Node) {
			if alone := f.Tag.Get("alone"); alone != "" && first[alone] != "" {
				d.Errorf(n, "%s", strings.NewReplacer("{first}", first[alone], "{second}", f.key).Replace(alone))
			} else {
				first[alone] = f.key
			}
			if f.is("late") {
				waiting[f.key] = n
				return
			}
			d.readField(n, f.key, f, into)
		}})
	}
	return keys, func() {
		for _, f := range fields {
			if n := waiting[f.key]; n != nil {
				d.readField(n, f.key, f, into)
			}
		}
	}
}

func (d *Decoder) readField(n *yaml.Node, what string, f field, into reflect.Value) {
	d.readInto(n, what, f, into.FieldByIndex(f.Index))
}

// readInto reads a value by its type.
func (d *Decoder) readInto(n *yaml.Node, what string, f field, into reflect.Value) {
	if v, own := into.Addr().Interface().(Value); own {
		v.Read(d, n, what)
		return
	}
	if w, some := into.Interface().(worded); some {
		var word string
		d.Word(what, &word, w.words()...)(n)
		into.SetString(word)
		return
	}
	if k, known := kinds[into.Type()]; known {
		k.read(d, n, what, f, into.Addr().Interface())
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		d.readInto(n, what, f, into.Elem())
	case reflect.Slice:
		d.readList(n, what, f, into)
	default:
		d.read(n, what, into)
		d.check(n, into)
	}
}

// readList reads a list, or one item where that is enough.
func (d *Decoder) readList(n *yaml.Node, what string, f field, into reflect.Value) {
	each := func(what string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			item := reflect.New(into.Type().Elem()).Elem()
			d.readInto(n, what, f, item)
			into.Set(reflect.Append(into, item))
		}
	}
	n = Resolve(n)
	if f.is("single") && n.Kind != yaml.SequenceNode {
		each(what)(n)
		return
	}
	item, named := f.Tag.Lookup("item")
	if !named {
		item = what
	}
	d.List(n, what, each(item))
	if right := f.Tag.Get("empty"); right != "" && n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		d.Errorf(n, "%s is an empty list: %s", what, right)
	}
}

func (d *Decoder) check(n *yaml.Node, v reflect.Value) {
	if c, checked := v.Addr().Interface().(Checked); checked {
		c.Check(d, Resolve(n))
	}
}
